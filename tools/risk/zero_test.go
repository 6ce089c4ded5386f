package risk

import "testing"

// TestTheZeroVerdictIsTheWorst: what somebody forgot to assess is never taken for
// harmless, nor is a value that there is not.
func TestTheZeroVerdictIsTheWorst(t *testing.T) {
	for _, e := range []Effect{0, 200} {
		if !e.AtLeast(Destroy) || e.String() != "destroy" {
			t.Errorf("effect %d is %s", e, e)
		}
	}
	for _, l := range []Level{0, 200} {
		if !l.AtLeast(High) || l.String() != "high" {
			t.Errorf("level %d is %s", l, l)
		}
	}
	if v := (Verdict{}); v.Auto || !v.Effect.AtLeast(Destroy) || !v.Level.AtLeast(High) {
		t.Errorf("%+v", v)
	}
}
