package console_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
	"github.com/nod-console/nod/ui/screen"
)

// flood writes into a terminal until it is told to stop: whenever somebody has
// looked at it, there is another page.
func flood(t *testing.T, term *terminal) (stop func()) {
	t.Helper()
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for i := 0; ; i++ {
			term.write(strings.Repeat(fmt.Sprintf("page %d of a flood\r\n", i), 10))
			select {
			case <-over:
				term.write("the flood is over\r\n")
				return
			case <-term.looked:
			}
		}
	}()
	stop = sync.OnceFunc(func() { close(over); <-gone })
	t.Cleanup(stop)
	return stop
}

// The main job in the worst hour: sixteen terminals, one of which floods, a
// dialog that waits, a theme that changes, a window that is dragged. Every key
// gets where it was meant to, once and in order, and the dialog is answered by
// the one that was meant for it.
func TestNoKeyIsLostInTheMainJob(t *testing.T) {
	const cols, rows = 258, 34 // there is room for all sixteen
	s := prepare(t, cols, rows, nil)
	terms := s.many(16)
	shared := terms[15] // the main one
	propose := make(chan struct{})
	s.model.steps["why is the disk full?"] = func(ctx context.Context, sink agent.Sink) error {
		sink(agent.Text{Text: "Looking."})
		<-propose
		a, err := s.console.Approver().Approve(ctx, request("1", "touch /tmp/one"))
		sink(agent.Text{Text: fmt.Sprintf(" Approved: %v.", a.Approved)})
		sink(agent.Done{Ending: agent.Answered})
		return err
	}
	s.Run(s.console.Run)
	s.Idle().See("t0").See("this is terminal 14")
	stop := flood(t, terms[3])

	// A theme, a prompt, a draft.
	plain := s.Style(0, 0)
	s.Type("/theme dark").Press("Enter")
	if s.Style(0, 0) == plain {
		t.Error("the theme did not change")
	}
	s.Type("/theme auto").Press("Enter").Type("why is the disk full?").Press("Enter").See("Looking.")
	const draft = "then tell me why, and since when"
	for word := range strings.SplitAfterSeq(draft, " ") {
		s.Type(word)
	}
	s.See("> " + draft)

	// He types into the shared terminal when the dialog comes, and types on.
	s.Press("Ctrl-]").See("typing into local · ops/t15").Type("echo one")
	close(propose)
	s.See("^] answers")
	want := "echo one"
	for i, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}, {200, 60}, {cols, rows}} {
		more := fmt.Sprintf("y\rcn%d the quick brown fox", i)
		if i == 1 { // the terminal's ground changes, and the theme with it
			before := s.Style(0, 0)
			if err := s.Screen().PostEvent(&screen.EventGround{Light: true}); err != nil {
				t.Fatal(err)
			}
			if s.Idle(); s.Style(0, 0) == before {
				t.Error("the theme did not follow the terminal")
			}
		}
		s.Type(more[:len(more)/2]).Resize(size[0], size[1]).Type(more[len(more)/2:])
		s.clock.Advance(time.Minute)
		s.See("^] answers")
		want += more
	}
	typed := func() string { typed, _ := shared.got(); return typed }
	wait(t, func() bool { return typed() == want }, func() string { return fmt.Sprintf("typed %q, want %q", typed(), want) })

	// The one key that is for the dialog. However long it waits in a loaded
	// machine, it is alone.
	s.Press("Ctrl-]").See("touch /tmp/one").Gone("typing into").See("1 waiting")
	s.clock.Advance(time.Minute)
	s.Press("y")
	s.clock.Advance(decision.Alone)
	s.See("Approved: true.").Gone("touch /tmp/one").See("> " + draft)
	s.Type(", please").Press("Enter").See("You said: " + draft + ", please")
	if got := strings.Join(s.model.got(), "|"); got != "why is the disk full?|"+draft+", please" {
		t.Errorf("prompts: %s", got)
	}
	stop()
	s.See("the flood is over")
	for i, term := range terms {
		if typed, size := term.got(); i != 15 && typed != "" || size == "" {
			t.Errorf("terminal %d: size %q, typed %q", i, size, typed)
		}
	}
	if typed() != want {
		t.Errorf("typed %q, want %q", typed(), want)
	}
}

// Frames that take long and follow each other at once, because a terminal floods,
// keep no dialog from the key that was pressed for it.
func TestAFloodOfSlowFramesDoesNotKeepADialogWaiting(t *testing.T) {
	s := prepare(t, 120, 40, nil)
	term := newTerminal("$ ")
	p := term.pane("%1", "local")
	quick := p.Snapshot
	p.Snapshot = func() *vt.Snapshot {
		time.Sleep(time.Second / 30) // the machine is slow: two frames would be due
		return quick()
	}
	s.console.AddPane(p)
	s.Run(s.console.Run)
	stop := flood(t, term)
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one")
	s.clock.Advance(time.Minute)
	s.Press("y")
	s.clock.Advance(decision.Alone)
	before := s.Frames()
	if a := answer(t, answers); !a.Approved {
		t.Errorf("%+v", a)
	}
	if n := s.Frames() - before; n > 100 {
		t.Errorf("the key has waited for %d frames", n)
	}
	stop()
}

// The longest colours: of the terminal's own, and of a theme that brings its ground.
const (
	paletteColour = len("\x1b[0;38;5;100m")
	themeColour   = len("\x1b[0;38;2;100;100;100;48;2;100;100;100m")
)

// worst is the most bytes that a part of the screen of that many plain cells may
// take: each one, one colour and a place at the beginning of a row, and what
// belongs to a frame: its brackets, the cursor, the colour it leaves behind.
func worst(cols, rows, colour int) int {
	const (
		place = len("\x1b[100;100H")
		frame = len("\x1b[?2026h\x1b[?25l"+"\x1b[?25h\x1b[?2026l") + place
	)
	return rows*(cols+place+2*colour) + frame + colour
}

// A frame sends what has changed, and no more: nothing if that is nothing, and
// one terminal's cells if one terminal floods. It never clears what it does not
// draw anew, and is shown as a whole.
func TestBytesOfAFrameInTheMainJob(t *testing.T) {
	const cols, rows = 258, 34
	p := openTerminal(t, cols, rows)
	all := &story{clock: newClock()}
	var terms []*terminal
	p.run(t.Context(), t, console.Options{
		Theme: "auto", Now: all.clock.Now, Status: console.Status{TargetStatus: console.TargetStatus{Name: "local"}, Posture: "ask"},
	}, func(c *console.Console) {
		all.console = c
		terms = all.many(16)
	})
	p.see(t, "this is terminal 14")
	asked := all.ask(t.Context(), request("1", "touch /tmp/one"))
	p.see(t, "touch /tmp/one")
	p.frame(t)
	quiet := func(when string) {
		t.Helper()
		for range 2 { // the second time, it is the same picture drawn anew
			p.frame(t)
			for i, term := range terms {
				term.write(fmt.Sprintf("\x1b[Hthis is terminal %d\x1b[K\r\n$ \x1b[J", i))
			}
		}
		if out := p.frame(t); out != "" {
			t.Errorf("%s: %d bytes for a frame in which nothing has changed: %q", when, len(out), out)
		}
	}
	quiet("while the dialog waits")

	repaints := func(limit int) {
		t.Helper()
		out := p.sent() + p.frame(t)
		if out == "" {
			t.Error("nothing was drawn anew")
		}
		for frame := range strings.SplitSeq(out, "\x1b[?2026h") {
			if len(frame) > limit {
				t.Errorf("%d bytes to draw everything anew, at most %d", len(frame), limit)
			}
		}
		t.Logf("%d bytes to draw everything anew, at most %d a frame", len(out), limit)
	}

	const paneCols, paneRows = 40, 10 // of a terminal in memory
	const shown = 6                   // of its rows, where sixteen stand in four rows
	most := 0
	for i := range 50 {
		var page strings.Builder
		for row := range paneRows {
			text := fmt.Sprintf("%d.%d ", i, row) + strings.Repeat(string(rune('a'+(i+row)%26)), paneCols)
			fmt.Fprintf(&page, "\r\n\x1b[3%dm%s", 1+(i+row)%6, text[:paneCols])
		}
		terms[3].write(page.String())
		out := p.frame(t)
		most = max(most, len(out))
		if limit := worst(paneCols, shown, paletteColour); len(out) == 0 || len(out) > limit {
			t.Fatalf("%d bytes for a frame of a flood in a terminal of %d×%d, at most %d: %q", len(out), paneCols, shown, limit, out)
		}
		if strings.Contains(out, "\x1b[2J") || strings.Contains(out, "terminal") {
			t.Fatalf("a flood in one terminal draws others: %q", out)
		}
		if !strings.HasPrefix(out, "\x1b[?2026h") || !strings.HasSuffix(out, "\x1b[?2026l") {
			t.Fatalf("a frame of %d bytes can be seen half done: %q", len(out), out)
		}
	}
	t.Logf("at most %d bytes for a frame of a flood in %d×%d cells, in a screen of %d×%d", most, paneCols, shown, cols, rows)
	terms[3].write("\x1b[m")
	quiet("after the flood")

	// Another theme and another size cost frames of all cells at the most.
	p.mu.Lock()
	first := p.term.Snapshot()
	p.mu.Unlock()
	dark := first.Style(first.Row(0)[0])
	p.piece(t, "\x1b]11;rgb:ffff/ffff/ffff\a")
	p.until(t, "the light theme", func(s *vt.Snapshot) bool { return s.Style(s.Row(0)[0]) != dark })
	repaints(2 * worst(cols, rows, themeColour))
	quiet("after another theme")
	_, before := terms[15].got()
	p.resize(t, 200, 60)
	wait(t, func() bool { _, now := terms[15].got(); return now != before }, func() string { return "the size does not change" })
	repaints(2 * worst(200, 60, themeColour))
	quiet("after another size")

	// The dialog stands yet, and no key has answered it.
	p.see(t, "touch /tmp/one")
	select {
	case a := <-asked:
		t.Errorf("the dialog was answered: %+v", a)
	default:
	}
}
