package pane_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
)

// A prompt that stood before a change of size is known after it, and so is what
// the operator has typed behind it.
func TestThePromptIsFoundAgainAfterAChangeOfSize(t *testing.T) {
	t.Parallel()
	for _, shell := range tried() {
		p := shared(t, shell)
		run(t, p, "echo one; echo two")
		eventually(t, p, "the prompt", p.AtPrompt)
		for i, typed := range []string{"", "echo half a line"} {
			must(t, p.Type(t.Context(), []byte(typed)))
			eventually(t, p, "what was typed", func() bool { return p.PendingLine() == typed })
			cols := 60 + 10*i
			p.Resize(backends.Size{Cols: cols, Rows: 20})
			eventually(t, p, "the new size", func() bool { return p.Screen().Size.Cols == cols })
			eventually(t, p, "the prompt and what is typed", func() bool { return p.AtPrompt() && p.PendingLine() == typed })
		}
	}
}

// greeting is how many lines a shell greets with.
var greeting = map[string]int{"ash": 5}

// The operator sees a prompt, and nothing of how it was prepared.
func TestThePreparationLeavesNoTraceOnTheScreen(t *testing.T) {
	t.Parallel()
	for _, shell := range withNamed("ash") {
		p := shared(t, shell)
		eventually(t, p, "the prompt", p.AtPrompt)
		s := p.Screen()
		above := ""
		for i := range s.Scrolled { // zsh and ksh erase from their prompt on, which tmux takes for a whole screen
			above += s.LineText(i)
		}
		if strings.Trim(above, " #") != "" || s.Cursor.Row != greeting[shell] || strings.Contains(s.String(), "eval") {
			t.Errorf("%s: above %q, cursor %+v\n%s", shell, above, s.Cursor, s)
		}
		if res := run(t, p, "echo hi"); res.Text != "hi\n" {
			t.Errorf("%s: %+v", shell, res)
		}
	}
}

// Nothing is taken off the screen but what nod has typed, also where that is longer than
// a row.
func TestThePreparationErasesNothingElse(t *testing.T) {
	t.Parallel()
	for shell, argv := range shells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, shell)
			r.opt.Size = backends.Size{Cols: 40, Rows: 12}
			r.opt.Shell = append([]string{"sh", "-c", `printf 'above\nright above\n'; exec "$@"`, "sh"}, argv...)
			p, err := r.open(t).Shared(t.Context())
			must(t, err)
			eventually(t, p, "the prompt", p.AtPrompt)
			s := p.Screen()
			all := ""
			for i := range s.Scrolled {
				all += s.LineText(i) + "\n"
			}
			if all += s.String(); !strings.Contains(all, "above\nright above\n") || strings.Contains(all, "eval") {
				t.Errorf("%s", all)
			}
		})
	}
}

// fish says that a job has ended in place of its prompt, and draws that anew
// behind it: nobody has typed this.
func TestAWordOfTheShellsIsNoLineThatWasTyped(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T) {
		r := newRig(t, "fish")
		r.opt.Shell = []string{"fish", "--no-config", "--init-command", "function fish_prompt; command sleep 0.1; echo -n '> '; end"}
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		for i := range 3 {
			run(t, p, "clear")
			run(t, p, "sleep 0.5 &")
			eventually(t, p, "its end", func() bool { return strings.Contains(p.Screen().String(), "has ended") })
			if res := run(t, p, "echo next"); res.Text != "next\n" {
				t.Errorf("%d: %+v", i, res)
			}
		}
	})
}
