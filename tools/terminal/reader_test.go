package terminal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/tools/risk/typed"
)

// looks reports whether an action's keys only look.
func looks(a tools.Action) bool {
	return typed.Keys(risk.Keystrokes{
		Literal: a.Literal, Keys: a.Keys, Enter: a.Enter, Pending: a.Pending, AtPrompt: a.Prompt, Tracked: a.Busy != "", Dialect: risk.Bash,
	}, a.Program).Auto
}

// Keys are planned for the program that the kernel says reads them, and for what stands on
// its line. They are not typed where that is something else by then.
func TestKeysAreForTheProgramThatReadsThem(t *testing.T) {
	type step struct {
		keys    map[string]any
		program string
		pending string
		looks   bool
		shows   string // waited for after it was typed; nothing is typed if it is empty
	}
	line := func(text string) map[string]any { return map[string]any{"literal_text": text, "enter": true} }
	for _, c := range []struct {
		command, shows string
		steps          []step
	}{
		{"python3 -q", ">>>", []step{
			{line("import os; os.remove('f')"), "python3", "", false, ""},
			{map[string]any{"literal_text": "4 *"}, "python3", "", true, "4 *"},
			{line(" 6"), "python3", "4 *", true, "\n24"},
			{line("if 1:"), "python3", "", false, "..."},
			{line("1"), "", "", false, ""},
		}},
		{"sqlite3 x.db", "sqlite>", []step{
			{line(".shell touch f"), "sqlite3", "", false, ""},
			{line("select 1"), "sqlite3", "", true, "1\n   ...>"},
			{line("+ 2"), "sqlite3", "select 1\n", true, "2\n   ...>"},
			{line("; drop table t;"), "sqlite3", "select 1\n+ 2\n", false, ""},
			{line(";"), "sqlite3", "select 1\n+ 2\n", true, "\n3\n"},
		}},
		{"seq 100 | less", "\n:", []step{
			{map[string]any{"keys": []string{"G"}}, "less", "", true, "(END)"},
			{map[string]any{"literal_text": "!touch f\n"}, "less", "", false, ""},
			{map[string]any{"keys": []string{"!"}}, "less", "", false, "\n!"},
			{map[string]any{"keys": []string{"q"}}, "", "", false, ""},
		}},
		{"vi -u NONE f", "~", []step{
			{map[string]any{"keys": []string{"Escape", "j"}}, "vim", "", true, "~"},
			{line(":wq"), "vim", "", false, ""},
		}},
		{"bash --norc --noprofile", "profile\nbash", []step{{line("ls"), "", "", false, ""}}},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.run("cd " + b.home)
			b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": c.command, "enter": true})))
			b.shows(c.shows)
			for _, s := range c.steps {
				var a tools.Action
				b.until("the program is known", func() bool {
					a = b.planned(b.keys, args(s.keys))
					return a.Program == s.program
				})
				if a.Pending != s.pending && s.program != "" || looks(a) != s.looks {
					t.Fatalf("%v: for %q behind %q, a look: %t", s.keys, a.Program, a.Pending, looks(a))
				}
				if s.shows != "" {
					b.execute(t.Context(), b.keys, a)
					b.shows(s.shows)
				}
			}
			if _, err := os.Stat(filepath.Join(b.home, "f")); err == nil {
				t.Error("a file was made")
			}
		})
	}
}

// What was meant for a line that was empty is not typed behind something else.
func TestKeysForAProgramAreVoidWhenItsLineHasChanged(t *testing.T) {
	b := newBench(t)
	b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": "python3 -q", "enter": true})))
	b.shows(">>>")
	a := b.planned(b.keys, args(map[string]any{"literal_text": "1 + 1", "enter": true}))
	b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": "x = "})))
	b.shows("x =")
	r := b.execute(t.Context(), b.keys, a)
	if got := problem(t, r); got != "changed" || !strings.Contains(r.Value.(tools.Problem).Error, "what stands on its line") {
		t.Errorf("it was typed: %+v", r)
	}
}
