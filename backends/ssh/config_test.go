package ssh_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nod-console/nod/backends/ssh"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]ssh.Host{
		"ssh:web-1":               {Name: "web-1"},
		"web-1":                   {Name: "web-1"},
		"ssh:root@web-1":          {Name: "web-1", User: "root"},
		"a@b@web-1":               {Name: "web-1", User: "a@b"},
		"ssh://web-1":             {Name: "web-1"},
		"ssh://root@web-1:2222":   {Name: "web-1", User: "root", Port: 2222},
		"ssh://web-1:22/":         {Name: "web-1", Port: 22},
		"ssh://[::1]:2222":        {Name: "::1", Port: 2222},
		"ssh:::1":                 {Name: "::1"},
		"ssh:10.0.0.1":            {Name: "10.0.0.1"},
		"ssh://a%20b@web_1.lan:9": {Name: "web_1.lan", User: "a b", Port: 9},
	} {
		got, err := ssh.Parse(name)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
			continue
		}
		if again, err := ssh.Parse(got.String()); err != nil || again != got {
			t.Errorf("%q: its name %q is %+v, %v", name, got, again, err)
		}
	}
	for name, says := range map[string]string{
		"":                       "no host",
		"ssh:":                   "no host",
		"ssh://":                 "no host",
		"ssh://:22":              "no host",
		"-oProxyCommand=x":       "'-'",
		"ssh:-oProxyCommand=x":   "'-'",
		"ssh://-oProxyCommand=x": "'-'",
		"-l@web":                 "'-'",
		"@web":                   "no user",
		"ssh://web:0":            "port",
		"ssh://web:65536":        "port",
		"ssh://web:http":         "USER@HOST:PORT",
		"ssh://root:secret@web":  "password",
		"ssh://web/etc":          "more than",
		"ssh://web?x":            "more than",
		"web;id":                 "';'",
		"$(id)":                  "'$'",
		"we b":                   "' '",
		"web\n":                  `'\n'`,
		"a`b@web":                "'`'",
		`a\@web`:                 "backslash",
		"ssh://web:22:22":        "':'",
		"web:22":                 "ssh://HOST:PORT",
	} {
		if h, err := ssh.Parse(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v", name, h, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells a secret: %v", err)
		}
	}
}

// bare is a world without an sshd.
func bare(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), user: "me"}
	w.home = w.path("home")
	for _, d := range []string{w.home, w.home + "/.ssh"} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

const sample = `
Include %s/more
Host web*,!web-9 web-* !web-9
  HostName %%h.example.org
  User deploy
  Port=2222
  IdentityFile ~/.ssh/k_%%r_%%h
  IdentityFile "%%d/with blank"
  CertificateFile ~/.ssh/c-%%n
  HostKeyAlias alias
  IdentitiesOnly yes
  SetEnv A=1 "B=x y"
  SendEnv LC_* LANG
  ConnectTimeout 7
  NumberOfPasswordPrompts 2
  HashKnownHosts yes
  StrictHostKeyChecking accept-new
  UserKnownHostsFile %s/kh1 %s/kh2
  ProxyCommand nc -x %%r %%h %%p %%%%
Host *
  User nobody
  Port 1
Match all
  PreferredAuthentications password,publickey
  GlobalKnownHostsFile /dev/null
  UserKnownHostsFile %s/usual
`

// Without an ssh the plain options mean the same as with one.
func TestWithoutSSHTheConfigurationMeansTheSame(t *testing.T) {
	need(t, "ssh")
	w := bare(t)
	w.write("more", "Host web-2\n  User included\nHost nothing\n  User wrong\n")
	w.write("config", strings.ReplaceAll(strings.ReplaceAll(sample, "%s", w.dir), "%%", "%"))
	for _, name := range []string{"web-1", "web-2", "web-9", "elsewhere", "ssh://x@web-1:99"} {
		h, err := ssh.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		opt := ssh.Options{Config: w.path("config"), Home: w.home, User: w.user, Agent: w.path("agent")}
		with, err := ssh.Resolve(w.context(), h, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.SSH = w.path("no-ssh")
		without, err := ssh.Resolve(w.context(), h, opt)
		if err != nil {
			t.Fatal(err)
		}
		with.Offers, without.Offers = nil, nil // known of an ssh alone
		if diff := cmp.Diff(with, without); diff != "" {
			t.Errorf("%s: with ssh (-) and without (+):\n%s", name, diff)
		}
	}
	got, err := ssh.Resolve(w.context(), ssh.Host{Name: "web-1"}, ssh.Options{Config: w.path("config"), Home: w.home, User: w.user, Agent: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.HostKeyAlgorithms) == 0 || len(got.PubkeyAlgorithms) == 0 || len(got.CASignatureAlgorithms) == 0 || len(got.Offers) == 0 {
		t.Errorf("without algorithms: %+v", got)
	}
	got.HostKeyAlgorithms, got.PubkeyAlgorithms, got.CASignatureAlgorithms, got.Offers = nil, nil, nil, nil
	want := ssh.Settings{
		TCPKeepAlive: true, RequiredRSASize: 1024,
		Host: ssh.Host{Name: "web-1"}, HostName: "web-1.example.org", Port: 2222, User: "deploy",
		HostKeyAlias: "alias", KnownHosts: []string{w.path("kh1"), w.path("kh2")}, GlobalKnownHosts: []string{"/dev/null"},
		StrictHostKeys: "accept-new", HashKnownHosts: true,
		IdentityFiles:    []string{w.home + "/.ssh/k_deploy_web-1.example.org", w.home + "/with blank"},
		CertificateFiles: []string{w.home + "/.ssh/c-web-1"}, IdentitiesOnly: true,
		Methods: []string{"password", "publickey"}, PasswordPrompts: 2,
		ProxyCommand: "nc -x deploy web-1.example.org 2222 %", ConnectTimeout: 7 * time.Second, Tries: 1,
		SetEnv: []string{"A=1", "B=x y"}, SendEnv: []string{"LC_*", "LANG"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigurationsThatAreWrong(t *testing.T) {
	need(t, "ssh")
	w := bare(t)
	for name, c := range map[string]struct {
		config, says string
		noSSH        bool
	}{
		"an unknown option":    {"Host *\n  Bogus x\n", "line 2", false},
		"a bad port":           {"Host *\n  Port x\n", "line 2", false},
		"Match without an ssh": {"Match exec true\n  Port 2\n", ":1: ", true},
		"a line without value": {"Host *\n  Port\n", ":2: ", true},
		"includes itself":      {"Include " + "CONFIG\n", "include each other", true},
	} {
		opt := ssh.Options{Config: w.write("config", strings.Replace(c.config, "CONFIG", w.path("config"), 1)), Home: w.home}
		if c.noSSH {
			opt.SSH = w.path("no-ssh")
		}
		_, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, opt)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "ssh_config") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, ssh.Options{Config: w.path("none"), Home: w.home})
	if err == nil || !strings.Contains(err.Error(), w.path("none")) {
		t.Errorf("no file: %v", err)
	}
	if _, err := ssh.Dial(w.context(), ssh.Host{Name: "-oProxyCommand=touch " + w.path("ran")}, ssh.Options{}); err == nil {
		t.Error("an option was taken for a host")
	}
}

// What only the system's ssh can do is known before anything is connected to, and
// called by the option's name.
func TestOptionsThatAreLeftToTheSystemsSSH(t *testing.T) {
	need(t, "ssh")
	w := bare(t)
	krl := w.write("krl", "SSHKRL\n\x00")
	for _, option := range []string{
		"PKCS11Provider /lib/x.so", "KnownHostsCommand /bin/true", "CheckHostIP yes", "KbdInteractiveDevices pam",
		"SecurityKeyProvider /lib/x.so", "RekeyLimit 1G 1h", "RevokedHostKeys " + krl, "MACs umac-64@openssh.com",
		"KexAlgorithms sntrup761x25519-sha512@openssh.com", "ProxyUseFdpass yes\n  ProxyCommand x",
	} {
		_, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, ssh.Options{Config: w.write("config", "Host *\n  "+option+"\n"), Home: w.home})
		var stock *ssh.StockError
		keyword, _, _ := strings.Cut(option, " ")
		if !errors.As(err, &stock) || stock.Keyword != keyword {
			t.Errorf("%s: %v", option, err)
		}
	}
}

// Algorithms that the operator names are the ones that are used.
func TestAlgorithmsAreHeld(t *testing.T) {
	w := newWorld(t, "Ciphers aes128-ctr", "KexAlgorithms curve25519-sha256", "MACs hmac-sha2-256")
	if err := w.try(w.options()); err != nil {
		t.Error(err)
	}
	w.write("config", w.clientConfig("Ciphers aes256-ctr"))
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "no common algorithm") {
		t.Error(err)
	}
	w.write("config", w.clientConfig("Ciphers aes128-ctr", "MACs umac-64@openssh.com"))
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "it has none") {
		t.Error(err)
	}
}
