package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends/ssh/daemon"
	"github.com/nod-console/nod/backends/ssh/sshdtest"
)

// remote is a host on loopback: a real sshd behind a wire, with a home, keys and
// a tmux server of its own. In ssh_config its name is "box".
type remote struct {
	t       testing.TB
	world   *world
	dir     string // short: there are sockets in it
	user    string
	config  string // ssh_config
	hostKey ssh.PublicKey
	server  *sshdtest.Server
	wire    *wire
}

// newRemote makes a world whose nod knows a host; more are lines for its
// section in ssh_config. The daemon that nod starts is ended with the test.
func newRemote(t testing.TB, more ...string) (*world, *remote) {
	t.Helper()
	needs(t, "ssh")
	w := newWorld(t)
	dir, err := os.MkdirTemp("", "nod-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{t: t, world: w, dir: dir, user: me.Username, config: filepath.Join(dir, "config")}
	for _, name := range []string{"home", "tmux"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.write("home/.bashrc", "PS1='box$ '\nHISTFILE=/dev/null\n")
	r.write("home/.profile", ". ~/.bashrc\n")
	r.hostKey = r.newKey("hostkey", "")
	r.write("authorized", string(ssh.MarshalAuthorizedKey(r.newKey("id", ""))))
	r.write("sshd_config", strings.Join([]string{
		"HostKey " + r.path("hostkey"), "AuthorizedKeysFile " + r.path("authorized"),
		"PidFile none", "UsePAM no", "StrictModes no", "PermitRootLogin yes",
		"PasswordAuthentication no", "KbdInteractiveAuthentication no", "LogLevel INFO",
		"MaxSessions 30", "Subsystem sftp internal-sftp",
		"SetEnv HOME=" + r.path("home") + " TMUX_TMPDIR=" + r.path("tmux") + " SHELL=/bin/bash",
	}, "\n")+"\n")
	r.server = sshdtest.Start(t, r.path("sshd_config"), "PATH="+os.Getenv("PATH"))
	r.wire = openWire(t, r.server.Address())
	r.write("known_hosts", r.knownLine())
	r.write("config", r.section(more...))
	w.extra = append(w.extra, "NOD_SSH_CONFIG="+r.config, "NOD_STATE_DIR="+filepath.Join(dir, "state"))
	t.Cleanup(r.noTmuxLeft)
	t.Cleanup(r.endDaemon)
	return w, r
}

func (r *remote) path(name string) string { return filepath.Join(r.dir, name) }

func (r *remote) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *remote) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// newKey writes a private key, with a passphrase if one is given.
func (r *remote) newKey(name, passphrase string) ssh.PublicKey {
	r.t.Helper()
	return sshdtest.NewKey(r.t, r.path(name), passphrase)
}

func (r *remote) knownLine() string {
	return fmt.Sprintf("[127.0.0.1]:%d %s", r.wire.port(), ssh.MarshalAuthorizedKey(r.hostKey))
}

// section is the host's section of ssh_config.
func (r *remote) section(more ...string) string {
	return strings.Join(append([]string{
		"Host box", "HostName 127.0.0.1", fmt.Sprintf("Port %d", r.wire.port()), "User " + r.user,
		"IdentityFile " + r.path("id"), "IdentitiesOnly yes",
		"UserKnownHostsFile " + r.path("known_hosts"), "GlobalKnownHostsFile none",
	}, more...), "\n  ") + "\n"
}

// logins is how many were accepted.
func (r *remote) logins() int { return strings.Count(r.server.Log(), "Accepted ") }

// freeze stops what serves the connections of now; new ones are served.
func (r *remote) freeze() { r.server.Signal(syscall.SIGSTOP) }

// thaw undoes freeze.
func (r *remote) thaw() { r.server.Signal(syscall.SIGCONT) }

// tmux runs a command of the host's tmux server.
func (r *remote) tmux(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-L", r.world.socket}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMUX_TMPDIR=" + r.path("tmux"), "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (r *remote) noTmuxLeft() {
	var out string
	var err error
	gone := func() bool { // a server ends a moment after its last session
		out, err = r.tmux("list-clients", "-F", "#{session_name} #{client_pid} #{client_flags}", ";", "list-sessions")
		return err != nil
	}
	if gone() || !r.t.Failed() && soonOrLate(gone) {
		return
	}
	if !r.t.Failed() {
		r.t.Errorf("a tmux server is left behind on the host: %s", out)
	}
	if pid, err := r.tmux("display-message", "-p", "#{pid}"); err == nil {
		_ = exec.Command("kill", "-KILL", pid).Run() // it may have ended just now
	}
}

// held are the connections that nod holds.
func (r *remote) held() []daemon.Info {
	r.t.Helper()
	out, errs, status := r.world.do("ssh", "list", "--json")
	var all []daemon.Info
	if err := json.Unmarshal([]byte(out), &all); err != nil || status != 0 {
		r.t.Fatalf("ssh list: %d %s%s: %v", status, out, errs, err)
	}
	return all
}

// endDaemon ends the connections, all at once, and sees to it that they are gone.
func (r *remote) endDaemon() {
	var ending sync.WaitGroup
	for _, info := range r.held() {
		ending.Go(func() {
			if _, errs, status := r.world.do("ssh", "stop", info.Host); status != 0 {
				r.t.Errorf("ssh stop %s: %s", info.Host, errs)
			}
			for deadline := time.Now().Add(patience); runs(info.Pid); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					r.t.Errorf("the daemon of %s does not end", info.Host)
					return
				}
			}
		})
	}
	ending.Wait()
}

// runs reports whether a process is there. One that has ended and that its
// parent, process 1, has not taken note of is gone.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// ssh is a stock ssh client's command on the host, with more options before it.
func (r *remote) ssh(args ...string) *exec.Cmd {
	cmd := exec.Command("ssh", append([]string{"-F", r.config}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.world.home}
	return cmd
}

// marshalled is a key as authorized_keys has it.
func marshalled(key ssh.PublicKey) []byte { return ssh.MarshalAuthorizedKey(key) }
