package daemon_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	xssh "golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/daemon"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// The test binary is its own daemon: what it dials is in its environment.
const asDaemon = "NOD_TEST_DAEMON"

func TestMain(m *testing.M) {
	if address := os.Getenv(asDaemon); address != "" {
		err := daemon.Serve(context.Background(), daemon.Folder(os.Args[len(os.Args)-1]), loginTo(address), func(err error) bool { return errors.Is(err, errWrong) }, nil)
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

var errWrong = errors.New("the password is wrong")

// loginTo logs in to the server of these tests, with a question.
func loginTo(address string) daemon.Login {
	return func(ctx context.Context, host ssh.Host, opt ssh.Options) (mux.Conn, mux.Options, error) {
		opt.Step(ssh.Step{Host: host.String(), Stage: ssh.Dialing, Detail: address})
		yes, err := opt.Asker.Confirm(ctx, ssh.HostKeyQuestion{Host: host.Name, Fingerprint: "SHA256:x"})
		if err != nil || !yes {
			return nil, mux.Options{}, errors.Join(errors.New("the host key was not confirmed"), err)
		}
		word, err := opt.Asker.Secret(ctx, ssh.SecretQuestion{Kind: ssh.Password, Host: host.String()})
		if err != nil {
			return nil, mux.Options{}, err
		}
		conn, err := xssh.Dial("tcp", address, &xssh.ClientConfig{
			User: "u", Auth: []xssh.AuthMethod{xssh.Password(word)},
			HostKeyCallback: xssh.InsecureIgnoreHostKey(), //nolint:gosec // the test's own server
		})
		if err != nil {
			return nil, mux.Options{}, errWrong
		}
		return conn, mux.Options{}, nil
	}
}

// server is an ssh server that counts its logins.
type server struct {
	address string
	mu      sync.Mutex
	logins  int
	conns   []net.Conn
}

func serve(t *testing.T) *server {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := xssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{}
	config := &xssh.ServerConfig{PasswordCallback: func(_ xssh.ConnMetadata, word []byte) (*xssh.Permissions, error) {
		if string(word) != "right" {
			return nil, errWrong
		}
		s.mu.Lock()
		s.logins++ // before the client learns of it
		s.mu.Unlock()
		return nil, nil //nolint:nilnil // no permissions are right here
	}}
	config.AddHostKey(key)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			running.Go(func() { s.talk(c, config) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.cut()
		running.Wait()
	})
	return s
}

func (s *server) talk(c net.Conn, config *xssh.ServerConfig) {
	conn, channels, requests, err := xssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	go xssh.DiscardRequests(requests)
	for ch := range channels {
		_ = ch.Reject(xssh.Prohibited, "nothing here")
	}
	_ = conn.Close()
}

// cut ends all connections.
func (s *server) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

// starter runs this test's binary as a daemon.
func (s *server) starter(t *testing.T) daemon.Starter {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return daemon.Starter{
		Command: []string{self}, Env: append(os.Environ(), asDaemon+"="+s.address, "NOD_TEST_KEY=secret"),
		Withhold: []string{"NOD_TEST_KEY"},
	}
}

func order(t *testing.T) daemon.Order {
	t.Helper()
	return daemon.Order{Folder: daemon.Folder(filepath.Join(t.TempDir(), "s")), Host: "ssh:web-1"}
}

// says answers the questions of a login.
func says(yes bool, word string) ssh.Asker {
	return ssh.Asker{
		Confirm: func(context.Context, ssh.HostKeyQuestion) (bool, error) { return yes, nil },
		Secret:  func(context.Context, ssh.SecretQuestion) (string, error) { return word, nil },
	}
}

var webOne = ssh.Host{Name: "web-1"}

// stop ends the connection at the end of a test.
func stop(t *testing.T, f daemon.Folder) {
	t.Helper()
	t.Cleanup(func() {
		if err := f.Stop(context.Background(), webOne); err != nil && !strings.Contains(err.Error(), "no connection is held") {
			t.Error(err)
		}
	})
}

// gone waits until no connection is held.
func gone(t *testing.T, f daemon.Folder) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		all, err := f.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("still there: %+v", all)
		}
	}
}

func TestAConnectionOutlivesItsStarterAndIsFoundAgain(t *testing.T) {
	s, o := serve(t), order(t)
	stop(t, o.Folder)
	var steps []string
	info, err := s.starter(t).Start(t.Context(), o, says(true, "right"), func(s ssh.Step) { steps = append(steps, s.Detail) })
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 1 || steps[0] != s.address {
		t.Errorf("steps: %q", steps)
	}
	if info.Host != "ssh:web-1" || info.Pid == 0 || info.Pid == os.Getpid() {
		t.Errorf("%+v", info)
	}
	// Nobody is asked a second time.
	again, err := s.starter(t).Start(t.Context(), o, ssh.Asker{}, nil)
	if err != nil || again.Pid != info.Pid {
		t.Errorf("%+v, %v", again, err)
	}
	for limit := time.Now().Add(time.Minute); s.count() == 0 && time.Now().Before(limit); { // it counts behind the answer
		time.Sleep(time.Millisecond)
	}
	if n := s.count(); n != 1 {
		t.Errorf("%d logins", n)
	}
	all, err := o.Folder.List(t.Context())
	if err != nil || len(all) != 1 || all[0].Pid != info.Pid {
		t.Errorf("%+v, %v", all, err)
	}
	environment, err := os.ReadFile(filepath.Join("/proc", itoa(info.Pid), "environ"))
	if err != nil || strings.Contains(string(environment), "NOD_TEST_KEY") {
		t.Errorf("the daemon got a key: %v", err)
	}
	if err := o.Folder.Stop(t.Context(), webOne); err != nil {
		t.Error(err)
	}
	gone(t, o.Folder)
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // the daemon ends when it has answered
		left, err := filepath.Glob(filepath.Join(string(o.Folder), "*"))
		if err != nil || len(left) == 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("left behind: %q", left)
		}
	}
	if err := o.Folder.Stop(t.Context(), webOne); err == nil || !strings.Contains(err.Error(), "nod ssh start web-1") {
		t.Errorf("%v", err)
	}
}

func itoa(n int) string {
	var b []byte
	for ; n > 0; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}

func TestALoginThatFailsIsToldInWords(t *testing.T) {
	s, o := serve(t), order(t)
	stop(t, o.Folder)
	for _, c := range []struct {
		name    string
		asker   ssh.Asker
		want    string
		lasting bool
	}{
		{"no", says(false, ""), "not confirmed", false},
		{"nobody", ssh.Asker{}, "not answered", false},
		{"wrong", says(true, "wrong"), "password is wrong", true},
	} {
		_, err := s.starter(t).Start(t.Context(), o, c.asker, nil)
		var failed *daemon.LoginError
		if !errors.As(err, &failed) || !strings.Contains(failed.Text, c.want) || failed.Lasting != c.lasting || errors.Is(err, backends.ErrGivenUp) != c.lasting {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	gone(t, o.Folder)
}

func TestOfSeveralThatStartOneLogsIn(t *testing.T) {
	s, o := serve(t), order(t)
	stop(t, o.Folder)
	const all = 5
	pids := make(chan int, all)
	for range all {
		go func() {
			info, err := s.starter(t).Start(t.Context(), o, says(true, "right"), nil)
			if err != nil {
				t.Error(err)
			}
			pids <- info.Pid
		}()
	}
	first := <-pids
	for range all - 1 {
		if pid := <-pids; pid != first {
			t.Errorf("daemons %d and %d", first, pid)
		}
	}
	if n := s.count(); n != 1 {
		t.Errorf("%d logins", n)
	}
}

func TestAStarterThatGoesAwayTakesTheLoginAlong(t *testing.T) {
	s, o := serve(t), order(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	away := errors.New("the operator closed the dialog")
	_, err := s.starter(t).Start(ctx, o, ssh.Asker{
		Confirm: func(context.Context, ssh.HostKeyQuestion) (bool, error) {
			cancel(away)
			return true, nil
		},
	}, nil)
	if !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
	stop(t, o.Folder)
	if _, err := s.starter(t).Start(t.Context(), o, says(true, "right"), nil); err != nil {
		t.Error(err)
	}
	if n := s.count(); n != 1 {
		t.Errorf("%d logins", n)
	}
}

func TestAConnectionEndsWithItsConnectionAndWhenNobodyUsesIt(t *testing.T) {
	s, o := serve(t), order(t)
	if _, err := s.starter(t).Start(t.Context(), o, says(true, "right"), nil); err != nil {
		t.Fatal(err)
	}
	s.cut()
	gone(t, o.Folder)
	o.Persist = 300 * time.Millisecond
	info, err := s.starter(t).Start(t.Context(), o, says(true, "right"), nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mux.DialProxy(t.Context(), info.Socket)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * o.Persist) // in use for longer than it may be idle
	if _, err := o.Folder.Status(t.Context(), webOne); err != nil {
		t.Error(err)
	}
	_ = client.Close()
	gone(t, o.Folder)
}
