package decision_test

import "testing"

// What hooks say stands in the question, harmless.
func TestNotesOfHooksStandInTheQuestion(t *testing.T) {
	for _, size := range sizes {
		r := run("touch x")
		r.Notes = []string{"hook team: \x1b[2Jfreeze"}
		s := begin(t, size[0], size[1], r)
		s.armed().typed("x")
		s.sees("freeze")
	}
	r := run("touch x")
	r.Notes = []string{"hook team: freeze"}
	s := begin(t, 80, 24, r)
	s.armed().sees("note        hook team: freeze")
}
