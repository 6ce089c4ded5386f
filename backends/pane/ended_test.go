package pane_test

import (
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// The last run is the one that ended last; what is typed by hand is none.
func TestLast(t *testing.T) {
	p := shared(t, "bash")
	if last, ok := p.Last(); ok {
		t.Errorf("before there was a run: %+v", last)
	}
	run(t, p, "true")
	run(t, p, "(exit 7)")
	r := start(t, p, pane.Request{Command: "read x"})
	last, ok := p.Last()
	if !ok || last.Command != "(exit 7)" || last.Outcome != backends.ExitedWith(7) || last.At.IsZero() {
		t.Errorf("while another one runs: %+v", last)
	}
	eventually(t, p, "the command", func() bool { return r.Result().Executed }) // bash's editor would take the return for no newline
	must(t, p.Type(t.Context(), []byte("word\r")))
	finish(t, p, r)
	if last, _ := p.Last(); last.Command != "read x" || !last.Outcome.OK() {
		t.Errorf("%+v", last)
	}
}
