package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/cmd/nod/internal/config"
)

func source(t *testing.T, file string, env, flags map[string]string) config.Source {
	t.Helper()
	home := t.TempDir()
	if file != "" {
		path := filepath.Join(home, ".config", "nod", "config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]string{}
	for key := range flags {
		names[key] = strings.TrimPrefix(key, "display.")
	}
	return config.Source{
		Getenv: func(k string) string {
			if k == "HOME" {
				return home
			}
			return env[k]
		},
		Flags: flags, FlagNames: names,
	}
}

func TestFlagBeatsEnvironmentBeatsFileBeatsDefault(t *testing.T) {
	file := "[display]\ntheme = \"dark\"\nmouse = false\n[agent]\nmax_iterations = 7\n"
	for _, step := range []struct {
		name       string
		file       string
		env, flags map[string]string
		want       string
		origin     string
	}{
		{"default", "", nil, nil, "ansi", "default"},
		{"file", file, nil, nil, "dark", "config.toml:2"},
		{"environment", file, map[string]string{"NOD_THEME": "light"}, nil, "light", "environment NOD_THEME"},
		{"flag", file, map[string]string{"NOD_THEME": "light"}, map[string]string{"display.theme": "ansi"}, "ansi", "flag --theme"},
	} {
		t.Run(step.name, func(t *testing.T) {
			c, err := config.Load(source(t, step.file, step.env, step.flags))
			if err != nil {
				t.Fatal(err)
			}
			if c.Display.Theme != step.want {
				t.Errorf("theme %q, want %q", c.Display.Theme, step.want)
			}
			if v := find(c, "display.theme"); !strings.HasSuffix(string(v.Origin), step.origin) {
				t.Errorf("origin %q, want %q", v.Origin, step.origin)
			}
		})
	}
}

func find(c *config.Config, key string) config.Value {
	for _, v := range c.Explain() {
		if v.Key == key {
			return v
		}
	}
	return config.Value{}
}

func TestBadFilesAreErrorsWithLineAndRemedy(t *testing.T) {
	for _, bad := range []struct{ name, file, want string }{
		{"unknown key", "[display]\nthem = \"dark\"\n", `config.toml:2: unknown key "display.them"; did you mean "display.theme"?`},
		{"unknown section", "[dsplay]\n\ntheme = \"dark\"\n", `:3: unknown key "dsplay.theme"; did you mean "display.theme"?`},
		{"unknown model key", "[model.a]\nbase_ur = \"x\"\n", `:2: model.a.base_ur: unknown key "base_ur"; did you mean "base_url"?`},
		{"syntax", "[display\ntheme = 1\n", ":1: "},
		{"wrong type", "[display]\nmouse = \"maybe\"\n", `:2: display.mouse: "maybe" is neither true nor false`},
		{"out of range", "[agent]\nmax_iterations = 0\n", `"0" is not a number from 1 to 1000`},
		{"bad duration", "[tools]\nshell_timeout = \"5 parsecs\"\n", `"5 parsecs" is not a duration`},
		{"bad posture", "[policy]\nposture = \"yolo\"\n", `"yolo" is not one of ask, ask-all, read-only`},
		{"bad trust", "[target.\"web-*\"]\ntrust = \"production\"\n", `target.web-*.trust: "production" is not one of prod, stage, lab`},
		{"missing model", "[agent]\nmodel = \"big\"\n", `there is no [model.big]; known: none`},
		{"model key of wrong type", "[model.a]\nmodel = 5\n", `5 is not a value of this setting`},
		{"far from anything", "zzzzzzzzzzzzzzz = 1\n", `nod config explain`},
	} {
		t.Run(bad.name, func(t *testing.T) {
			_, err := config.Load(source(t, bad.file, nil, nil))
			if err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("error %v, want %q in it", err, bad.want)
			}
		})
	}
}

func TestAFileThatWasNamedMustExist(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nope.toml")
	_, err := config.Load(source(t, "", nil, map[string]string{"config": missing}))
	if err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("error %v", err)
	}
	if _, err := config.Load(source(t, "", nil, nil)); err != nil {
		t.Errorf("the default file may be missing: %v", err)
	}
	if _, err := config.Load(config.Source{Getenv: func(string) string { return "" }}); err != nil {
		t.Errorf("no HOME: %v", err)
	}
}

func TestModelComesFromFileAndEnvironment(t *testing.T) {
	file := "[model.big]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m1\"\napi_key = \"s3cret\"\ntemperature = 1\nheaders = { X-Team = \"ops\" }\n"
	c, err := config.Load(source(t, file, map[string]string{"OPENAI_MODEL": "m2", "NOD_MODEL": "m3"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	name, m, ok, err := c.ActiveModel()
	if err != nil || !ok || name != "big" || m.Model != "m3" || m.BaseURL != "http://127.0.0.1:1/v1" {
		t.Errorf("%q %+v %v %v", name, m, ok, err)
	}
	if m.Headers["X-Team"] != "ops" || m.Temperature == nil || *m.Temperature != 1 {
		t.Errorf("headers %v, temperature %v", m.Headers, m.Temperature)
	}
	for _, v := range c.Explain() {
		if strings.Contains(v.Value, "s3cret") {
			t.Errorf("%s shows the key", v.Key)
		}
	}

	c, err = config.Load(source(t, "", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:2/v1", "OPENAI_MODEL": "m"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if name, m, ok, err := c.ActiveModel(); err != nil || !ok || name != "environment" || m.Model != "m" {
		t.Errorf("%q %+v %v %v", name, m, ok, err)
	}

	c, err = config.Load(source(t, "", map[string]string{"OPENAI_API_KEY": "k"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok, _ := c.ActiveModel(); ok {
		t.Error("a key alone is not a model")
	}
}

func TestKeyIsReadFromAPrivateFileOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("sk-1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := config.Model{APIKeyFile: path}
	if _, err := m.Key(nil); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("open file: %v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := m.Key(nil); err != nil || key != "sk-1" {
		t.Errorf("%q %v", key, err)
	}
	m = config.Model{APIKeyEnv: "ABSENT"}
	if _, err := m.Key(func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "ABSENT") {
		t.Errorf("unset variable: %v", err)
	}
}

func TestDurationsAndNumbersHaveUnits(t *testing.T) {
	c, err := config.Load(source(t, "[tools]\nshell_timeout = \"2m\"\n", nil, nil))
	if err != nil || c.Tools.ShellTimeout != 2*time.Minute {
		t.Errorf("%v %v", c, err)
	}
}

func TestStateDirIsPrivateOrRefused(t *testing.T) {
	base := t.TempDir()
	env := func(dir string) func(string) string {
		return func(k string) string {
			if k == "NOD_STATE_DIR" {
				return dir
			}
			return ""
		}
	}
	dir, err := config.StateDir(env(filepath.Join(base, "a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := config.StateDir(env(link)); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("through a link: %v", err)
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.StateDir(env(file)); err == nil || !strings.Contains(err.Error(), "NOD_STATE_DIR") {
		t.Errorf("a file: %v", err)
	}
	if _, err := config.StateDir(func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "set HOME") {
		t.Errorf("no home: %v", err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("[display]\ntheme=\"dark\"\n")
	f.Add("[model.a]\nheaders = { a = { b = 1 } }\n")
	f.Add("a.b.c = [1, {x=2}]\n[[agent]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = config.Load(source(t, text, nil, nil)) // must not panic
	})
}

func TestToolProtocolsAndKindsOfSecrets(t *testing.T) {
	load := func(text string) (*config.Config, error) {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Load(config.Source{Getenv: func(string) string { return "" }, Flags: map[string]string{"config": path}})
	}
	c, err := load("[model.m]\nbase_url = \"http://x/v1\"\nmodel = \"m\"\ntool_protocol = \"text\"\n[redact.ticket]\npattern = 'ACME-(\\d+)'\n")
	if err != nil || c.Models["m"].ToolProtocol != "text" || c.Redact["ticket"].Pattern != `ACME-(\d+)` {
		t.Fatalf("%+v, %v", c, err)
	}
	var explained []string
	for _, v := range c.Explain() {
		explained = append(explained, v.Key)
	}
	for _, key := range []string{"model.m.tool_protocol", "redact.ticket.pattern"} {
		if !slices.Contains(explained, key) {
			t.Errorf("%s is not explained", key)
		}
	}
	for text, want := range map[string]string{
		"[model.m]\nmodel = \"m\"\ntool_protocol = \"xml\"\n": "not one of auto, native, text",
		"[redact.ticket]\npattern = '('\n":                    "config.toml:2: redact.ticket.pattern",
		"[redact.ticket]\npatern = 'x'\n":                     "did you mean \"pattern\"",
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheSettingsOfTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load := func() (*config.Config, error) {
		return config.Load(config.Source{Getenv: func(string) string { return "" }, Flags: map[string]string{"config": path}})
	}
	write("[tools]\nfetch_enabled = false\nworkspace = \"/srv/app\"\nallowed_paths = [\"/etc/app, the file\", \"/opt\"]\n" +
		"fetch_allowed_domains = [\"example.com\", \"*.example.net\"]\nfetch_blocked_domains = []\nbrave_api_key = \"k3y\"\n")
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if tools := c.Tools; tools.Fetch || !tools.Search || tools.Workspace != "/srv/app" || !slices.Equal(tools.AllowedPaths, []string{"/etc/app, the file", "/opt"}) ||
		!slices.Equal(tools.FetchAllowed, []string{"example.com", "*.example.net"}) || len(tools.FetchBlocked) != 0 || tools.BraveKey != "k3y" {
		t.Errorf("%+v", tools)
	}
	for _, v := range c.Explain() {
		if strings.Contains(v.Value, "k3y") {
			t.Errorf("the key is shown: %+v", v)
		}
		if v.Key == "tools.fetch_allowed_domains" && v.Value != "example.com, *.example.net" {
			t.Errorf("%+v", v)
		}
	}
	for _, text := range []string{
		"[tools]\nworkspace = \"app\"", "[tools]\nallowed_paths = [\"app\"]", "[tools]\nfetch_allowed_domains = [\"https://example.com\"]",
		"[tools]\nfetch_blocked_domains = [\"\"]", "[tools]\nfetch_blocked_domains = [\"a b\"]", "[tools]\nfetch_domains = []",
	} {
		write(text)
		if _, err := load(); err == nil || !strings.Contains(err.Error(), "config.toml:2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
