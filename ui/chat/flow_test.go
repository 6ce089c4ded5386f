package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
)

// A call that moves much says how much and how fast, until nothing comes any more.
func TestARunningCallSaysHowMuchItMoves(t *testing.T) {
	tr := newTranscript(t)
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := begun
	tr.now = func() time.Time { return now }
	tr.Event(agent.CallProposed{Call: "1", Tool: "fetch_url"})
	tr.Event(agent.CallStarted{Call: "1", Tool: "fetch_url"})
	for _, step := range []struct {
		at    time.Duration
		bytes int64
		want  string
	}{
		{500 * time.Millisecond, 60 << 10, "… running"},
		{time.Second, 65 << 10, "… running · 1 s · 65 KiB · 65 KiB/s"},
		{1500 * time.Millisecond, 1 << 20, "… running · 1 s · 1.0 MiB · 65 KiB/s"},
		{3 * time.Second, 65<<10 + 5<<20, "… running · 3 s · 5.1 MiB · 2.5 MiB/s"},
		{4 * time.Second, 0, "… running · 4 s · 5.1 MiB · 2.5 MiB/s"},
		{5 * time.Second, 0, "… running · 5 s · 5.1 MiB"},
	} {
		now = begun.Add(step.at)
		if step.bytes > 0 {
			tr.Event(agent.CallProgress{Call: "1", Progress: tools.Progress{Bytes: step.bytes}})
		}
		if got := shown(t, tr, 80, 10); !strings.HasSuffix(got, step.want) {
			t.Errorf("after %v:\n%s\nwant %s", step.at, got, step.want)
		}
	}
}
