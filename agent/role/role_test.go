package role_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/role"
)

const sound = `name = "logs"
description = "reads logs"
tools = ["run_shell", "grep"]
read_only = true
model = "small"
max_iterations = 7
prompt = """
Newest first.
"""
`

func TestATypeIsReadStrictly(t *testing.T) {
	got, _, err := role.Parse([]byte(sound))
	if err != nil || got.Name != "logs" || !got.ReadOnly || got.Model != "small" || got.MaxIterations != 7 || got.Prompt != "Newest first." || len(got.Tools) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, x := range []struct {
		from, to string
		line     int
		want     string
	}{
		{"read_only", "readonly", 4, `unknown key "readonly"`},
		{`read_only = true`, `read_only = "yes"`, 4, "string"},
		{`"logs"`, `"Logs!"`, 1, "small letters"},
		{`"reads logs"`, `""`, 2, "description"},
		{`"reads logs"`, `"a\nb"`, 2, "one line"},
		{`"grep"]`, `"gr ep"]`, 3, `"gr ep"`},
		{`= 7`, `= 70000`, 6, "1 to 200"},
		{`= 7`, `= -1`, 6, "1 to 200"},
		{"Newest first.", "", 7, "prompt"},
		{`= "small"`, `= `, 5, ""},
		{`name = "logs"`, ``, 0, "name"},
	} {
		_, line, err := role.Parse([]byte(strings.Replace(sound, x.from, x.to, 1)))
		if err == nil || line != x.line || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: line %d, %v", x.to, line, err)
		}
	}
}

func TestAFolderOfTypes(t *testing.T) {
	if all, err := role.Find(""); err != nil || len(all) != 1 || all[0].Name != "investigator" || !all[0].ReadOnly {
		t.Errorf("%+v, %v", all, err)
	}
	dir := filepath.Join(t.TempDir(), "agents")
	if all, err := role.Find(dir); err != nil || len(all) != 1 {
		t.Errorf("without the folder: %+v, %v", all, err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.toml", sound)
	write("b.toml", sound) // the same name
	write("c.toml", "name = \"c\"\nreadonly = true\n")
	write("d.toml", strings.Repeat("# too long\n", role.MaxFile/8))
	write("mine.toml", strings.Replace(sound, "logs", "investigator", 1))
	write("notes.txt", "not one of them")
	if err := unix.Mkfifo(filepath.Join(dir, "e.toml"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := role.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range all {
		got = append(got, x.Name)
		switch x.Name {
		case "b":
			if !strings.Contains(x.Fault, "a.toml already") {
				t.Error(x.Fault)
			}
		case "c":
			if !strings.Contains(x.Fault, "c.toml:2: unknown key") {
				t.Error(x.Fault)
			}
		case "d", "e":
			if x.Fault == "" {
				t.Errorf("%+v", x)
			}
		default:
			if x.Fault != "" || x.File == "" {
				t.Errorf("%+v", x)
			}
		}
	}
	if list := strings.Join(got, " "); list != "b c d e investigator logs" {
		t.Error(list)
	}
	if usable := role.Usable(all); len(usable) != 2 {
		t.Errorf("%+v", usable)
	}
}
