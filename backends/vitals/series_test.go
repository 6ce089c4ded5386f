package vitals

import (
	"slices"
	"testing"
	"time"
)

func TestASeriesKeepsTheLastMinutes(t *testing.T) {
	begin := time.Unix(1_700_000_010, 0) // the begin of a slot
	at := func(slot int, seconds int) time.Time {
		return begin.Add(time.Duration(slot)*Slot + time.Duration(seconds)*time.Second)
	}
	var s Series
	want := func(now time.Time, values ...float64) {
		t.Helper()
		if got := s.Since(now); !slices.Equal(got, values) {
			t.Errorf("got %v, want %v", got, values)
		}
	}
	want(begin)
	s.Add(at(0, 0), 1)
	s.Add(at(0, 10), 3)
	want(at(0, 20), 2)
	want(at(1, 0), 2) // of the new slot nothing is known yet
	s.Add(at(1, 5), 4)
	s.Add(at(3, 0), 5) // the overview was closed meanwhile
	want(at(3, 1), 2, 4, Missing, 5)
	s.Add(at(2, 0), 100) // a clock that was set back
	want(at(3, 1), 2, 4, Missing, 5)
	s.Add(at(30, 0), 6)
	want(at(30, 1), 6)
	want(at(30+keepSlots, 1))
	s.Add(at(100_000, 0), 7)
	want(at(100_000, 0), 7)
}
