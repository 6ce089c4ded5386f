package jsagent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes an agent's folder.
func folder(t *testing.T, name, manifest string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{ManifestName: manifest, "main.js": "set_system_prompt('x')"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestManifest(t *testing.T) {
	t.Parallel()
	a, err := Read(folder(t, "a", "name: a\nversion: 1.0.0\ndescription: d\nskills: [nginx]\nmodel: http://127.0.0.1:1/v1\npermissions:\n  network: [\"*.example.com\"]\n  filesystem: [., ~/notes, /srv]\n  shell: true\n"))
	if err != nil || a.Mode != Agentic || a.EntryPoint != "main.js" || a.MaxTurns != DefaultTurns || !a.Permissions.Shell || len(a.Permissions.Filesystem) != 3 || a.Digest == "" {
		t.Errorf("%+v %v", a, err)
	}
	for text, says := range map[string]string{
		"name: a\ndescription: d\nmax_turn: 3\n":                              `agent.yaml: line 3: there is no field "max_turn"; there are name, version`,
		"name: a\ndescription: d\npermissions:\n  shel: true\n":               `line 4: there is no field "shel"; permissions has network`,
		"name: a\ndescription: d\nmax_turns: many\n":                          "line 3: cannot unmarshal !!str `many` into int",
		"name: a\ndescription: d\npermissions: all\n":                         "line 3: cannot unmarshal",
		"name: a\ndescription: d\nname: b\n":                                  "already defined",
		"name: a\ndescription: [\n":                                           "line",
		"":                                                                    "it is empty",
		"name: A\ndescription: d\n":                                           `name is "A"`,
		"name: a\n":                                                           "description is missing",
		"name: a\ndescription: d\nmode: auto\n":                               `mode is "auto", want script or agentic`,
		"name: a\ndescription: d\nmax_turns: 1000\n":                          "max_turns is 1000, want 1 to 100",
		"name: a\ndescription: d\nentry_point: ../x.js\n":                     `entry_point is "../x.js", and there is no such file`,
		"name: a\ndescription: d\nentry_point: agent.yaml\n":                  "want a .js file",
		"name: a\ndescription: d\npermissions: {filesystem: [../x]}\n":        `"../x" is not absolute and clean`,
		"name: a\ndescription: d\npermissions: {network: [\"http://a/b\"]}\n": "is no host's name",
	} {
		if _, err := Read(folder(t, "a", text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	s := Store{Dir: filepath.Join(t.TempDir(), "agents")}
	if all, err := s.All(); err != nil || all != nil {
		t.Error(all, err)
	}
	a, err := Read(folder(t, "a", "name: a\ndescription: d\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(a); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find("a"); err != nil || got.Digest != a.Digest || got.Dir != filepath.Join(s.Dir, "a") {
		t.Error(got, err)
	}
	if _, err := s.Find("b"); err == nil || !strings.Contains(err.Error(), "there is no agent \"b\"") {
		t.Error(err)
	}
	if err := s.Remove("../a"); err == nil || !strings.Contains(err.Error(), `there is no agent "../a"`) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "a", "new.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find("a"); err == nil || !strings.Contains(err.Error(), "it was changed since it was accepted") {
		t.Error(err)
	}
	if err := s.Remove("a"); err != nil {
		t.Error(err)
	}
	if all, err := s.All(); err != nil || all != nil {
		t.Error(all, err)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	if err := os.Symlink(real, filepath.Join(real, "self")); err != nil {
		t.Fatal(err)
	}
	w := place{dir: real, home: "/home/x"}
	for name, ok := range map[string]bool{
		".": true, "a/b": true, "~/notes/a": true, "~/other": false, "~/notesx": false, "..": false, "../x": false, "a/../..": false,
		"self/a": true, "/srv": false, "/srv/a": true, "/srv/ab": false,
	} {
		p := Permissions{Filesystem: []string{".", "~/notes", "/srv/a"}}
		if err := p.path(w, w.abs(name)); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	for host, ok := range map[string]bool{"example.com": true, "EXAMPLE.com": true, "a.example.org": true, "example.org": false, "badexample.com": false} {
		p := Permissions{Network: []string{"example.com", "*.example.org"}}
		if err := p.host(host); (err == nil) != ok {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := (Permissions{Network: []string{"*"}}).host("any"); err != nil {
		t.Error(err)
	}
}
