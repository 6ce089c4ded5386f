package doctor

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/crypto/ssh/agent"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// checkSSH looks for the ssh that says what ssh_config means.
func checkSSH(ctx context.Context) Finding {
	const check = "ssh"
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ssh", "-V").CombinedOutput()
	if err != nil {
		return Finding{
			Check: check, Optional: true,
			Detail: fmt.Sprintf("no ssh client (%v): of ssh_config only Host, Match all and Include are understood", err),
			Fix:    "apt-get install openssh-client",
		}
	}
	return Finding{Check: check, OK: true, Detail: strings.TrimSpace(string(out))}
}

// checkAgent asks the operator's agent for its keys. Hosts can be reached
// without one.
func (e *examination) checkAgent() Finding {
	f := Finding{Check: "agent", Optional: true, Fix: "eval \"$(ssh-agent)\" && ssh-add; or let nod ask for passphrases"}
	path := e.sys.Getenv("SSH_AUTH_SOCK")
	if path == "" {
		f.Detail = "SSH_AUTH_SOCK is not set: keys with a passphrase are asked for"
		return f
	}
	conn, err := net.DialTimeout("unix", path, checkTimeout)
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	defer func() { _ = conn.Close() }() // only asked
	keys, err := agent.NewClient(conn).List()
	switch {
	case err != nil:
		f.Detail = path + ": " + err.Error()
	case len(keys) == 0:
		f.Detail, f.Fix = path+" has no keys", "ssh-add"
	default:
		f.OK, f.Fix, f.Detail = true, "", fmt.Sprintf("%s has %d keys", path, len(keys))
	}
	return f
}

// checkSockets looks whether connections can be held.
func (e *examination) checkSockets(c *config.Config) Finding {
	const check = "sockets"
	l, err := targets.NewConnections(c, e.sys.Getenv)
	if err == nil {
		err = l.Folder.Check()
	}
	if err == nil {
		_, err = ssh.Names(l.SSHOptions())
	}
	if err != nil {
		return Finding{Check: check, Detail: err.Error(), Fix: "hosts over ssh need it; this machine does not", Optional: true}
	}
	state := "will be made"
	if _, err := os.Stat(string(l.Folder)); err == nil {
		state = "is there"
	}
	return Finding{Check: check, OK: true, Detail: fmt.Sprintf("%s %s", l.Folder, state)}
}
