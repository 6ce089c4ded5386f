package pane

import (
	"testing"

	"github.com/nod-console/nod/backends/pane/marks"
)

// The prompt that comes because the hook was taken is no reaction to a key that was
// typed behind the hook; the next one is, and so is the beginning of a command.
func TestThePromptOfTheHookIsNoReaction(t *testing.T) {
	t.Parallel()
	for sequence, want := range map[string]string{
		"RD": "--", "RBD": "---", "RDBD": "---+", "RC": "-+", "RDC": "--+", "D": "+", "RCD": "-++", "RDRD": "----",
	} {
		l, got := newLevel(""), ""
		for _, kind := range sequence {
			got += map[bool]string{true: "+", false: "-"}[l.reacts(marks.Mark{Kind: marks.Kind(kind)})]
		}
		if got != want {
			t.Errorf("%s: reactions are %s, want %s", sequence, got, want)
		}
	}
}
