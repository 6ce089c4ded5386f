package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a plugin's folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const manifest = "name = \"tickets\"\ndescription = \"tickets\"\n"

// A plugin is loaded as it was installed, or not at all.
func TestAPluginIsPinned(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "plugins")}
	fault := func() string {
		t.Helper()
		all, err := s.All()
		if err != nil || len(all) != 1 || all[0].Name != "tickets" {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0].Fault
	}
	for _, code := range []string{"-- one", "-- two"} { // the second in place of the first
		p, err := Read(write(t, map[string]string{ManifestName: manifest, "main.lua": code, "lib/more.lua": "", ".git/config": "x"}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Install(p); err != nil {
			t.Fatal(err)
		}
		if why := fault(); why != "" {
			t.Error(why)
		}
		if all, _ := s.All(); all[0].Files["main.lua"] != code || len(all[0].Files) != 3 {
			t.Errorf("%+v", all[0].Files)
		}
	}
	for name, change := range map[string]func(at string) error{
		"other code":  func(at string) error { return os.WriteFile(filepath.Join(at, "main.lua"), []byte("-- three"), 0o600) },
		"a file more": func(at string) error { return os.WriteFile(filepath.Join(at, "more.lua"), nil, 0o600) },
		"a file less": func(at string) error { return os.Remove(filepath.Join(at, "lib", "more.lua")) },
		"more permissions": func(at string) error {
			return os.WriteFile(filepath.Join(at, ManifestName), []byte(manifest+"[permissions]\ntools = [\"run_shell\"]\n"), 0o600)
		},
	} {
		p, err := Read(write(t, map[string]string{ManifestName: manifest, "main.lua": "-- one", "lib/more.lua": ""}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Install(p); err != nil {
			t.Fatal(err)
		}
		if err := change(filepath.Join(s.Dir, "tickets")); err != nil {
			t.Fatal(err)
		}
		if why := fault(); !strings.Contains(why, "was changed") {
			t.Errorf("%s: %q", name, why)
		}
	}
	for _, name := range []string{"other", "../plugins", ".", "", "accepted.json"} {
		if err := s.Remove(name); err == nil || !strings.Contains(err.Error(), "no plugin") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := s.Remove("tickets"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(s.Dir)
	if err != nil || len(left) != 1 || left[0].Name() != pinsName {
		t.Errorf("%v, %v", left, err)
	}
}

// What is wrong with a manifest is said with its name or its line.
func TestManifests(t *testing.T) {
	for text, says := range map[string]string{
		"name = \"a\"\ndescription = \"d\"\nauthor = \"x\"\n": `line 3: there is no setting "author"`,
		"name = 7\n": "line 1",
		"name = \"Tickets\"\ndescription = \"d\"\n": `name is "Tickets"`,
		"name = \"a\"\n":                                                       "description is missing",
		manifest + "entry = \"other.lua\"\n":                                   `"other.lua"`,
		manifest + "[permissions]\ntools = [\"send-keys\"]\n":                  `cannot ask for "send-keys"`,
		manifest + "[permissions]\npaths = [\"../etc\"]\n":                     `"../etc" is not absolute`,
		manifest + "[permissions]\ntools = [\"run_shell\"]\nallow = [\"*\"]\n": "permissions.allow",
	} {
		if _, err := Read(write(t, map[string]string{ManifestName: text, "main.lua": ""})); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read("nowhere"); err == nil || !strings.Contains(err.Error(), `"nowhere" is no folder`) {
		t.Error(err)
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no plugin.toml") {
		t.Error(err)
	}
	if _, err := Read(write(t, map[string]string{ManifestName: manifest, "main.lua": strings.Repeat("-", MaxBytes)})); err == nil || !strings.Contains(err.Error(), "1024 KiB") {
		t.Error(err)
	}
}
