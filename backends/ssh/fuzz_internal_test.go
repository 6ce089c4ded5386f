package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse: a name that is taken has one canonical form, which means the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"ssh:web-1", "ssh:a@b", "ssh://a@[::1]:22", "ssh://a@b:2222", "ssh:", "ssh://:1", "a@b", "ssh:-oProxyCommand=x", "ssh:a b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		h, err := Parse(name)
		if err != nil {
			return
		}
		again, err := Parse(h.String())
		if err != nil || again != h {
			t.Fatalf("%q is %+v, whose name %q is %+v, %v", name, h, h.String(), again, err)
		}
		if strings.HasPrefix(h.Name, "-") || strings.HasPrefix(h.User, "-") {
			t.Fatalf("%q is an option of ssh: %+v", name, h)
		}
	})
}

// FuzzConfigFile: whatever is in ssh_config, the plain reader and the list of
// names come to an end.
func FuzzConfigFile(f *testing.F) {
	for _, s := range []string{
		"Host a b !c\n  Port 22\n", "Match all\nUser x\n", "Include config\n", "Host \"a b\n", "Host=*\nIdentityFile ~/%h\n", "Include *\nHost ?\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		opt := Options{Config: file, Home: filepath.Dir(file), User: "me"}
		_, _ = readConfig(Host{Name: "a"}, opt) // any error will do
		names, _ := Names(opt)
		for _, n := range names {
			if h, err := Parse("ssh:" + n); err == nil && h.Name == "" {
				t.Fatalf("a name %q without a host", n)
			}
		}
	})
}

// FuzzExpand: tokens and quotes in what ssh -G prints.
func FuzzExpand(f *testing.F) {
	f.Add("identityfile ~/.ssh/%h-%r-%%\nuserknownhostsfile \"a b\" c\nsendenv LC_*\n")
	f.Add("port x\nproxyjump a,b\ncontrolpath ${HOME}/%C\n")
	f.Fuzz(func(_ *testing.T, text string) {
		e := expander{getenv: os.Getenv}
		for _, values := range parseDump(text) {
			_ = e.paths(values)
			_ = e.fileLists(values)
			for _, v := range values {
				_, _, _ = e.tokens(v), e.environment(v), words(v)
			}
		}
	})
}
