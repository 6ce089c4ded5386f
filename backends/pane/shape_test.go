package pane_test

import "testing"

// busybox's line editor asks the terminal where the cursor is. Where the answer is
// the first row and a column that some key's sequence begins with, it takes the
// next ten bytes for a part of it.
func TestNothingIsLostBehindAnAnswerOfTheTerminals(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T) {
		for _, prompt := range []string{"# ", "/ # "} {
			r := newRig(t, "ash")
			r.opt.Shell = []string{"env", "PS1=" + prompt, "ash"}
			p, err := r.open(t).Shared(t.Context())
			must(t, err)
			for range 3 {
				run(t, p, "clear")
				if res := run(t, p, "echo hi"); res.Text != "hi\n" {
					t.Errorf("%q: %+v", prompt, res)
				}
			}
			run(t, p, "clear")
			p.HandOverByTyping()
			if res := run(t, p, "echo hi"); res.Text != "hi\n" {
				t.Errorf("%q, hooked again: %+v", prompt, res)
			}
		}
	})
}
