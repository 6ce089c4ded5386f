package ssh_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nod-console/nod/backends/ssh"
)

func TestTheNamesOfSSHConfig(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".ssh/more"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".ssh/config":     "Include more/*\nHost web-1 web-2 *.example !x\n\tUser a\nhost=db-1\nMatch host web-1 exec \"true\"\n  Port 7\nHost *\n",
		".ssh/more/one":   "HOST \"app 1\" app-2\nInclude " + home + "/.ssh/more/one.d/none\n",
		".ssh/loop":       "Include loop\n",
		".ssh/more/two~x": "Host web-1\n",
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := ssh.Names(ssh.Options{Home: home})
	want := []string{"app 1", "app-2", "db-1", "web-1", "web-2"}
	if err != nil || !slices.Equal(slices.DeleteFunc(names, func(s string) bool { return !slices.Contains(want, s) }), want) {
		t.Errorf("%q, %v", names, err)
	}
	if names, err := ssh.Names(ssh.Options{Home: home, Config: filepath.Join(home, "none")}); err != nil || len(names) != 0 {
		t.Errorf("no file: %q, %v", names, err)
	}
	if _, err := ssh.Names(ssh.Options{Home: home, Config: filepath.Join(home, ".ssh/loop")}); err == nil {
		t.Error("a loop of files was not noticed")
	}
}
