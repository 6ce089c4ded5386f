//go:build linux && (amd64 || arm64)

package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/plugin/lua"
)

// checked runs a plugin's start and its test.
func checked(t *testing.T, dir string) (*Loaded, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.Files[TestName] == "" {
		t.Errorf("%s has no %s", dir, TestName)
	}
	l, err := Load(t.Context(), p, Options{Program: []string{self, lua.Command}, Limits: patient, Test: true})
	if err == nil {
		t.Cleanup(l.Close)
	}
	return l, err
}

// A new plugin works, and so does its test.
func TestANewPlugin(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "busy")
	if err := New(dir, "busy"); err != nil {
		t.Fatal(err)
	}
	l, err := checked(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Tools()) != 1 || l.Tools()[0].Name() != "busy" || len(l.Hooks()) != 1 {
		t.Errorf("%+v", l)
	}
	if err := New(dir, "busy"); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Error(err)
	}
	if err := New(dir+"2", "Busy!"); err == nil {
		t.Error("a name that it cannot have")
	}
	main := filepath.Join(dir, "main.lua")
	text, err := os.ReadFile(main)
	if err == nil {
		err = os.WriteFile(main, []byte(strings.Replace(string(text), "uptime", "w", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checked(t, dir); err == nil || !strings.Contains(err.Error(), "test.lua:") {
		t.Errorf("the test does not see it: %v", err)
	}
}
