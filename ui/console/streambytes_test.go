package console_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/console"
)

// answerBytes is how long a streamed answer is, and pieceTime how often a part of it
// comes where it comes fast, as package model paces it.
const (
	answerBytes = 50_000
	pieceTime   = 250 * time.Millisecond
)

// streamedAnswer is Markdown with paragraphs, lists and code, and some characters that are
// two cells wide.
func streamedAnswer() string {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // each run is the same
	words := strings.Fields("the disk is full because `journald` keeps **four weeks** of logs in /var/log/journal and nothing rotates them 日本語 until it restarts")
	sentence := func(n int) string {
		said := make([]string, n)
		for i := range said {
			said[i] = words[random.IntN(len(words))]
		}
		return strings.Join(said, " ") + "."
	}
	var b strings.Builder
	for i := 1; b.Len() < answerBytes; i++ {
		fmt.Fprintf(&b, "## Part %d\n\n%s\n\n", i, sentence(60))
		for range 4 {
			b.WriteString("- " + sentence(8) + "\n")
		}
		b.WriteString("\n```sh\ndu -xh --max-depth=1 /var | sort -h\njournalctl --vacuum-size=200M\n```\n\n")
	}
	return b.String()
}

// streams is how many bytes a terminal gets for each byte of an answer that streams at a
// rate of bytes a second, beside a terminal that shows a text.
func streams(t *testing.T, cols, rows, rate int, beside string) float64 {
	p, clock := openTerminal(t, cols, rows), newClock()
	pieces := make(chan string)
	m := &model{steps: map[string]func(context.Context, agent.Sink) error{
		"tell": func(ctx context.Context, sink agent.Sink) error {
			for piece := range pieces {
				sink(agent.Text{Text: piece})
				pieces <- "" // it is in the mail
			}
			sink(agent.Done{Ending: agent.Answered})
			return ctx.Err()
		},
	}}
	pane := newTerminal(beside)
	p.run(t.Context(), t, console.Options{Now: clock.Now, Submit: m.Submit}, func(c *console.Console) { c.AddPane(pane.pane("%1", "local")) })
	p.see(t, "ask for something")
	p.press(t, "tell\r")
	p.see(t, "working")
	p.frame(t)
	sent, answer := 0, strings.ToValidUTF8(streamedAnswer()[:answerBytes], "")
	for rest := answer; rest != ""; {
		n := min(len(rest), rate*int(pieceTime/time.Millisecond)/1000)
		for n < len(rest) && rest[n]&0xc0 == 0x80 {
			n++
		}
		pieces <- rest[:n]
		<-pieces
		clock.Advance(pieceTime)
		sent += len(p.frame(t))
		rest = rest[n:]
	}
	close(pieces)
	return float64(sent) / float64(len(answer))
}

// fullTerminal is what a terminal shows that is full of text, none of which is the same in
// the next row.
func fullTerminal(cols, rows int) string {
	words := strings.Fields(streamedAnswer())
	var b strings.Builder
	for range rows {
		for n := 0; n < cols; words = words[1:] {
			b.WriteString(words[0] + " ")
			n += len(words[0]) + 1
		}
		b.WriteString("\r\n")
	}
	return b.String() + "ready$ "
}

// An answer that streams beside a terminal sends at most three bytes for each of its own,
// however large the terminal is, whether it is idle or full of text, and there also where
// the answer comes slowly. A part of that is left to its first seconds, in which it comes
// in smaller parts.
func TestBytesOfAStreamedAnswer(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		full := fullTerminal(size[0], size[1])
		for _, one := range []struct {
			beside string
			text   string
			rate   int
			most   float64
		}{
			{"an idle terminal", "ready$ ", 1000, 2.75},
			{"a full terminal", full, 1000, 2.4},
			{"a full terminal, slowly", full, 200, 3},
		} {
			each := streams(t, size[0], size[1], one.rate, one.text)
			t.Logf("%d×%d beside %s: %.2f bytes for each", size[0], size[1], one.beside, each)
			if each > one.most {
				t.Errorf("%d×%d beside %s: %.2f bytes for each, want at most %.2f", size[0], size[1], one.beside, each, one.most)
			}
		}
	}
}
