package screen_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frame draws something like the console: frames, colours, wide characters and
// an input line with the cursor at its end.
func frame(s tcell.Screen, input string) {
	s.Clear()
	w, h := s.Size()
	bar := tcell.StyleDefault.Reverse(true)
	screen.Fill(s, 0, 0, w, 1, " ", bar)
	screen.Draw(s, 1, 0, w-1, "nod  local  ask", bar)
	for y := 1; y < h-2; y++ {
		s.Put(w/2, y, "│", tcell.StyleDefault.Dim(true))
		screen.Draw(s, 1, y, w/2-1, fmt.Sprintf("%d 日本語 👩\u200d💻 and some text", y), tcell.StyleDefault.Foreground(tcell.ColorGreen))
		screen.Draw(s, w/2+1, y, w/2-1, strings.Repeat("=", y%7), tcell.StyleDefault.Foreground(tcell.NewHexColor(0x123456)))
	}
	n := screen.Draw(s, 0, h-2, w, "> "+input, tcell.StyleDefault)
	s.ShowCursor(n, h-2)
	screen.Draw(s, 0, h-1, w, "F1 help", bar)
	s.Show()
}

func open(t testing.TB, dev *tty) *screen.Screen {
	t.Helper()
	s, err := screen.NewOn(dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	return s
}

func TestAnUnchangedFrameSendsNothing(t *testing.T) {
	for _, term := range []string{"xterm-256color", "tmux-256color", "screen", "linux"} {
		useTerm(t, term)
		dev := newTTY(120, 40)
		s := open(t, dev)
		frame(s, "hello")
		if first := dev.taken(); len(first) < 1000 {
			t.Errorf("%s: the first frame has %d bytes", term, len(first))
		}
		frame(s, "hello")
		if again := dev.taken(); again != "" {
			t.Errorf("%s: %d bytes for an unchanged frame: %q", term, len(again), again)
		}
	}
}

func TestATypedCharacterSendsLittleMoreThanItself(t *testing.T) {
	for _, term := range []string{"xterm-256color", "tmux-256color", "screen", "linux"} {
		useTerm(t, term)
		dev := newTTY(120, 40)
		s := open(t, dev)
		input := ""
		frame(s, input)
		dev.taken()
		for i, c := range "what is filling the disk?" {
			input += string(c)
			frame(s, input)
			got := dev.taken()
			limit := 3 // a space is a step to the right
			if i == 0 {
				limit = 24
			}
			if len(got) > limit || !strings.HasSuffix(got, string(c)) && c != ' ' {
				t.Errorf("%s: %q was sent for %q", term, got, c)
			}
		}
		frame(s, input[:len(input)-1])
		if got := dev.taken(); len(got) > 24 {
			t.Errorf("%s: a deleted character sends %q", term, got)
		}
	}
}

func TestAWideCharacterGivesWayToNarrowOnes(t *testing.T) {
	sim := tcell.NewSimulationScreen("UTF-8")
	s := screen.Wrap(sim)
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	sim.SetSize(6, 1)
	for _, text := range []string{"日本語", "a日本b", "abcdef", " 日本 ", "日x本y", "日本語"} {
		s.Clear()
		s.PutStr(0, 0, text)
		s.Show()
		if got := contents(sim); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

func TestHalfAWideCharacterIsNeverShown(t *testing.T) {
	s := screen.Wrap(simulation(t, 4, 1))
	s.Clear()
	s.PutStr(0, 0, "日本")
	s.Put(1, 0, "x", tcell.StyleDefault)
	s.Put(2, 0, "y", tcell.StyleDefault)
	if got := row(s, 0, 4); got != " xy " {
		t.Errorf("%q", got)
	}
	s.Put(3, 0, "日", tcell.StyleDefault)
	if got := row(s, 0, 4); got != " xy " {
		t.Errorf("a wide character in the last column: %q", got)
	}
}

func TestAResizeRedrawsEverything(t *testing.T) {
	useTerm(t, "xterm-256color")
	dev := newTTY(80, 24)
	s := open(t, dev)
	frame(s, "")
	dev.taken()
	dev.setSize(100, 30)
	for {
		ev := pollUntil(t, s)
		if r, ok := ev.(*tcell.EventResize); ok {
			if w, h := r.Size(); w == 100 && h == 30 {
				break
			}
		}
	}
	frame(s, "")
	if w, h := s.Size(); w != 100 || h != 30 {
		t.Errorf("%d×%d", w, h)
	}
	term := vt.New(vt.Size{Cols: 100, Rows: 30}, vt.Options{})
	if _, err := term.Write([]byte(dev.taken())); err != nil {
		t.Fatal(err)
	}
	for y := range 30 {
		// Whether emoji are joined is the terminal's business.
		joined := strings.NewReplacer("\u200d💻", "")
		want := joined.Replace(rowText(s, y))
		if got := joined.Replace(term.Snapshot().RowText(y)); got != want {
			t.Errorf("row %d: %q, want %q", y, got, want)
		}
	}
}

func TestSyncSendsEverythingAgain(t *testing.T) {
	useTerm(t, "xterm-256color")
	dev := newTTY(80, 24)
	s := open(t, dev)
	frame(s, "x")
	first := len(dev.taken())
	s.Sync()
	if again := len(dev.taken()); again < first/2 {
		t.Errorf("%d bytes, the first frame had %d", again, first)
	}
}

func TestFiniRestoresWhileInputIsWaiting(t *testing.T) {
	useTerm(t, "xterm-256color")
	dev := newTTY(80, 24)
	s, err := screen.NewOn(dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	flood := make(chan struct{})
	go func() { // more keys than tcell's queue holds, and nobody reads them
		defer close(flood)
		for range 40 {
			select {
			case dev.input <- []byte(strings.Repeat("x", 100)):
			case <-dev.stop:
				return
			}
		}
	}()
	waitFor(t, "a full queue", func() bool { return s.PostEvent(tcell.NewEventInterrupt(nil)) != nil })
	done := make(chan struct{})
	go func() { s.Fini(); s.Fini(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Fini hangs")
	}
	<-flood
	out := dev.taken()
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l", "\x1b[?1004l"} {
		if !strings.Contains(out, seq) {
			t.Errorf("%q was not sent", seq)
		}
	}
	if !dev.ended {
		t.Error("the device was not given back")
	}
}

// Keys that wait are thrown away with the terminal; what the program has posted to itself
// is not.
func TestWhatTheProgramPostsOutlivesASuspend(t *testing.T) {
	inner := tcell.NewSimulationScreen("UTF-8")
	s := screen.Wrap(inner)
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	inner.InjectKey(tcell.KeyRune, 'a', tcell.ModNone)
	if err := s.PostEvent(tcell.NewEventInterrupt("mine")); err != nil {
		t.Fatal(err)
	}
	inner.InjectKey(tcell.KeyRune, 'b', tcell.ModNone)
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	inner.InjectKey(tcell.KeyRune, 'c', tcell.ModNone)
	if ev, ok := pollUntil(t, s).(*tcell.EventInterrupt); !ok || ev.Data() != "mine" {
		t.Errorf("first: %v", ev)
	}
	if ev, ok := pollUntil(t, s).(*tcell.EventKey); !ok || ev.Rune() != 'c' {
		t.Errorf("then: %v", ev)
	}
}

func TestUnknownTerminalsAreTakenForXterm(t *testing.T) {
	useTerm(t, "no-such-terminal")
	dev := newTTY(80, 24)
	s := open(t, dev)
	frame(s, "")
	if !strings.Contains(dev.taken(), "F1 help") {
		t.Error("nothing was drawn")
	}
}

func TestCopyAndNotify(t *testing.T) {
	useTerm(t, "xterm-256color")
	t.Setenv("TERM_PROGRAM", "")
	dev := newTTY(80, 24)
	s := open(t, dev)
	dev.taken()
	if err := s.Copy("häß\x1b"); err != nil {
		t.Fatal(err)
	}
	if got, want := dev.taken(), "\x1b]52;c;aMOkw58b\x1b\\"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := s.Copy(strings.Repeat("x", screen.MaxCopy+1)); err == nil {
		t.Error("too long, and no error")
	}
	for _, c := range []struct{ term, program, want string }{
		{"xterm-256color", "", "\a\x1b]777;notify;nod;rm -rf x, done␛\\␇\x1b\\"},
		{"xterm-256color", "iTerm.app", "\a\x1b]9;nod: rm -rf x, done␛\\␇\x1b\\"},
		{"xterm-kitty", "", "\a\x1b]99;i=nod:d=0;nod\x1b\\\x1b]99;i=nod:d=1:p=body;rm -rf x; done␛\\␇\x1b\\"},
		{"tmux-256color", "iTerm.app", "\a"},
		{"screen", "", "\a"},
		{"linux", "", "\a"},
	} {
		t.Setenv("TERM", c.term)
		t.Setenv("TERM_PROGRAM", c.program)
		if err := s.Notify("nod", "rm -rf x; done\x1b\\\x07"); err != nil {
			t.Fatal(err)
		}
		if got := dev.taken(); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.term, c.program, got, c.want)
		}
	}
}

func BenchmarkUnchangedFrame(b *testing.B) {
	useTerm(b, "xterm-256color")
	dev := newTTY(120, 40)
	s := open(b, dev)
	frame(s, "")
	dev.taken()
	for b.Loop() {
		frame(s, "")
	}
	b.ReportMetric(float64(len(dev.taken()))/float64(b.N), "bytes/frame")
}

func BenchmarkTypedKey(b *testing.B) {
	useTerm(b, "xterm-256color")
	dev := newTTY(120, 40)
	s := open(b, dev)
	frame(s, "")
	dev.taken()
	i := 0
	for b.Loop() {
		i++
		frame(s, strings.Repeat("x", i%60))
	}
	b.ReportMetric(float64(len(dev.taken()))/float64(b.N), "bytes/key")
}

// rowText is the text of a row without blanks at its end.
func rowText(s tcell.Screen, y int) string {
	w, _ := s.Size()
	text := ""
	for x := 0; x < w; {
		str, _, width := s.Get(x, y)
		text += str
		x += width
	}
	return strings.TrimRight(text, " ")
}

func contents(s tcell.SimulationScreen) string {
	cells, w, _ := s.GetContents()
	text := ""
	for x := 0; x < w; {
		_, _, width := s.Get(x, 0)
		text += string(cells[x].Runes)
		x += width
	}
	return text
}

func pollUntil(t *testing.T, s tcell.Screen) tcell.Event {
	t.Helper()
	events := make(chan tcell.Event, 1)
	go func() { events <- s.PollEvent() }()
	select {
	case ev := <-events:
		return ev
	case <-time.After(time.Minute):
		t.Fatal("no event")
		return nil
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s", what)
		}
	}
}
