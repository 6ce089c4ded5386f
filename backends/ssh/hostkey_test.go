package ssh_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	xssh "golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends/ssh"
)

// try dials and hangs up.
func (w *world) try(opt ssh.Options) error {
	w.t.Helper()
	c, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		return err
	}
	return c.Close()
}

// signer is a key that certifies.
func signer(t testing.TB) xssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := xssh.NewSignerFromSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// certify writes a certificate for a key.
func (w *world) certify(name string, ca xssh.Signer, key xssh.PublicKey, kind uint32, principals ...string) {
	w.t.Helper()
	cert := &xssh.Certificate{Key: key, CertType: kind, ValidPrincipals: principals, ValidBefore: xssh.CertTimeInfinity, KeyId: name}
	if kind == xssh.UserCert {
		cert.Permissions.Extensions = map[string]string{"permit-pty": ""}
	}
	if err := cert.SignCert(rand.Reader, ca); err != nil {
		w.t.Fatal(err)
	}
	w.write(name, string(xssh.MarshalAuthorizedKey(cert)))
}

func TestUnknownHostKeys(t *testing.T) {
	w := newWorld(t)
	print := xssh.FingerprintSHA256(w.hostKey)
	for _, c := range []struct {
		name   string
		config []string
		answer any // bool, error, or nil for nobody
		lets   bool
		asked  bool
		keeps  string // how the line begins
	}{
		{"yes", nil, true, true, true, fmt.Sprintf("[127.0.0.1]:%d ssh-ed25519 ", w.port)},
		{"yes, hashed", []string{"HashKnownHosts yes"}, true, true, true, "|1|"},
		{"no", nil, false, false, true, ""},
		{"cancelled", nil, errors.New("nobody"), false, true, ""},
		{"nobody there", nil, nil, false, false, ""},
		{"strict", []string{"StrictHostKeyChecking yes"}, true, false, false, ""},
		{"accept-new", []string{"StrictHostKeyChecking accept-new"}, nil, true, false, "["},
		{"off", []string{"StrictHostKeyChecking no"}, nil, true, false, "["},
		{"batch", []string{"BatchMode yes"}, true, false, false, ""},
		{"an alias", []string{"HostKeyAlias somebody"}, true, true, true, "somebody ssh-ed25519 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.write("config", w.clientConfig(c.config...))
			w.write("known_hosts", "# mine\nother ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBTkrdyvvoaBaP+xVgZ9kCkZwnQCjXnWfNHCfZVwZz6n") // no newline at its end
			opt := w.options()
			asked := false
			if c.answer != nil {
				opt.Asker.Confirm = func(_ context.Context, q ssh.HostKeyQuestion) (bool, error) {
					asked = true
					if q.Fingerprint != print || q.KeyType != "ssh-ed25519" || q.File != w.path("known_hosts") || q.Address == "" {
						t.Errorf("%+v", q)
					}
					if err, ok := c.answer.(error); ok {
						return true, err
					}
					return c.answer.(bool), nil
				}
			}
			err := w.try(opt)
			var unknown *ssh.UnknownHostKeyError
			if c.lets != (err == nil) || err != nil && (!errors.As(err, &unknown) || !strings.Contains(err.Error(), print)) {
				t.Errorf("%v", err)
			}
			if asked != c.asked {
				t.Errorf("asked: %v", asked)
			}
			known := w.read("known_hosts")
			_, added, _ := strings.Cut(strings.TrimPrefix(known, "# mine\nother"), "\n")
			if !strings.HasPrefix(added, c.keeps) || c.keeps == "" && added != "" {
				t.Errorf("known hosts: %q", known)
			}
			if c.lets {
				if err := w.try(w.options()); err != nil {
					t.Errorf("the second time: %v", err)
				}
			}
		})
	}
}

func TestChangedAndRevokedHostKeys(t *testing.T) {
	w := newWorld(t)
	other := w.newKey("other", "")
	yes := w.options()
	yes.Asker.Confirm = func(context.Context, ssh.HostKeyQuestion) (bool, error) {
		t.Error("there is nothing to ask")
		return true, nil
	}
	shown, known := xssh.FingerprintSHA256(w.hostKey), xssh.FingerprintSHA256(other)
	var (
		changed *ssh.ChangedHostKeyError
		revoked *ssh.RevokedHostKeyError
	)
	for _, strict := range []string{"ask", "no", "accept-new", "yes"} {
		w.write("config", w.clientConfig("StrictHostKeyChecking "+strict))
		w.write("known_hosts", "\n"+w.knownLine(other))
		err := w.try(yes)
		if !errors.As(err, &changed) || changed.Known[0].Line != 2 || changed.Known[0].File != w.path("known_hosts") {
			t.Errorf("changed, %s: %v", strict, err)
		}
		if err != nil && (!strings.Contains(err.Error(), shown) || !strings.Contains(err.Error(), known) || !strings.Contains(err.Error(), "ssh-keygen -R")) {
			t.Errorf("changed, %s: %v", strict, err)
		}
		w.write("known_hosts", w.knownLine(w.hostKey)+"@revoked * "+string(xssh.MarshalAuthorizedKey(w.hostKey)))
		if err := w.try(yes); !errors.As(err, &revoked) || !strings.Contains(err.Error(), shown) {
			t.Errorf("revoked, %s: %v", strict, err)
		}
	}
	w.write("known_hosts", w.knownLine(w.hostKey))
	w.write("config", w.clientConfig("RevokedHostKeys "+w.path("revoked")))
	w.write("revoked", string(xssh.MarshalAuthorizedKey(other)))
	if err := w.try(yes); err != nil {
		t.Error(err)
	}
	w.write("revoked", "# these\n"+string(xssh.MarshalAuthorizedKey(w.hostKey)))
	if err := w.try(yes); !errors.As(err, &revoked) {
		t.Errorf("revoked by a file: %v", err)
	}
	w.write("revoked", "SSHKRL\n\x00")
	var stock *ssh.StockError
	if err := w.try(yes); !errors.As(err, &stock) {
		t.Errorf("a KRL: %v", err)
	}
}

// A host with keys of several kinds, of which one is known, is asked for that
// one.
func TestTheKnownKindOfKeyIsAskedFor(t *testing.T) {
	w := newWorld(t)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := xssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	w.write("second", string(pem.EncodeToMemory(block)))
	w.write("sshd_config", "HostKey "+w.path("second")+"\n"+w.read("sshd_config"))
	second, err := xssh.NewPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []xssh.PublicKey{w.hostKey, second} {
		w.write("known_hosts", w.knownLine(key))
		if err := w.try(w.options()); err != nil {
			t.Errorf("%s: %v", key.Type(), err)
		}
	}
}

func TestHostCertificates(t *testing.T) {
	w := newWorld(t)
	ca := signer(t)
	w.certify("hostkey-cert.pub", ca, w.hostKey, xssh.HostCert, "127.0.0.1", "box")
	w.write("sshd_config", w.read("sshd_config")+"HostCertificate "+w.path("hostkey-cert.pub")+"\n")
	w.write("known_hosts", "@cert-authority [127.0.0.1]:* "+string(xssh.MarshalAuthorizedKey(ca.PublicKey())))
	if err := w.try(w.options()); err != nil {
		t.Errorf("an authority that is known: %v", err)
	}
	w.write("known_hosts", w.knownLine(w.hostKey))
	if err := w.try(w.options()); err != nil {
		t.Errorf("the plain key is known: %v", err)
	}
	w.write("known_hosts", "@cert-authority [127.0.0.1]:* "+string(xssh.MarshalAuthorizedKey(signer(t).PublicKey())))
	if err := w.try(w.options()); err == nil {
		t.Error("another authority let it in")
	}
	// Where no authority is known, the key below the certificate is learnt.
	w.write("known_hosts", "")
	w.write("config", w.clientConfig("StrictHostKeyChecking accept-new"))
	if err := w.try(w.options()); err != nil || w.read("known_hosts") != w.knownLine(w.hostKey) {
		t.Errorf("no authority: %v, %q", err, w.read("known_hosts"))
	}
}

// Lines that ssh skips do not lock the operator out, and a line that revokes is
// never skipped.
func TestBadLinesOfKnownHosts(t *testing.T) {
	w := newWorld(t)
	w.write("known_hosts", "old 1024 35 1234567\nrubbish\n"+w.knownLine(w.hostKey))
	if err := w.try(w.options()); err != nil {
		t.Error(err)
	}
	w.write("known_hosts", "old 1024 35 1234567\n"+w.knownLine(w.newKey("other", "")))
	var changed *ssh.ChangedHostKeyError
	if err := w.try(w.options()); !errors.As(err, &changed) || changed.Known[0].Line != 2 || changed.Known[0].File != w.path("known_hosts") {
		t.Errorf("%v", err)
	}
	w.write("known_hosts", w.knownLine(w.hostKey)+"@revoked * rubbish\n")
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "known_hosts:2") {
		t.Errorf("%v", err)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "nod-known-hosts-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Two that learn keys at the same time do not lose each other's.
func TestKnownHostsAreSharedSafely(t *testing.T) {
	w := newWorld(t)
	w.write("known_hosts", "")
	var wg sync.WaitGroup
	for i := range 5 {
		name := fmt.Sprintf("alias-%d", i)
		config := w.write("config-"+name, w.clientConfig("HostKeyAlias "+name))
		opt := w.options()
		opt.Config = config
		opt.Asker.Confirm = func(context.Context, ssh.HostKeyQuestion) (bool, error) { return true, nil }
		wg.Go(func() {
			if err := w.try(opt); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(w.read("known_hosts"), "\n"); got != 5 {
		t.Errorf("%d lines: %s", got, w.read("known_hosts"))
	}
}

// The clock stands still while the operator thinks.
func TestAQuestionHasTime(t *testing.T) {
	w := newWorld(t)
	w.write("known_hosts", "")
	w.write("config", w.clientConfig("ConnectTimeout 1"))
	opt := w.options()
	opt.Asker.Confirm = func(context.Context, ssh.HostKeyQuestion) (bool, error) {
		time.Sleep(1500 * time.Millisecond) // longer than the limit, which is whole seconds
		return true, nil
	}
	if err := w.try(opt); err != nil {
		t.Error(err)
	}
}

// A connection that exchanges its keys anew asks nothing again.
func TestNewKeysAskNothing(t *testing.T) {
	w := newWorld(t, "RekeyLimit 1M")
	w.write("config", strings.Replace(w.clientConfig(), "UserKnownHostsFile "+w.path("known_hosts"), "UserKnownHostsFile none", 1))
	opt := w.options()
	asked := 0
	opt.Asker.Confirm = func(context.Context, ssh.HostKeyQuestion) (bool, error) {
		asked++
		return true, nil
	}
	c := w.dial(opt)
	if o, out, _ := run(t, c, "head", "-c", "8000000", "/dev/zero"); !o.OK() || len(out) != 8_000_000 || asked != 1 {
		t.Errorf("%s, %d bytes, asked %d times", o, len(out), asked)
	}
}
