package ssh_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	xssh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/nod-console/nod/backends/ssh"
)

// answers is an operator who answers one secret after the other and remembers
// the questions.
type answers struct {
	mu    sync.Mutex
	say   []string
	asked []ssh.SecretQuestion
}

func (a *answers) asker() ssh.Asker {
	return ssh.Asker{Secret: func(_ context.Context, q ssh.SecretQuestion) (string, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asked = append(a.asked, q)
		if len(a.say) == 0 {
			return "", ssh.ErrNotAnswered
		}
		answer := a.say[0]
		a.say = a.say[1:]
		return answer, nil
	}}
}

func (a *answers) questions() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for _, q := range a.asked {
		all = append(all, fmt.Sprintf("%d %s try %d echo %v", q.Kind, q.Prompt, q.Try, q.Echo))
	}
	return strings.Join(all, "|")
}

// authorize lets keys in.
func (w *world) authorize(keys ...xssh.PublicKey) {
	text := ""
	for _, k := range keys {
		text += string(xssh.MarshalAuthorizedKey(k))
	}
	w.write("authorized", text)
}

// agentWith starts an agent with keys and returns its socket.
func (w *world) agentWith(n int) (string, []xssh.PublicKey) {
	w.t.Helper()
	ring := agent.NewKeyring()
	var keys []xssh.PublicKey
	for i := range n {
		pub, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := ring.Add(agent.AddedKey{PrivateKey: private, Comment: fmt.Sprintf("key-%d", i)}); err != nil {
			w.t.Fatal(err)
		}
		key, err := xssh.NewPublicKey(pub)
		if err != nil {
			w.t.Fatal(err)
		}
		keys = append(keys, key)
	}
	socket := w.path("agent.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		w.t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = conn.Close() }() // served
				if err := agent.ServeAgent(ring, conn); err != nil && !errors.Is(err, io.EOF) {
					w.t.Log("agent:", err)
				}
			})
		}
	})
	w.t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
	})
	return socket, keys
}

func TestPassphrases(t *testing.T) {
	w := newWorld(t)
	w.authorize(w.newKey("home/.ssh/id", "open sesame"))
	var auth *ssh.AuthError
	for _, c := range []struct {
		name    string
		say     []string
		lets    bool
		asked   int
		message string
	}{
		{"right", []string{"open sesame"}, true, 1, ""},
		{"right at the third time", []string{"a", "b", "open sesame"}, true, 3, ""},
		{"wrong", []string{"a", "b", "c", "d"}, false, 3, "wrong passphrase"},
		{"not told", nil, false, 1, "not answered"},
	} {
		a := &answers{say: c.say}
		opt := w.options()
		opt.Asker = a.asker()
		err := w.try(opt)
		if c.lets != (err == nil) || len(a.asked) != c.asked || err != nil && (!errors.As(err, &auth) || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%s: asked %s, %v", c.name, a.questions(), err)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the error tells a secret: %v", c.name, err)
		}
		for _, q := range a.asked {
			if q.Kind != ssh.Passphrase || q.Key != w.home+"/.ssh/id" || q.Host != "ssh:box" || q.Echo {
				t.Errorf("%s: %+v", c.name, q)
			}
		}
	}
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "nobody can be asked") {
		t.Errorf("nobody there: %v", err)
	}
	// A key that the server does not want is not opened.
	w.authorize()
	a := &answers{say: []string{"open sesame"}}
	opt := w.options()
	opt.Asker = a.asker()
	if err := w.try(opt); err == nil || len(a.asked) > 0 {
		t.Errorf("asked %s, %v", a.questions(), err)
	}
}

// A target that connects again does not ask for the passphrase again.
func TestAnOpenedKeyStaysOpen(t *testing.T) {
	w := newWorld(t)
	w.authorize(w.newKey("home/.ssh/id", "open sesame"))
	a := &answers{say: []string{"open sesame"}}
	opt := w.options()
	opt.Asker = a.asker()
	target, err := ssh.Open(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close() }()
	lost := target.Changed()
	w.sshd.HangUp()
	<-lost
	if err := target.Ready(w.context()); err != nil || len(a.asked) != 1 {
		t.Errorf("%v, asked %s", err, a.questions())
	}
}

func TestAgents(t *testing.T) {
	w := newWorld(t)
	socket, keys := w.agentWith(8)
	w.authorize(keys[7])
	opt := w.options()
	opt.Agent = socket
	// MaxAuthTries of the server is 6: the eighth key is never reached, but the
	// login ends in order and says what to do.
	err := w.try(opt)
	var auth *ssh.AuthError
	if !errors.As(err, &auth) || len(auth.Tried) != 5 || !strings.Contains(err.Error(), "IdentitiesOnly") || !strings.Contains(err.Error(), "key-0") {
		t.Errorf("%v", err)
	}
	// Named by its public half, it is the first.
	w.write("home/.ssh/agent.pub", string(xssh.MarshalAuthorizedKey(keys[7])))
	for _, name := range []string{"agent", "agent.pub"} {
		w.write("config", strings.Replace(w.clientConfig("IdentitiesOnly yes"), w.home+"/.ssh/id", w.home+"/.ssh/"+name, 1))
		if err := w.try(opt); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without the agent the public half is of no use.
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "ssh-add") {
		t.Errorf("no agent: %v", err)
	}
	// IdentitiesOnly keeps the others back.
	w.write("config", w.clientConfig("IdentitiesOnly yes"))
	if err := w.try(opt); !errors.As(err, &auth) || len(auth.Tried) != 1 {
		t.Errorf("identities only: %v", err)
	}
	opt.Agent = w.path("no-agent")
	w.write("config", w.clientConfig())
	if err := w.try(opt); err == nil || !strings.Contains(err.Error(), "the agent") {
		t.Errorf("no such agent: %v", err)
	}
}

func TestKeyFilesThatDoNotServe(t *testing.T) {
	w := newWorld(t)
	key := w.home + "/.ssh/id"
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("open to others: %v", err)
	}
	w.write("home/.ssh/id", "rubbish")
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), key) {
		t.Errorf("rubbish: %v", err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "there is no key to offer") {
		t.Errorf("none: %v", err)
	}
}

func TestUserCertificates(t *testing.T) {
	w := newWorld(t)
	ca := signer(t)
	w.authorize()
	w.write("ca.pub", string(xssh.MarshalAuthorizedKey(ca.PublicKey())))
	w.write("sshd_config", w.read("sshd_config")+"TrustedUserCAKeys "+w.path("ca.pub")+"\n")
	key := w.newKey("home/.ssh/id", "")
	if err := w.try(w.options()); err == nil {
		t.Fatal("let in without a certificate")
	}
	w.certify("home/.ssh/id-cert.pub", ca, key, xssh.UserCert, w.user)
	if err := w.try(w.options()); err != nil {
		t.Errorf("beside the key: %v", err)
	}
	if err := os.Rename(w.path("home/.ssh/id-cert.pub"), w.path("cert")); err != nil {
		t.Fatal(err)
	}
	w.write("config", w.clientConfig("CertificateFile "+w.path("cert")))
	if err := w.try(w.options()); err != nil {
		t.Errorf("named: %v", err)
	}
	socket, keys := w.agentWith(1)
	w.certify("cert", ca, keys[0], xssh.UserCert, w.user)
	opt := w.options()
	opt.Agent = socket
	if err := w.try(opt); err != nil {
		t.Errorf("for the agent's key: %v", err)
	}
}

// server is an ssh server in this process, for logins that need no real one:
// it lets nobody run anything.
func (w *world) server(config *xssh.ServerConfig) {
	w.t.Helper()
	host := signer(w.t)
	config.AddHostKey(host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.port = l.Addr().(*net.TCPAddr).Port
	w.write("known_hosts", w.knownLine(host.PublicKey()))
	w.write("config", w.clientConfig())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = conn.Close() }() // served
				_, chans, reqs, err := xssh.NewServerConn(conn, config)
				if err != nil {
					return
				}
				go xssh.DiscardRequests(reqs)
				for c := range chans {
					_ = c.Reject(xssh.Prohibited, "logged in")
				}
			})
		}
	})
	w.t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
	})
}

// loggedIn reports whether a login on such a server came about.
func loggedIn(err error) bool { return err != nil && strings.Contains(err.Error(), "logged in") }

// rounds asks for two things, then for a third.
func rounds(_ xssh.ConnMetadata, ask xssh.KeyboardInteractiveChallenge) (*xssh.Permissions, error) {
	first, err := ask("", "Two factors", []string{"Password: ", "Colour: "}, []bool{false, true})
	if err != nil {
		return nil, err
	}
	if _, err := ask("", "nothing to ask", nil, nil); err != nil {
		return nil, err
	}
	second, err := ask("", "", []string{"Code: "}, []bool{false})
	if err != nil {
		return nil, err
	}
	if !slices.Equal(first, []string{"pw", "red"}) || !slices.Equal(second, []string{"123"}) {
		return nil, errors.New("wrong")
	}
	return nil, nil
}

func TestKeyboardInteractive(t *testing.T) {
	w := newWorld(t)
	w.server(&xssh.ServerConfig{KeyboardInteractiveCallback: rounds})
	ask := func(say ...string) (*answers, error) {
		a := &answers{say: say}
		opt := w.options()
		opt.Asker = a.asker()
		return a, w.try(opt)
	}
	a, err := ask("pw", "red", "123")
	if want := "3 Password:  try 1 echo false|3 Colour:  try 1 echo true|3 Code:  try 1 echo false"; !loggedIn(err) || a.questions() != want {
		t.Errorf("%v, %s", err, a.questions())
	}
	a, err = ask("pw", "blue", "123", "pw", "red", "123")
	if !loggedIn(err) || !strings.Contains(a.questions(), "try 2") {
		t.Errorf("the second time: %v, %s", err, a.questions())
	}
	a, err = ask("x", "x", "x", "x", "x", "x", "x", "x", "x", "x")
	var auth *ssh.AuthError
	if !errors.As(err, &auth) || len(a.asked) != 9 {
		t.Errorf("wrong: %v, %s", err, a.questions())
	}
	a, err = ask("pw")
	if !errors.As(err, &auth) || len(a.asked) != 2 {
		t.Errorf("given up: %v, %s", err, a.questions())
	}
	if err := w.try(w.options()); !errors.As(err, &auth) || !strings.Contains(err.Error(), "nobody can be asked") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestPasswordIsTheLastResort(t *testing.T) {
	w := newWorld(t)
	var methods []string
	w.server(&xssh.ServerConfig{
		MaxAuthTries: -1,
		PublicKeyCallback: func(xssh.ConnMetadata, xssh.PublicKey) (*xssh.Permissions, error) {
			return nil, errors.New("no")
		},
		KeyboardInteractiveCallback: func(xssh.ConnMetadata, xssh.KeyboardInteractiveChallenge) (*xssh.Permissions, error) {
			return nil, errors.New("no")
		},
		PasswordCallback: func(_ xssh.ConnMetadata, pw []byte) (*xssh.Permissions, error) {
			if string(pw) == "secret" {
				return nil, nil
			}
			return nil, errors.New("no")
		},
	})
	a := &answers{say: []string{"x", "secret"}}
	opt := w.options()
	opt.Asker = a.asker()
	opt.Step = func(s ssh.Step) {
		if s.Stage == ssh.Authenticating {
			method, _, _ := strings.Cut(s.Detail, " ")
			methods = append(methods, method)
		}
	}
	if err := w.try(opt); !loggedIn(err) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	want := "publickey,keyboard-interactive,keyboard-interactive,keyboard-interactive,password,password"
	if got := strings.Join(methods, ","); got != want || a.questions() != "2 Password try 1 echo false|2 Password try 2 echo false" {
		t.Errorf("%s, %s", got, a.questions())
	}
	w.write("config", w.clientConfig("PreferredAuthentications password", "PubkeyAuthentication no"))
	methods = nil
	a.say = []string{"secret"}
	if err := w.try(opt); !loggedIn(err) || strings.Join(methods, ",") != "password" {
		t.Errorf("%v, %s", err, methods)
	}
	w.write("config", w.clientConfig("BatchMode yes"))
	if err := w.try(opt); err == nil || loggedIn(err) {
		t.Errorf("in batch mode: %v", err)
	}
}

// A key and then a code: the server wants both.
func TestTwoMethods(t *testing.T) {
	w := newWorld(t)
	w.server(&xssh.ServerConfig{
		PublicKeyCallback: func(xssh.ConnMetadata, xssh.PublicKey) (*xssh.Permissions, error) {
			return nil, &xssh.PartialSuccessError{Next: xssh.ServerAuthCallbacks{KeyboardInteractiveCallback: rounds}}
		},
	})
	a := &answers{say: []string{"pw", "red", "123"}}
	opt := w.options()
	opt.Asker = a.asker()
	if err := w.try(opt); !loggedIn(err) {
		t.Error(err)
	}
}
