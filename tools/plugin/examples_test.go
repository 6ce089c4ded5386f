//go:build linux && (amd64 || arm64)

package plugin

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nod-console/nod/tools/plugin/hook"
)

// Each example is one that can be installed, and passes its test.
func TestTheExamples(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("examples/*/" + ManifestName)
	if err != nil || len(found) != 4 {
		t.Fatalf("%q, %v", found, err)
	}
	for _, file := range found {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			t.Parallel()
			if _, err := checked(t, filepath.Dir(file)); err != nil {
				t.Error(err)
			}
		})
	}
}

// The team's style is a program.
func TestTheExampleOfAProgram(t *testing.T) {
	t.Parallel()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	hooks := hook.New(hook.Options{})
	hooks.Replace("style", hook.Program{
		Name: "style", Events: []string{hook.PreTool}, Command: []string{filepath.Join(dir, "examples/style/style.sh")}, Timeout: time.Hour, Required: true,
	}.Hook())
	for command, want := range map[string]hook.Said{
		"kill -9 4711":            {Deny: "hook style: we stop services with systemctl, and kill nothing by hand"},
		"apt install nginx":       {Deny: "hook style: packages come by the configuration management; change it there"},
		"systemctl restart nginx": {Notes: []string{"hook style: a reload is often enough; say in #ops before you restart"}},
		"uptime":                  {},
	} {
		got := hooks.Run(t.Context(), hook.Event{Event: hook.PreTool, Tool: "run_shell", Command: command})
		if got.Deny != want.Deny || len(got.Notes) != len(want.Notes) || len(got.Notes) > 0 && got.Notes[0] != want.Notes[0] {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
