package uitest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// deadline is how long See waits before the test fails.
const deadline = time.Minute

var update = flag.Bool("update", false, "renew golden files")

// UI is a simulated terminal with somebody in front of it. Its methods belong
// to the test's goroutine and end the test when something does not happen.
type UI struct {
	t      testing.TB
	screen *watched
	ended  chan struct{}
	cancel context.CancelCauseFunc
	err    error // of the console; valid when ended is closed
}

// watched is a screen that tells when a frame was shown.
type watched struct {
	tcell.SimulationScreen

	mu     sync.Mutex
	rows   []string
	cols   int
	styles []tcell.Style // row for row
	cursor [3]int        // column, row, visible
	mouse  bool          // is reported
	frames int
	copied []string
	shown  chan struct{} // closed with the next frame
	w, h   int           // size to begin with
}

// Init implements tcell.Screen.
func (s *watched) Init() error {
	if err := s.SimulationScreen.Init(); err != nil {
		return err
	}
	s.SetSize(s.w, s.h)
	return nil
}

// Show implements tcell.Screen. The console calls it on its own goroutine, the
// only one that may look at the cells.
func (s *watched) Show() {
	s.SimulationScreen.Show()
	s.record()
}

// SetClipboard implements tcell.Screen.
func (s *watched) SetClipboard(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copied = append(s.copied, string(text))
}

// Sync implements tcell.Screen.
func (s *watched) Sync() {
	s.SimulationScreen.Sync()
	s.record()
}

// EnableMouse implements tcell.Screen.
func (s *watched) EnableMouse(flags ...tcell.MouseFlags) {
	s.reports(true)
	s.SimulationScreen.EnableMouse(flags...)
}

// DisableMouse implements tcell.Screen.
func (s *watched) DisableMouse() { s.reports(false); s.SimulationScreen.DisableMouse() }

func (s *watched) reports(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mouse = on
}

func (s *watched) record() {
	cells, w, h := s.GetContents()
	rows := make([]string, h)
	styles := make([]tcell.Style, len(cells))
	for y := range h {
		row := make([]byte, 0, w)
		for x := 0; x < w; {
			c := cells[y*w+x]
			styles[y*w+x] = c.Style
			if len(c.Runes) == 1 && c.Runes[0] < utf8.RuneSelf { // most are, and of one column
				row = append(row, byte(c.Runes[0]))
				x++
				continue
			}
			row = append(row, string(c.Runes)...)
			_, _, width := s.Get(x, y)
			x += max(width, 1)
		}
		rows[y] = string(bytes.TrimRight(row, " "))
	}
	x, y, visible := s.GetCursor()
	s.mu.Lock()
	s.rows, s.cols, s.styles, s.cursor = rows, w, styles, [3]int{x, y, 0}
	if visible {
		s.cursor[2] = 1
	}
	s.frames++
	close(s.shown)
	s.shown = make(chan struct{})
	s.mu.Unlock()
}

// New returns a terminal of the given size.
func New(t testing.TB, cols, rows int) *UI {
	t.Helper()
	s := &watched{SimulationScreen: tcell.NewSimulationScreen("UTF-8"), shown: make(chan struct{}), w: cols, h: rows}
	return &UI{t: t, screen: s, ended: make(chan struct{})}
}

// Screen is the terminal, for the console to draw on.
func (u *UI) Screen() tcell.Screen { return u.screen }

// Run runs the console, waits for its first frame, and ends it with the test.
func (u *UI) Run(run func(ctx context.Context) error) *UI {
	u.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	u.cancel = cancel
	_, shown := u.state()
	go func() {
		defer close(u.ended)
		u.err = run(ctx)
	}()
	u.t.Cleanup(func() {
		cancel(errTestOver)
		u.wait("the end of the console", u.ended)
	})
	u.wait("the first frame", shown)
	return u
}

var errTestOver = errors.New("the test is over")

// Cancel ends the console's context with a cause.
func (u *UI) Cancel(cause error) { u.cancel(cause) }

// End waits for the console's end and returns its error.
func (u *UI) End() error {
	u.t.Helper()
	u.wait("the end of the console", u.ended)
	return u.err
}

// Running reports whether the console still runs.
func (u *UI) Running() bool {
	select {
	case <-u.ended:
		return false
	default:
		return true
	}
}

func (u *UI) wait(what string, done <-chan struct{}) {
	u.t.Helper()
	select {
	case <-done:
	case <-time.After(deadline):
		u.t.Fatalf("%s did not come; the screen is\n%s", what, u.Text())
	}
}

func (u *UI) state() (rows []string, next <-chan struct{}) {
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	return u.screen.rows, u.screen.shown
}

// Idle waits until the console has handled everything so far and has drawn.
func (u *UI) Idle() *UI {
	u.t.Helper()
	done := make(chan struct{})
	u.inject(tcell.NewEventInterrupt(func() { close(done) }))
	select {
	case <-done:
	case <-u.ended:
	case <-time.After(deadline):
		u.t.Fatalf("the console does not get idle; the screen is\n%s", u.Text())
	}
	return u
}

// Burst presses a few keys that the console finds together: it handles all of them
// before it draws.
func (u *UI) Burst(names ...string) *UI {
	u.t.Helper()
	held, pressed := make(chan struct{}), make(chan struct{})
	u.inject(tcell.NewEventInterrupt(func() {
		close(held)
		<-pressed
	}))
	u.wait("the console's attention", held)
	for _, name := range names {
		u.press(name)
	}
	close(pressed)
	return u.Idle()
}

// Press presses keys by their names: "Enter", "Ctrl-C", "Alt-Enter", "F1", "y".
func (u *UI) Press(names ...string) *UI {
	u.t.Helper()
	for _, name := range names {
		u.press(name)
	}
	return u.Idle()
}

func (u *UI) press(name string) {
	u.t.Helper()
	key, r, mod, err := parse(name)
	if err != nil {
		u.t.Fatal(err)
	}
	u.inject(tcell.NewEventKey(key, r, mod))
}

// Type types text, a key for each character.
func (u *UI) Type(text string) *UI {
	u.t.Helper()
	for _, r := range text {
		u.inject(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
	return u.Idle()
}

// Paste pastes text as terminals do: lines end with a carriage return.
func (u *UI) Paste(text string) *UI {
	u.t.Helper()
	u.inject(tcell.NewEventPaste(true))
	for _, r := range text {
		if r == '\n' {
			r = '\r'
		}
		u.inject(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
	u.inject(tcell.NewEventPaste(false))
	return u.Idle()
}

// Mouse presses or releases buttons at a place.
func (u *UI) Mouse(x, y int, buttons tcell.ButtonMask) *UI {
	u.t.Helper()
	u.inject(tcell.NewEventMouse(x, y, buttons, tcell.ModNone))
	return u.Idle()
}

// Resize changes the terminal's size.
func (u *UI) Resize(cols, rows int) *UI {
	u.t.Helper()
	u.screen.SetSize(cols, rows)
	u.inject(tcell.NewEventResize(cols, rows))
	return u.Idle()
}

// inject posts an event. The queue of a simulated screen is short, so keys, of
// which there can be a million in a paste, wait for room in it.
func (u *UI) inject(ev tcell.Event) {
	u.t.Helper()
	if key, ok := ev.(*tcell.EventKey); ok && u.Running() {
		u.screen.InjectKey(key.Key(), key.Rune(), key.Modifiers())
		return
	}
	for end := time.Now().Add(deadline); u.screen.PostEvent(ev) != nil; time.Sleep(50 * time.Microsecond) {
		if !u.Running() {
			return
		}
		if time.Now().After(end) {
			u.t.Fatalf("the console takes no events; the screen is\n%s", u.Text())
		}
	}
}

// See waits until the text is on the screen, in one line.
func (u *UI) See(text string) *UI {
	u.t.Helper()
	return u.until(fmt.Sprintf("%q", text), func(rows []string) bool { return contains(rows, text) })
}

// Gone waits until the text is not on the screen.
func (u *UI) Gone(text string) *UI {
	u.t.Helper()
	return u.until(fmt.Sprintf("no %q", text), func(rows []string) bool { return !contains(rows, text) })
}

func contains(rows []string, text string) bool {
	for _, r := range rows {
		if strings.Contains(r, text) {
			return true
		}
	}
	return false
}

func (u *UI) until(what string, ok func(rows []string) bool) *UI {
	u.t.Helper()
	timeout := time.After(deadline)
	for {
		rows, next := u.state()
		if ok(rows) {
			return u
		}
		select {
		case <-next:
		case <-u.ended:
			u.t.Fatalf("the console ended (%v) before %s; the screen was\n%s", u.err, what, u.Text())
		case <-timeout:
			u.t.Fatalf("%s did not come; the screen is\n%s", what, u.Text())
		}
	}
}

// Text is the screen as text, without blanks at the ends of lines.
func (u *UI) Text() string {
	rows, _ := u.state()
	return strings.Join(rows, "\n")
}

// Row is a row of the screen.
func (u *UI) Row(y int) string {
	rows, _ := u.state()
	if y < 0 {
		y += len(rows)
	}
	return rows[y]
}

// Cursor is where the cursor shows.
func (u *UI) Cursor() (x, y int, visible bool) {
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	return u.screen.cursor[0], u.screen.cursor[1], u.screen.cursor[2] == 1
}

// MouseReported says whether the console has the terminal report the mouse.
func (u *UI) MouseReported() bool {
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	return u.screen.mouse
}

// Style is the style of a cell.
func (u *UI) Style(x, y int) tcell.Style {
	u.t.Helper()
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	if y < 0 || y >= len(u.screen.rows) || x < 0 || x >= u.screen.cols {
		u.t.Fatalf("there is no cell %d, %d", x, y)
	}
	return u.screen.styles[y*u.screen.cols+x]
}

// Copied is everything that was put on the clipboard so far.
func (u *UI) Copied() []string {
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	return append([]string(nil), u.screen.copied...)
}

// Drag presses the left button at one place, moves it to another and lets it go
// there.
func (u *UI) Drag(x, y, toX, toY int) *UI {
	u.t.Helper()
	u.Mouse(x, y, tcell.Button1)
	u.Mouse((x+toX)/2, (y+toY)/2, tcell.Button1)
	u.Mouse(toX, toY, tcell.Button1)
	return u.Mouse(toX, toY, tcell.ButtonNone)
}

// Click clicks on the first place of the screen that has a text, once it is there.
func (u *UI) Click(text string) *UI {
	u.t.Helper()
	x, y := u.find(text)
	u.Mouse(x, y, tcell.Button1)
	return u.Mouse(x, y, tcell.ButtonNone)
}

// find is where a text stands, once it is there.
func (u *UI) find(text string) (x, y int) {
	u.t.Helper()
	for y, row := range strings.Split(u.See(text).Text(), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return screen.Width(before), y
		}
	}
	u.t.Fatalf("%q is gone", text)
	return 0, 0
}

// Frames is the number of frames so far.
func (u *UI) Frames() int {
	u.screen.mu.Lock()
	defer u.screen.mu.Unlock()
	return u.screen.frames
}

// Picture waits until the console is idle and compares the screen with the golden
// of its size, testdata/NAME-COLSxROWS.txt.
func (u *UI) Picture(name string) *UI {
	u.t.Helper()
	u.Idle()
	w, h := u.screen.Size()
	return u.Golden(fmt.Sprintf("%s-%dx%d", name, w, h))
}

// Golden compares the screen with testdata/NAME.txt.
func (u *UI) Golden(name string) *UI {
	u.t.Helper()
	path := filepath.Join("testdata", name+".txt")
	got := u.Text() + "\n"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			u.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			u.t.Fatal(err)
		}
		return u
	}
	want, err := os.ReadFile(path)
	if err != nil {
		u.t.Fatalf("%v (go test -update makes it)", err)
	}
	if got != string(want) {
		u.t.Errorf("%s: the screen is\n%s\nwant\n%s", path, got, want)
	}
	return u
}
