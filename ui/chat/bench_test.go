package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent"
)

// long is a conversation of ten thousand messages, and the same text in a
// tview.TextView, which knows nothing of Markdown.
func long(b *testing.B) (*Transcript, *tview.TextView) {
	tr, peer := newTranscript(b), tview.NewTextView().SetWordWrap(true)
	peer.SetRect(0, 0, 120, 40)
	for i := range 5000 {
		prompt := fmt.Sprintf("prompt %d", i)
		answer := "An *answer* with `code` and\n\n- a list\n- of things\n\nand " + strings.Repeat("some words ", 30)
		tr.Prompt(prompt, false)
		tr.Event(agent.Text{Text: answer})
		if _, err := fmt.Fprintf(peer, "you  %s\n\nnod  %s\n\n", prompt, answer); err != nil {
			b.Fatal(err)
		}
	}
	peer.ScrollToEnd()
	return tr, peer
}

// beside takes turns with two of the same kind and reports what each took, a
// hundred times an operation.
func beside(b *testing.B, nod, peer func()) {
	var took [2][]time.Duration
	nod() // the first frame is another matter
	peer()
	for b.Loop() {
		for range 100 {
			for i, step := range []func(){nod, peer} {
				begun := time.Now()
				step()
				took[i] = append(took[i], time.Since(begun))
			}
		}
	}
	b.ReportMetric(0, "ns/op") // it would be both together
	at := func(all []time.Duration, percent int) float64 { return all[len(all)*percent/100].Seconds() * 1000 }
	for i, name := range []string{"", "textview-"} {
		slices.Sort(took[i])
		b.ReportMetric(at(took[i], 50), name+"p50-ms")
		b.ReportMetric(at(took[i], 99), name+"p99-ms")
	}
	b.ReportMetric(at(took[0], 50)/at(took[1], 50), "p50-ratio")
	b.ReportMetric(at(took[0], 99)/at(took[1], 99), "p99-ratio")
}

// BenchmarkAppendToTenThousandMessages is a word more at the end of a long
// conversation, and the frame that shows it.
func BenchmarkAppendToTenThousandMessages(b *testing.B) {
	tr, peer := long(b)
	s, t := display(b, 120, 40), display(b, 120, 40)
	beside(b, func() {
		tr.Event(agent.Text{Text: "another word "})
		tr.Draw(s, 0, 0, 120, 40, false)
	}, func() {
		if _, err := peer.Write([]byte("another word ")); err != nil {
			b.Fatal(err)
		}
		peer.Draw(t)
	})
}

// BenchmarkScroll is a page up or down in a long conversation, and its frame: five
// hundred pages up, five hundred down, and so on.
func BenchmarkScroll(b *testing.B) {
	tr, peer := long(b)
	s, t := display(b, 120, 40), display(b, 120, 40)
	tr.Draw(s, 0, 0, 120, 40, false)
	peer.Draw(t)
	up := func(n int) bool { return n%1000 < 500 }
	pages, peerPages := 0, 0
	beside(b, func() {
		if pages++; up(pages) {
			tr.Page(-1)
		} else {
			tr.Page(1)
		}
		tr.Draw(s, 0, 0, 120, 40, false)
	}, func() {
		key := tcell.KeyPgDn
		if peerPages++; up(peerPages) {
			key = tcell.KeyPgUp
		}
		peer.InputHandler()(tcell.NewEventKey(key, 0, tcell.ModNone), nil)
		peer.Draw(t)
	})
}
