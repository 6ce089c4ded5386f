package turn_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
)

// longTalk stores a conversation of n messages, with results of ordinary length.
func (b *bench) longTalk(n int) {
	b.T.Helper()
	var all []history.Message
	for i := 0; len(all) < n; i++ {
		id := fmt.Sprint("old", i)
		lines := strings.Repeat(fmt.Sprintf("deploy 10%d 0.0 0.1 22%d /usr/sbin/service-%d --config /etc/s%d.conf\n", i, i, i, i), 12)
		all = append(all,
			history.Message{Role: history.User, Content: fmt.Sprintf("what about service-%d on web-%d?", i, i%7)},
			history.Message{Role: history.Assistant, Calls: []history.Call{{ID: id, Name: "look", Arguments: fmt.Sprintf(`{"command":"ps aux | grep service-%d"}`, i)}}},
			history.Message{Role: history.Tool, Call: id, Tool: "look", Content: fmt.Sprintf(`{"result":{"exit_code":0,"stdout":%q}}`, lines)},
			history.Message{Role: history.Assistant, Content: fmt.Sprintf("service-%d runs with its configuration /etc/s%d.conf.", i, i)},
		)
	}
	b.Must(b.History.Append(b.T.Context(), b.ID, all...))
}

// TestALongConversationCostsLittle has turns in a long conversation, with NOD_E2E=1 in
// one of 2,000 messages. What they take beside the model's server is printed: it is to be
// less than 20 ms there on a machine that has nothing else to do, most of which is writing
// two requests of half a megabyte. Ten times as much, or memory that grows with the turns,
// fails with NOD_E2E=1.
func TestALongConversationCostsLittle(t *testing.T) {
	turns, messages := 3, 400
	if os.Getenv("NOD_E2E") == "1" {
		turns, messages = 100, 2000
	}
	var script []reply
	for i := range turns {
		script = append(script, callsFor(cmd(fmt.Sprint("n", i), "look", "x")), says("ok"))
	}
	b := newBench(t, options{}, script...)
	b.longTalk(messages)
	var took []time.Duration
	var first, last uint64
	for i := range turns {
		b.Forget()
		began := time.Now()
		if ending := b.Agent.Run(t.Context(), b.ID, "and now?", b.Sink); ending != agent.Answered {
			t.Fatal(ending)
		}
		took = append(took, time.Since(began)-b.Server.Busy())
		if i == turns/10 || i == turns-1 {
			b.Server.Forget()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if last = m.HeapAlloc; first == 0 {
				first = last
			}
		}
	}
	slices.Sort(took)
	median := took[len(took)/2]
	t.Logf("a turn with one call, beside the model: median %s, worst %s; heap %d KiB after a few turns, %d KiB after %d",
		median, took[len(took)-1], first>>10, last>>10, turns)
	if os.Getenv("NOD_E2E") == "1" && (median > 200*time.Millisecond || last > first+first/4+4<<20) {
		t.Error("that is too much")
	}
}
