package ssh_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	xssh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/nod-console/nod/backends/ssh"
)

// notes collects what a login tells the operator.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) step(s ssh.Step) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.Stage == ssh.Noted {
		n.all = append(n.all, s.Detail)
	}
}

func (n *notes) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.all, "\n")
}

// A known_hosts file is appended to: it stays the same file, whatever else it
// holds and however it ends.
func TestKnownHostsAreAppendedTo(t *testing.T) {
	w := newWorld(t)
	const before = "# mine\nelsewhere ssh-ed25519 AAAA" // no end of line
	file := w.write("known_hosts", before)
	was, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	w.write("config", w.clientConfig("StrictHostKeyChecking accept-new"))
	if err := w.try(w.options()); err != nil {
		t.Fatal(err)
	}
	now, err := os.Stat(file)
	if err != nil || !os.SameFile(was, now) {
		t.Errorf("it was replaced: %v", err)
	}
	if got := w.read("known_hosts"); got != before+"\n"+w.knownLine(w.hostKey) {
		t.Errorf("%q", got)
	}
}

// What is no regular file is never touched, and the login works: as with
// UserKnownHostsFile /dev/null, for which a fifo stands here.
func TestKnownHostsThatAreNoFile(t *testing.T) {
	w := newWorld(t)
	fifo := w.path("fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, strict := range []string{"no", "accept-new", "ask"} {
		w.write("config", "Host box\n  UserKnownHostsFile "+fifo+"\n"+w.clientConfig("StrictHostKeyChecking "+strict))
		opt := w.options()
		opt.Asker.Confirm = func(context.Context, ssh.HostKeyQuestion) (bool, error) { return true, nil }
		if err := w.try(opt); err != nil {
			t.Errorf("%s: %v", strict, err)
		}
		if info, err := os.Lstat(fifo); err != nil || info.Mode().Type() != os.ModeNamedPipe {
			t.Fatalf("%s: it is %v, %v", strict, info.Mode(), err)
		}
	}
}

// A key that cannot be kept, and a file that cannot be read, are told and do not
// end the login.
func TestKnownHostsThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.write("in-the-way", "")
	w.write("config", "Host box\n  UserKnownHostsFile "+w.path("in-the-way/known")+"\n"+w.clientConfig("StrictHostKeyChecking accept-new"))
	told := &notes{}
	opt := w.options()
	opt.Step = told.step
	if err := w.try(opt); err != nil || !strings.Contains(told.text(), "could not be kept") {
		t.Errorf("%v, told %q", err, told.text())
	}
}

// keyWith writes a private key of the operator's and lets it in alone.
func (w *world) keyWith(private any) {
	w.t.Helper()
	block, err := xssh.MarshalPrivateKey(private, "")
	if err != nil {
		w.t.Fatal(err)
	}
	w.write("home/.ssh/id", string(pem.EncodeToMemory(block)))
	s, err := xssh.NewSignerFromKey(private)
	if err != nil {
		w.t.Fatal(err)
	}
	w.authorize(s.PublicKey())
}

// Keys sign as the configuration allows it, and as the server does.
func TestSignaturesAreAsConfigured(t *testing.T) {
	w := newWorld(t, "PubkeyAcceptedAlgorithms rsa-sha2-512,ecdsa-sha2-nistp256")
	short, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	w.keyWith(short)
	if err := w.try(w.options()); err != nil {
		t.Errorf("a server that takes rsa-sha2-512 alone: %v", err)
	}
	for option, says := range map[string]string{
		"RequiredRSASize 3072":                         "RequiredRSASize",
		"PubkeyAcceptedAlgorithms ecdsa-sha2-nistp256": "PubkeyAcceptedAlgorithms",
		"PubkeyAcceptedAlgorithms rsa-sha2-256":        "does not let",
	} {
		w.write("config", w.clientConfig(option))
		var auth *ssh.AuthError
		if err := w.try(w.options()); !errors.As(err, &auth) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", option, err)
		}
	}
}

// A host certificate counts only with a signature that CASignatureAlgorithms
// allows.
func TestAuthoritiesSignAsConfigured(t *testing.T) {
	w := newWorld(t)
	ca := signer(t)
	w.certify("hostkey-cert.pub", ca, w.hostKey, xssh.HostCert, "127.0.0.1")
	w.write("sshd_config", w.read("sshd_config")+"HostCertificate "+w.path("hostkey-cert.pub")+"\n")
	w.write("known_hosts", "@cert-authority * "+string(xssh.MarshalAuthorizedKey(ca.PublicKey())))
	if err := w.try(w.options()); err != nil {
		t.Fatal(err)
	}
	w.write("config", w.clientConfig("CASignatureAlgorithms rsa-sha2-512"))
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "CASignatureAlgorithms") {
		t.Error(err)
	}
}

// Where the operator trusts this machine, its key is not looked at.
func TestLocalhostMayBeTrusted(t *testing.T) {
	w := newWorld(t)
	w.write("known_hosts", "")
	w.write("config", w.clientConfig("StrictHostKeyChecking yes", "NoHostAuthenticationForLocalhost yes"))
	if err := w.try(w.options()); err != nil {
		t.Error(err)
	}
}

// The public half of a key names the agent's, whatever its mode is.
func TestAPublicFileNamesTheAgentsKey(t *testing.T) {
	w := newWorld(t)
	socket, keys := w.agentWith(3)
	w.authorize(keys[2])
	file := w.write("third.pub", string(xssh.MarshalAuthorizedKey(keys[2])))
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	w.write("config", "Host box\n  IdentitiesOnly yes\n  IdentityFile "+file+"\n"+w.clientConfig())
	opt := w.options()
	opt.Agent = socket
	if err := w.try(opt); err != nil {
		t.Error(err)
	}
}

// AddKeysToAgent gives the agent the key that let the operator in.
func TestKeysAreAddedToTheAgent(t *testing.T) {
	w := newWorld(t)
	socket, _ := w.agentWith(0)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.keyWith(private)
	opt := w.options()
	opt.Agent = socket
	for option, want := range map[string]int{"no": 0, "yes": 1} {
		w.write("config", w.clientConfig("AddKeysToAgent "+option))
		if err := w.try(opt); err != nil {
			t.Fatal(err)
		}
		if got := keysOf(t, socket); want > got || option == "no" && got > 1 {
			t.Errorf("%s: the agent holds %d", option, got)
		}
	}
}

func keysOf(t *testing.T, socket string) int {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // only asked
	list, err := agent.NewClient(conn).List()
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// What the configuration asks for besides the login is said if it is not done,
// and a server's banner is shown.
func TestWhatIsNotDoneIsSaid(t *testing.T) {
	w := newWorld(t)
	w.write("banner", "AUTHORIZED USE\nONLY\n")
	w.write("sshd_config", "Banner "+w.path("banner")+"\n"+w.read("sshd_config"))
	w.write("config", w.clientConfig("LocalForward 1 box:2", "DynamicForward 3", "ForwardAgent yes", "ForwardX11 yes",
		"PermitLocalCommand yes", "LocalCommand echo %n >"+w.path("local")))
	told := &notes{}
	opt := w.options()
	opt.Step = told.step
	if err := w.try(opt); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"LocalForward", "DynamicForward", "ForwardAgent", "ForwardX11", "AUTHORIZED USE\nONLY"} {
		if !strings.Contains(told.text(), want) {
			t.Errorf("nothing of %s: %s", want, told.text())
		}
	}
	if got := w.read("local"); got != "box\n" {
		t.Errorf("LocalCommand wrote %q", got)
	}
}

// Hops are written as ssh prints them, with addresses in brackets.
func TestHopsInBrackets(t *testing.T) {
	for hop, want := range map[string]ssh.Host{
		"a@[127.0.0.1]:23022":     {Name: "127.0.0.1", User: "a", Port: 23022},
		"[::1]:22":                {Name: "::1", Port: 22},
		"::1":                     {Name: "::1"},
		"j":                       {Name: "j"},
		"a@b@j:2":                 {Name: "j", User: "a@b", Port: 2},
		"ssh://a%40b@[127.0.0.2]": {Name: "127.0.0.2", User: "a@b"},
	} {
		if got, err := ssh.ParseHop(hop); err != nil || got != want {
			t.Errorf("%s: %+v, %v", hop, got, err)
		}
	}
	for _, hop := range []string{"", "a@", "[::1]:x", "-oProxyCommand=x"} {
		if got, err := ssh.ParseHop(hop); err == nil {
			t.Errorf("%s: %+v", hop, got)
		}
	}
}
