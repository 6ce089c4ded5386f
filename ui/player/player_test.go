package player

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func styles(t testing.TB) *screen.Styles {
	t.Helper()
	theme, err := themes.Load("ansi")
	if err != nil {
		t.Fatal(err)
	}
	s := screen.NewStyles(theme)
	return &s
}

// tape is a recording of a minute and a half: a command at 10 s, one at 20 s, and
// a long pause before the end.
func tape() *recording.Recording {
	at := func(s float64, kind byte, text string) recording.Event {
		return recording.Event{At: time.Duration(s * float64(time.Second)), Kind: kind, Text: text}
	}
	return &recording.Recording{
		Header: recording.Header{Version: 2, Width: 40, Height: 10, Title: "local main/shared"},
		Events: []recording.Event{
			at(0, recording.Output, "ready$ "),
			at(10, recording.Mark, "run: make test"), at(10.5, recording.Output, "make test\r\nfirst output\r\n"),
			at(12, recording.Mark, "exited 2: make test"), at(12, recording.Output, "ready$ "),
			at(20, recording.Mark, "run: df\n-h"), at(20.5, recording.Output, "second output\r\n"),
			at(21, recording.Mark, "exited 0: df\n-h"),
			at(90, recording.Output, "the end"),
		},
	}
}

// stage shows a player on a screen of a size.
type stage struct {
	t *testing.T
	p *Player
	s tcell.SimulationScreen

	now time.Time
}

func newStage(t *testing.T, w, h int, opt Options) *stage {
	t.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	s.SetSize(w, h)
	g := &stage{t: t, p: New(tape(), styles(t), opt), s: s, now: time.Unix(1e9, 0)}
	g.p.Tick(g.now)
	return g
}

func (g *stage) pass(d time.Duration) { g.now = g.now.Add(d); g.p.Tick(g.now) }

func (g *stage) press(key tcell.Key, r rune) bool {
	_, done := g.p.Key(tcell.NewEventKey(key, r, tcell.ModNone))
	return done
}

func (g *stage) typed(text string) {
	for _, r := range text {
		g.press(tcell.KeyRune, r)
	}
}

func (g *stage) text() string {
	g.s.Clear()
	w, h := g.s.Size()
	g.p.Draw(g.s, 0, 0, w, h)
	g.s.Show()
	cells, w, h := g.s.GetContents()
	var b strings.Builder
	for y := range h {
		for x := range w {
			b.WriteString(string(cells[y*w+x].Runes))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (g *stage) see(wanted ...string) {
	g.t.Helper()
	text := g.text()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			g.t.Errorf("%q is not there:\n%s", w, text)
		}
	}
}

func (g *stage) at(want time.Duration) {
	g.t.Helper()
	if g.p.At() != want {
		g.t.Errorf("it is at %v, want %v", g.p.At(), want)
	}
}

func TestItPlaysPausesAndSeeks(t *testing.T) {
	g := newStage(t, 80, 20, Options{Hints: true})
	g.see("local main/shared", "40×10", "ready$", "▶ 0:00 / 1:30", "Space pause")
	g.pass(11 * time.Second)
	g.see("first output", "runs: make test", "▶ 0:11")
	g.typed(" ")
	g.pass(time.Minute)
	g.at(11 * time.Second)
	g.see("‖ 0:11")
	g.press(tcell.KeyRight, 0)
	g.at(16 * time.Second)
	g.see("exited 2: make test")
	g.press(tcell.KeyLeft, 0)
	g.press(tcell.KeyLeft, 0)
	g.press(tcell.KeyLeft, 0)
	g.at(time.Second)
	if strings.Contains(g.text(), "first output") {
		t.Error("it shows what is yet to come")
	}
	g.press(tcell.KeyLeft, 0)
	g.at(0)
	g.typed("++-+ ")
	g.pass(time.Second)
	g.at(4 * time.Second)
	g.see("×4")
	g.typed("G")
	g.see("the end", "● ")
	g.pass(time.Second)
	g.see("‖ 1:30")
	g.typed(" ") // again from the beginning
	g.pass(time.Second)
	g.at(4 * time.Second)
	for _, key := range []string{"q"} {
		if _, done := g.p.Key(tcell.NewEventKey(tcell.KeyRune, rune(key[0]), tcell.ModNone)); !done {
			t.Errorf("%s does not leave", key)
		}
	}
	if !g.press(tcell.KeyEscape, 0) {
		t.Error("Esc does not leave")
	}
}

func TestFromCommandToCommand(t *testing.T) {
	g := newStage(t, 80, 20, Options{Paused: true})
	g.typed("n")
	g.at(10 * time.Second)
	g.typed("n")
	g.at(20 * time.Second)
	g.see("runs: df -h")
	g.typed("N")
	g.at(10 * time.Second)
	g.typed("N")
	g.at(0)
	g.typed("nnn")
	g.at(90 * time.Second)
	g.typed("N")
	g.at(20 * time.Second)
	g.typed(".")
	g.at(20*time.Second + 500*time.Millisecond)
	g.typed(" ") // while it plays, the way back leads past the command it is in
	g.pass(200 * time.Millisecond)
	g.typed("N")
	g.at(10 * time.Second)
	g.typed("g")
	g.at(0)
}

func TestLongPausesAreCut(t *testing.T) {
	g := newStage(t, 80, 20, Options{Idle: 2 * time.Second, At: 21 * time.Second})
	g.pass(100 * time.Millisecond)
	g.at(88 * time.Second)
	g.pass(2 * time.Second)
	g.at(90 * time.Second)
	g.see("the end")
}

// TestEverySizeIsDrawn: smaller than the recording, down to nothing, and larger.
func TestEverySizeIsDrawn(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {80, 24}, {42, 13}, {30, 6}, {20, 4}, {10, 3}, {3, 2}, {1, 1}} {
		g := newStage(t, size[0], size[1], Options{At: 11 * time.Second})
		text := g.text()
		if size[0] >= 30 && !strings.Contains(text, "first output") {
			t.Errorf("%v: what was written last is out of view:\n%s", size, text)
		}
		if size[0] >= 20 && !strings.Contains(text, "0:11") {
			t.Errorf("%v: the position is out of view:\n%s", size, text)
		}
	}
}

// TestItSleepsWhileNothingChanges: the wait is that for the next event or tick.
func TestItSleepsWhileNothingChanges(t *testing.T) {
	p := New(tape(), styles(t), Options{})
	now := time.Unix(1e9, 0)
	if changed, again := p.Tick(now); !changed || again <= 0 {
		t.Error("it does not begin")
	}
	now = now.Add(9900 * time.Millisecond)
	p.Tick(now)
	if changed, again := p.Tick(now); changed || again > 100*time.Millisecond || again < 90*time.Millisecond {
		t.Errorf("changed %v, again after %v", changed, again)
	}
	p.Do(keys.Pause)
	if _, again := p.Tick(now.Add(time.Second)); again != 0 {
		t.Errorf("paused, and it wakes up after %v", again)
	}
}

// watched is a screen that tells of its frames.
type watched struct {
	tcell.SimulationScreen
	shown chan struct{}
}

func (w *watched) Show() {
	w.SimulationScreen.Show()
	select {
	case w.shown <- struct{}{}:
	default:
	}
}

func TestRunEndsAndRestores(t *testing.T) {
	for name, end := range map[string]func(s tcell.SimulationScreen, cancel context.CancelCauseFunc){
		"q": func(s tcell.SimulationScreen, _ context.CancelCauseFunc) {
			s.InjectKey(tcell.KeyRune, 'q', tcell.ModNone)
		},
		"stop": func(_ tcell.SimulationScreen, cancel context.CancelCauseFunc) { cancel(errors.New("stop")) },
	} {
		t.Run(name, func(t *testing.T) {
			sim := &watched{tcell.NewSimulationScreen("UTF-8"), make(chan struct{}, 1)}
			s := screen.Wrap(sim)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			done := make(chan error, 1)
			go func() { done <- Run(ctx, s, New(tape(), styles(t), Options{Paused: true}), "") }()
			select { // it takes the terminal over first
			case <-sim.shown:
			case <-time.After(time.Minute):
				t.Fatal("nothing is drawn")
			}
			end(sim, cancel)
			if err := <-done; (err != nil) != (name == "stop") {
				t.Error(err)
			}
		})
	}
}

// The colours follow what the terminal's text stands on, once it has said that.
func TestColoursFollowTheGround(t *testing.T) {
	sim := &watched{tcell.NewSimulationScreen("UTF-8"), make(chan struct{}, 1)}
	s := screen.Wrap(sim)
	p := New(tape(), styles(t), Options{Paused: true})
	before := *p.styles
	done := make(chan error, 1)
	go func() { done <- Run(t.Context(), s, p, themes.DefaultName) }()
	<-sim.shown
	if err := s.PostEvent(&screen.EventGround{Light: true}); err != nil {
		t.Fatal(err)
	}
	sim.InjectKey(tcell.KeyRune, 'q', tcell.ModNone)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p.styles.Focus == before.Focus {
		t.Error("the colours are those for a dark ground")
	}
}
