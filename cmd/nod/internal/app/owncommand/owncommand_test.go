package owncommand_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nod-console/nod/cmd/nod/internal/app/owncommand"
)

func TestLines(t *testing.T) {
	ask := owncommand.Section{Name: "logs", Prompt: "Read the log of {{service}} since {{ since }}.", Args: []string{"service=nginx|postgres", "since?"}}
	run := owncommand.Section{Name: "unit", Run: "systemctl status {{unit}}", Args: []string{"unit"}}
	for _, c := range []struct {
		section    owncommand.Section
		args, want string
		fault      bool
	}{
		{ask, "nginx", "Read the log of nginx since .", false},
		{ask, "nginx the last hour", "Read the log of nginx since the last hour.", false},
		{ask, "apache", `/logs: "apache" is not one of nginx, postgres: /logs nginx|postgres [since]`, true},
		{ask, "", "/logs: service is missing: /logs nginx|postgres [since]", true},
		{run, "nginx", "!systemctl status nginx", false},
		{run, "a; reboot", "!systemctl status 'a; reboot'", false},
		{run, `it's`, `!systemctl status 'it'\''s'`, false},
		{owncommand.Section{Name: "up", Run: "uptime"}, "", "!uptime", false},
		{owncommand.Section{Name: "up", Run: "uptime"}, "x", `/up: "x" is too much: it takes no arguments`, true},
		{owncommand.Section{Name: "go", Run: "docker ps --format '{{.Names}}'"}, "", "!docker ps --format '{{.Names}}'", false},
	} {
		own, err := owncommand.New(c.section)
		if err != nil {
			t.Fatal(err)
		}
		got, err := own.Line(c.args)
		if err != nil {
			got = err.Error()
		}
		if got != c.want || (err != nil) != c.fault {
			t.Errorf("/%s %s: got %q, want %q", c.section.Name, c.args, got, c.want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for want, s := range map[string]owncommand.Section{
		`command.Up: "Up" is no name of a command`:                        {Name: "Up", Run: "uptime"},
		`command.help: /help is a command of nod's own`:                   {Name: "help", Run: "uptime"},
		`command.up: want a prompt`:                                       {Name: "up"},
		`command.up.run: "uptime": there is a prompt as well`:             {Name: "up", Run: "uptime", Prompt: "x"},
		`command.up.run: "a\nb" is more than one line`:                    {Name: "up", Run: "a\nb"},
		`command.up.run: {{x}} is no argument; args has none`:             {Name: "up", Run: "echo {{x}}"},
		`command.up.run: {{x}} stands within quotes`:                      {Name: "up", Run: `echo "a {{x}}"`, Args: []string{"x"}},
		`command.up.args: "x" is not used: write {{x}} into prompt`:       {Name: "up", Prompt: "p", Args: []string{"x"}},
		`command.up.args: "x": there are two`:                             {Name: "up", Prompt: "{{x}}", Args: []string{"x", "x"}},
		`command.up.args: "y": it cannot be left out, and the one before`: {Name: "up", Prompt: "{{x}}{{y}}", Args: []string{"x?", "y"}},
		`command.up.args: "x=a||b": want its values like this`:            {Name: "up", Prompt: "{{x}}", Args: []string{"x=a||b"}},
		`command.up.args: "X": "X" is no name`:                            {Name: "up", Prompt: "{{x}}", Args: []string{"X"}},
		`command.up.description: "a\nb" is more than one line`:            {Name: "up", Prompt: "p", Description: "a\nb"},
	} {
		_, err := owncommand.New(s)
		var bad *owncommand.Error
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Whatever an argument holds, a shell reads it as the one word that it is.
func TestAnArgumentIsOneWord(t *testing.T) {
	own, err := owncommand.New(owncommand.Section{Name: "say", Run: "printf %s {{text}}", Args: []string{"text"}})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[!-~]([ -~]{0,20}[!-~])?`).Draw(r, "text")
		line, err := own.Line(text)
		if err != nil {
			r.Fatal(err)
		}
		out, err := exec.Command("sh", "-c", strings.TrimPrefix(line, "!")).Output()
		if err != nil || string(out) != text {
			r.Fatalf("%q: the shell printed %q, %v", line, out, err)
		}
	})
}
