package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// fillPanes has each pane write 10,000 lines of its width, and waits for the last.
func fillPanes(b *testing.B, w *world, panes int) {
	b.Helper()
	ids := strings.Fields(w.tmux(b, "list-panes", "-a", "-F", "#{pane_id}"))
	if len(ids) != panes {
		b.Fatalf("there are the panes %v", ids)
	}
	for _, id := range ids {
		w.tmux(b, "send-keys", "-t", id, fmt.Sprintf(" seq -f %%0$(tput cols).0f 10000; tmux wait-for -S full%s", id), "Enter")
		w.tmux(b, "wait-for", "full"+id)
	}
}

// BenchmarkTypeIntoAPane is the time from a key to its echo for who types into a
// live pane: in nod, and at a plain "tmux attach" to the same pane, which has a
// terminal of its own. They take turns; when one types, the other shows it, too,
// and is waited for.
func BenchmarkTypeIntoAPane(b *testing.B) {
	w := newWorld(b)
	o := startOnTerminal(b, w)
	o.see(b, "ready$")
	settle(o)
	// nod has told the window's size, and an attached terminal of another size
	// would change it.
	peer := startProgram(b, w, "tmux", "-u", "-L", w.socket, "attach-session", "-f", "ignore-size", "-t", "=nod-ops-main")
	peer.see(b, "ready$")
	o.press(b, "\x1d") // ^]
	o.see(b, "typing")
	both := []*onTerminal{o, peer}
	var took [2][]time.Duration
	for b.Loop() {
		for i, typist := range both {
			if n := len(took[i]); i == 0 && n > 0 && n%10 == 0 { // the line stays short
				typist.press(b, "\x15") // ^U
			}
			time.Sleep(30 * time.Millisecond) // nobody types faster
			// No sequence that moves or colours anything has such bytes, and the
			// two never type the same.
			key := string(rune('à' + 12*i + len(took[i])%12))
			begun := time.Now()
			typist.press(b, key)
			typist.see(b, key)
			took[i] = append(took[i], time.Since(begun))
			both[1-i].see(b, key)
		}
	}
	at := func(all []time.Duration, percent int) float64 { return all[len(all)*percent/100].Seconds() * 1000 }
	b.ReportMetric(0, "ns/op") // it would count the pauses
	for i, name := range []string{"", "attach-"} {
		slices.Sort(took[i])
		b.ReportMetric(at(took[i], 50), name+"p50-ms")
		b.ReportMetric(at(took[i], 99), name+"p99-ms")
	}
	b.ReportMetric(at(took[0], 50)/at(took[1], 50), "p50-ratio")
	b.ReportMetric(at(took[0], 99)/at(took[1], 99), "p99-ratio")
	w.tmux(b, "detach-client", "-s", "=nod-ops-main:")
	_ = peer.cmd.Wait() // it was detached
	_ = peer.tty.Close()
	o.press(b, "\x15\x1d")
	settle(o)
	o.end(b)
}
