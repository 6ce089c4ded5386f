package ssh_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	xssh "golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/sshdtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a condition may take before a test fails.
const patience = 30 * time.Second

// world is a folder with an operator's home, a real sshd and a client's
// configuration for it.
type world struct {
	t    testing.TB
	dir  string
	home string // the operator's and the user's
	user string

	hostKey xssh.PublicKey
	port    int

	sshd *sshdtest.Server
}

// newWorld starts an sshd; config are lines for it.
func newWorld(t testing.TB, config ...string) *world {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), user: me.Username}
	w.home = filepath.Join(w.dir, "home")
	for _, d := range []string{w.home, w.home + "/.ssh"} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.hostKey = w.newKey("hostkey", "")
	user := w.newKey("home/.ssh/id", "")
	w.write("authorized", string(xssh.MarshalAuthorizedKey(user)))
	w.write("sshd_config", strings.Join(append(config,
		"HostKey "+w.path("hostkey"),
		"AuthorizedKeysFile "+w.path("authorized"),
		"PidFile none",
		"UsePAM no",
		"StrictModes no",
		"PermitRootLogin yes",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"LogLevel INFO",
		"Subsystem sftp internal-sftp",
		"SetEnv HOME="+w.home,
	), "\n")+"\n")
	w.sshd = sshdtest.Start(t, w.path("sshd_config"), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	w.port = w.sshd.Port()
	w.write("known_hosts", w.knownLine(w.hostKey))
	w.write("config", w.clientConfig())
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, content string) string {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return w.path(name)
}

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// newKey writes a private key, with a passphrase if one is given.
func (w *world) newKey(name, passphrase string) xssh.PublicKey {
	w.t.Helper()
	return sshdtest.NewKey(w.t, w.path(name), passphrase)
}

func (w *world) knownLine(key xssh.PublicKey) string {
	return fmt.Sprintf("[127.0.0.1]:%d %s", w.port, xssh.MarshalAuthorizedKey(key))
}

// clientConfig is an ssh_config with the sshd under the name "box".
func (w *world) clientConfig(more ...string) string {
	return strings.Join(append([]string{
		"Host box",
		"  HostName 127.0.0.1",
		fmt.Sprintf("  Port %d", w.port),
		"  User " + w.user,
		"  IdentityFile " + w.home + "/.ssh/id",
		"  UserKnownHostsFile " + w.path("known_hosts"),
		"  GlobalKnownHostsFile none",
	}, more...), "\n") + "\n"
}

// options are those of an operator without an agent who answers nothing.
func (w *world) options() ssh.Options {
	return ssh.Options{Config: w.path("config"), Home: w.home, Agent: "none"}
}

func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

// dial connects to the box.
func (w *world) dial(opt ssh.Options) *ssh.Conn {
	w.t.Helper()
	c, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return c
}

// run runs a script and returns its outcome and outputs.
func run(t testing.TB, target backends.Target, argv ...string) (o backends.Outcome, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	p, err := target.Exec(ctx, backends.Command{Argv: argv, Stdout: &out, Stderr: &errs})
	if err != nil {
		t.Fatalf("exec %q: %v", argv, err)
	}
	if o, err = p.Wait(); err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	return o, out.String(), errs.String()
}

// until waits for a condition.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	if !backendtest.Soon(patience, cond) {
		t.Fatalf("%s: not within %s", what, patience)
	}
}
