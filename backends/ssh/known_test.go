package ssh_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nod-console/nod/backends/ssh"
)

// An address is said only where no pattern, condition or other file can mean another one.
func TestTheAddressesThatSSHConfigSaysPlainly(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":              {"Host a b\n HostName 10.0.0.1\n", "10.0.0.1"},
		"quoted":             {"host=a\nhostname=\"10.0.0.2\"\n", "10.0.0.2"},
		"the first counts":   {"Host a\nHostName x\nHost a\nHostName y\n", "x"},
		"none":               {"Host a\nUser u\n", ""},
		"a token":            {"Host a\nHostName %h.example\n", ""},
		"a pattern before":   {"Host *\nHostName x\nHost a\nHostName y\n", ""},
		"a pattern behind":   {"Host a\nHostName y\nHost *\nHostName x\n", "y"},
		"a pattern beside":   {"Host a !b\nHostName y\n", ""},
		"everywhere":         {"HostName x\nHost a\nHostName y\n", ""},
		"a condition before": {"Match exec true\nHostName x\nHost a\nHostName y\n", ""},
		"a file":             {"Include more\n", "z"},
		"a file for some":    {"Host *.example\nInclude more\n", ""},
		"a file for one":     {"Host other\nInclude more\n", ""},
	} {
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"config": c.text, "more": "Host a\nHostName z\n"} {
			if err := os.WriteFile(filepath.Join(home, ".ssh", file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		all, err := ssh.Known(ssh.Options{Home: home, Config: filepath.Join(home, ".ssh/config")})
		got := "not there"
		for _, k := range all {
			if k.Name == "a" {
				got = k.HostName
			}
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, want %q (%v)", name, got, c.want, err)
		}
	}
}
