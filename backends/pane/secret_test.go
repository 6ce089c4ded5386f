package pane_test

import (
	"strings"
	"testing"
)

// Who could read the bits of the marks could forge them. Programs that the
// shell starts, what they see of it, and its history must not show them, however
// the operator has set the shell.
func TestTheMarksStaySecret(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		r := newRig(t, shell)
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		secret := p.Secret()
		if res := run(t, p, in(shell, "export PS1 PS2; set -a; x=1", "set -gx x 1")); !res.Outcome.OK() {
			t.Errorf("%+v", res)
		}
		run(t, p, "echo 'a\tb'")
		for _, look := range []string{
			"env", "cat /proc/self/environ", "sh -c 'tr \"\\0\" \"\\n\" </proc/$PPID/environ'",
			"sh -c 'cat /proc/$PPID/cmdline'", "cat /proc/[0-9]*/cmdline", "tmux list-buffers",
			in(shell, "test -n \"${BASH_VERSION-}${ZSH_VERSION-}\" && fc -l 1; true", "history search"),
			in(shell, `echo "$PS1$PS2"`, "echo none"),
		} {
			res := run(t, p, look+" 2>/dev/null")
			if !res.Executed || strings.Contains(res.Text, secret) {
				t.Errorf("%s shows it: %q", look, res.Text)
			}
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		if shown := p.Screen().String(); strings.Contains(shown, secret[:8]) {
			t.Errorf("the screen shows it: %q", shown)
		}
	})
}
