package ssh_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	xssh "golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
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

	mu     sync.Mutex
	config []string // of sshd
	log    bytes.Buffer
	logins []*exec.Cmd // one sshd for each connection
}

// newWorld starts listening; each connection gets an sshd of its own, so that
// the port is known and so is each process.
func newWorld(t testing.TB, config ...string) *world {
	t.Helper()
	if _, err := os.Stat("/usr/sbin/sshd"); err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal("there is no /usr/sbin/sshd: run make deps")
		}
		t.Skip("there is no /usr/sbin/sshd: run make deps")
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), user: me.Username}
	w.home = filepath.Join(w.dir, "home")
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where sshd locks itself in before the login
			t.Fatal(err)
		}
	}
	for _, d := range []string{w.home, w.home + "/.ssh"} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.hostKey = w.newKey("hostkey", "")
	user := w.newKey("home/.ssh/id", "")
	w.write("authorized", string(xssh.MarshalAuthorizedKey(user)))
	w.config = append(config,
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
	)
	w.listen()
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
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = xssh.MarshalPrivateKey(private, name)
	} else {
		block, err = xssh.MarshalPrivateKeyWithPassphrase(private, name, []byte(passphrase))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, string(pem.EncodeToMemory(block)))
	key, err := xssh.NewPublicKey(pub)
	if err != nil {
		w.t.Fatal(err)
	}
	return key
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

func (w *world) listen() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.port = l.Addr().(*net.TCPAddr).Port
	w.write("sshd_config", strings.Join(w.config, "\n")+"\n")
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.serve(conn.(*net.TCPConn), &serving)
		}
	})
	w.t.Cleanup(func() {
		_ = l.Close()
		w.hangUp()
		serving.Wait()
		if w.t.Failed() {
			w.t.Logf("sshd says:\n%s", w.logged())
		}
	})
}

// serve gives a connection to an sshd.
func (w *world) serve(conn *net.TCPConn, serving *sync.WaitGroup) {
	defer func() { _ = conn.Close() }() // sshd has its own copy
	file, err := conn.File()
	if err != nil {
		w.t.Error(err)
		return
	}
	defer func() { _ = file.Close() }() // sshd has its own copy
	cmd := exec.Command("/usr/sbin/sshd", "-i", "-e", "-f", w.path("sshd_config"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, file, logWriter{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	if err := cmd.Start(); err != nil {
		w.t.Error(err)
		return
	}
	w.mu.Lock()
	w.logins = append(w.logins, cmd)
	w.mu.Unlock()
	serving.Go(func() { _ = cmd.Wait() }) // how it ends is the tests' business
}

type logWriter struct{ w *world }

func (l logWriter) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.log.Write(p)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

// hangUp ends all sshd, also those that were stopped.
func (w *world) hangUp() {
	for _, pid := range w.servers() {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // may have ended
	}
}

// servers are the process groups of the sshd that were started.
func (w *world) servers() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	var pids []int
	for _, cmd := range w.logins {
		pids = append(pids, cmd.Process.Pid)
	}
	return pids
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
	limit := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(limit) {
			t.Fatalf("%s: not within %s", what, patience)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
