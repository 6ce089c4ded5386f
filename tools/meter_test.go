package tools_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
)

func TestAMeterReportsNowAndThenUntilItIsStopped(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var reported []int64
	m := tools.NewMeter(tools.Env{Now: func() time.Time { return now }, Progress: func(p tools.Progress) { reported = append(reported, p.Bytes) }})
	for range 12 {
		now = now.Add(100 * time.Millisecond)
		if n, err := m.Write(make([]byte, 10)); n != 10 || err != nil {
			t.Fatal(n, err)
		}
	}
	m.Stop()
	now = now.Add(time.Hour)
	if _, err := m.Write([]byte("more")); err != nil {
		t.Fatal(err)
	}
	if want := []int64{50, 100}; !slices.Equal(reported, want) {
		t.Errorf("reported %v, want %v", reported, want)
	}
}
