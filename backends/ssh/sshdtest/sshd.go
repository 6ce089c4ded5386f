// Package sshdtest gives tests a real sshd on loopback. Each connection is served
// by a process of its own, so that the port and every process are known, and a
// test ends, stops or looks at just those.
package sshdtest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

const program = "/usr/sbin/sshd"

// Server is an sshd. Its methods are safe for concurrent use.
type Server struct {
	t       testing.TB
	config  string
	env     []string
	address *net.TCPAddr

	mu     sync.Mutex
	log    bytes.Buffer
	served []*exec.Cmd
}

// Start serves until the test ends. config is the path of an sshd_config, which
// is read for each connection; env is what sshd has in its environment. The test
// is skipped where there is no sshd, and fails where none may be missing.
func Start(t testing.TB, config string, env ...string) *Server {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatalf("there is no %s: run make deps", program)
		}
		t.Skipf("there is no %s: run make deps", program)
	}
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where sshd locks itself in before the login
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, config: config, env: env, address: l.Addr().(*net.TCPAddr)}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.serve(conn.(*net.TCPConn), &serving)
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // once
		s.HangUp()
		serving.Wait()
		if t.Failed() {
			t.Logf("sshd says:\n%s", s.Log())
		}
	})
	return s
}

// serve gives a connection to an sshd.
func (s *Server) serve(conn *net.TCPConn, serving *sync.WaitGroup) {
	defer func() { _ = conn.Close() }() // sshd has its own copy
	file, err := conn.File()
	if err != nil {
		s.t.Error(err)
		return
	}
	defer func() { _ = file.Close() }() // sshd has its own copy
	cmd := exec.Command(program, "-i", "-e", "-f", s.config)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, file, logWriter{s}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	cmd.Env = s.env
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return
	}
	s.mu.Lock()
	s.served = append(s.served, cmd)
	s.mu.Unlock()
	serving.Go(func() { _ = cmd.Wait() }) // how it ends is the test's business
}

type logWriter struct{ s *Server }

func (l logWriter) Write(p []byte) (int, error) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.log.Write(p)
}

// LogWriter takes what another sshd of the same host writes.
func (s *Server) LogWriter() io.Writer { return logWriter{s} }

// Address is where it listens.
func (s *Server) Address() string { return s.address.String() }

// Port is the port of Address.
func (s *Server) Port() int { return s.address.Port }

// Log is what it has written so far, at the level that its configuration sets.
func (s *Server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// Groups are the process groups that serve, or have served, connections.
func (s *Server) Groups() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pids []int
	for _, cmd := range s.served {
		pids = append(pids, cmd.Process.Pid)
	}
	return pids
}

// Signal sends a signal to everything that serves a connection now; connections
// that come later are served.
func (s *Server) Signal(sig syscall.Signal) {
	for _, pid := range s.Groups() {
		_ = syscall.Kill(-pid, sig) // may have ended
	}
}

// HangUp ends what serves connections, also where it was stopped.
func (s *Server) HangUp() { s.Signal(syscall.SIGKILL) }

// NewKey writes a private key, with a passphrase if one is given, in the place of
// any that is there.
func NewKey(t testing.TB, path, passphrase string) ssh.PublicKey {
	t.Helper()
	if passphrase != "" {
		return newLockedKey(t, path, passphrase)
	}
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// newLockedKey has ssh-keygen write a key in a single round: each try to unlock
// one in the usual sixteen takes seconds with the race detector.
func newLockedKey(t testing.TB, path, passphrase string) ssh.PublicKey {
	t.Helper()
	_ = os.Remove(path) // it may replace one
	cmd := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-a", "1", "-N", passphrase, "-f", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
	text, err := os.ReadFile(path + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
