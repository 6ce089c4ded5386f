package turn_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
)

// TestARepairedCallRunsAndSaysSo: under its right name, which is also what goes back to
// the server; a tool that there is not is answered with the nearest.
func TestARepairedCallRunsAndSaysSo(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "functions.Look", "one"), cmd("b", "lok", "two"), cmd("c", "look", "three")), says("ok"))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	got := b.Results()
	for i, want := range []string{`"result":"one","repaired":["the tool is called \"look\", not \"functions.Look\""]`, `there is no tool \"lok\"; the nearest: look.`, `"result":"three"}`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("result %d: %q, want %s", i, got, want)
		}
	}
	if p := eventsOf[agent.CallProposed](b); len(p) != 3 || p[0].Tool != "look" {
		t.Errorf("%+v", p)
	}
}
