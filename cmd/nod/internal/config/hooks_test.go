package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestHooksAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"[hook.ticket]\nevents = [\"pre_tool\"]\ncommand = [\"/bin/ticket\", \"-c\"]\ntimeout = \"5s\"\nrequired = true\n": "",
		"[hook.ticket]\nevents = [\"pre_tol\"]\ncommand = [\"ticket\"]\n":                                                  `config.toml:2: hook.ticket.events: there is no event "pre_tol"`,
		"[hook.ticket]\nevents = [\"pre_tool\"]\ncommand = [\"bin/ticket\"]\n":                                             `config.toml:3: hook.ticket.command: "bin/ticket" depends`,
		"[hook.ticket]\nevents = \"pre_tool\"\n":                                                                           `config.toml:2: hook.ticket.events: "pre_tool" is no list`,
		"[hook.ticket]\nallow = true\n":                                                                                    `config.toml:2: hook.ticket.allow: `,
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Source{Getenv: func(string) string { return "" }, Flags: map[string]string{"config": file}})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		p := c.HookPrograms()
		if len(p) != 1 || p[0].Name != "ticket" || p[0].Timeout != 5*time.Second || !p[0].Required || len(p[0].Command) != 2 {
			t.Errorf("%+v", p)
		}
		if n := len(c.explainHooks()); n != 4 {
			t.Errorf("%d lines are explained", n)
		}
	}
}
