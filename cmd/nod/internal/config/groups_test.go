package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestGroupsOfTargets: they can name each other, and one that cannot be read is quoted.
func TestGroupsOfTargets(t *testing.T) {
	for text, want := range map[string]string{
		"[group.web]\ntargets = [\"web[01-40]!web07\", \"db-*\"]\n":                      "",
		"[group.web]\ntargets = [\"web1\"]\n[group.all]\ntargets = [\"@web\", \"db\"]\n": "",
		"[group.web]\ntargets = [\"web[40-01]\"]\n":                                      `config.toml:2: group.web.targets: "web[40-01]"`,
		"[group.web]\ntargets = [\"@db\"]\n":                                             `there is no group "db"`,
		"[group.web]\ntargets = [\"@web\"]\n":                                            "without an end",
		"[group.web]\ntarget = [\"web1\"]\n":                                             "target",
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"NOD_CONFIG": file, "HOME": t.TempDir()}
		c, err := config.Load(config.Source{Getenv: func(name string) string { return env[name] }})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		shown := false
		for _, v := range c.Explain() {
			shown = shown || v.Key == "group.web.targets" && v.Value == strings.Join(c.Groups["web"].Targets, ", ")
		}
		if !shown {
			t.Errorf("%s: nod config explain does not say it", text)
		}
	}
}
