package pane_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// A command may take away what the shell says of its end. That is noticed, and
// the next command is tracked again; a program that prints the same prompt is no
// end.
func TestAShellThatSaysNoMoreIsToldAgain(t *testing.T) {
	t.Parallel()
	for shell, command := range map[string]string{"bash": "unset PROMPT_COMMAND", "zsh": "precmd_functions=()"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T) {
				p := shared(t, shell)
				run(t, p, "x=kept")
				res := run(t, p, command)
				if res.Outcome.State != backends.Unknown || !strings.Contains(strings.Join(res.Notices, ""), "at its prompt again") {
					t.Errorf("%+v", res)
				}
				if res := run(t, p, "echo $x; (exit 3)"); res.Text != "kept\n" || res.Outcome != backends.ExitedWith(3) {
					t.Errorf("%+v", res)
				}
				eventually(t, p, "the prompt", p.AtPrompt)
				must(t, p.Type(t.Context(), []byte(command+"\r")))
				if res := run(t, p, "echo $x; (exit 4)"); res.Text != "kept\n" || res.Outcome != backends.ExitedWith(4) {
					t.Errorf("after it was typed: %+v", res)
				}
				if shell != "bash" {
					return
				}
				r := start(t, p, pane.Request{Command: "printf %s \"${PS1@P}\"; sleep 1; (exit 5)"})
				if res := finish(t, p, r); res.Outcome != backends.ExitedWith(5) {
					t.Errorf("a prompt that a command printed: %+v", res)
				}
			})
		})
	}
}
