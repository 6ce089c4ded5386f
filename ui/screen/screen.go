package screen

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
	"golang.org/x/sys/unix"
)

// ErrNoTerminal is the error of New where there is no terminal to draw on.
var ErrNoTerminal = errors.New("not a terminal")

// Screen is a tcell.Screen that sends only what differs from the frame before. It
// belongs to one goroutine; see the package's comment.
type Screen struct {
	tcell.Screen // the input and the modes of the terminal; and its cells without a painter

	tty           *quietTTY // nil if the screen below is not a terminal of ours
	painter       *painter  // draws in place of the screen below; nil where it cannot
	encoder       encoder
	tables        tables
	width, height int
	next, last    []cell
	cursor, shown position
	stale         bool // the terminal does not show last

	held  atomic.Pointer[unix.Termios] // what the terminal was set to; nil where that is not known, and once it is given back
	off   atomic.Pointer[string]       // what ends its modes
	guard atomic.Pointer[guard]        // nil while nobody guards the terminal

	taken  bool // Init succeeded
	finish sync.Once
	queue  queue
}

type position struct{ x, y int }

var hidden = position{-1, -1}

// New prepares the operator's terminal; Init takes it over. The error wraps
// ErrNoTerminal if there is none.
func New() (*Screen, error) {
	tty, err := openTTY()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	return newAt("/dev/tty", tty)
}

// NewAt is New on the terminal whose device is at path.
func NewAt(path string) (*Screen, error) {
	tty, err := tcell.NewDevTtyFromDev(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoTerminal, path, err)
	}
	return newAt(path, tty)
}

func newAt(path string, tty tcell.Tty) (*Screen, error) {
	s, err := NewOn(tty)
	if err == nil {
		s.tty.path = path
	}
	return s, err
}

// NewOn is New on a given terminal device. A terminal type that nobody knows is
// taken for an xterm, which is what nearly all are. What is drawn is UTF-8; where
// the locale names another character set (see [Charset]), Init fails.
func NewOn(device tcell.Tty) (*Screen, error) {
	drawUTF8()
	tty := &quietTTY{Tty: device}
	ti, err := tcell.LookupTerminfo(os.Getenv("TERM"))
	if err != nil {
		var lookupErr error
		if ti, lookupErr = tcell.LookupTerminfo("xterm-256color"); lookupErr != nil {
			return nil, fmt.Errorf("terminal type %q: %w", os.Getenv("TERM"), err)
		}
	}
	if paintable(ti) {
		ti = staying(*ti)
	}
	inner, err := tcell.NewTerminfoScreenFromTtyTerminfo(tty, ti)
	if err != nil {
		return nil, fmt.Errorf("terminal type %q: %w", os.Getenv("TERM"), err)
	}
	s := Wrap(inner)
	s.tty = tty
	tty.events = s.EventQ
	if paintable(ti) {
		tty.keep = ti.HideCursor
		s.painter, s.encoder = &painter{xterm: ti.XTermLike}, encoder{inner, tty}
	}
	return s, nil
}

// Wrap puts a frame comparison in front of any screen.
func Wrap(inner tcell.Screen) *Screen {
	return &Screen{Screen: inner, tables: newTables(), cursor: hidden, shown: hidden, stale: true}
}

// Init takes the terminal over, with reports of pastes and of the focus.
func (s *Screen) Init() error {
	if err := s.take(s.Screen.Init); err != nil {
		return err
	}
	s.taken = true
	s.EnablePaste()
	s.EnableFocus()
	s.resize()
	return nil
}

// take takes the terminal over by init.
func (s *Screen) take(init func() error) error {
	if s.tty != nil {
		every := modesOff(everyModeOn()) // until it is known which ones are switched on
		s.off.Store(&every)
		s.tty.note()
	}
	s.look()
	err := init()
	if s.tty != nil {
		off := modesOff(s.tty.noted())
		s.off.Store(&off)
	}
	if err != nil {
		s.held.Store(nil)
		return fmt.Errorf("take over the terminal: %w", err)
	}
	return nil
}

// ErrHeld is the error of Suspend where the terminal could not be given back in an
// orderly way. The screen is of no use any more, and neither is the terminal before
// Rescue.
var ErrHeld = errors.New("what draws on the terminal or reads it does not stop")

// letGoTime bounds the wait for what draws on the terminal and reads it. Tests wait
// less.
const letGoTime = time.Second

// Fini restores the terminal. Unread input is thrown away. What does not stop is left
// behind, for the end of the process.
func (s *Screen) Fini() {
	s.finish.Do(func() {
		s.queue.end()
		if !s.letGo(s.Screen.Fini) {
			s.Rescue(letGoTime)
			return
		}
		s.held.Store(nil)
		s.unguard()
	})
}

// Suspend restores the terminal until Resume. Unread input is thrown away. The error
// wraps ErrHeld if that cannot be done.
func (s *Screen) Suspend() error {
	failed := make(chan error, 1)
	if !s.letGo(func() { failed <- s.Screen.Suspend() }) {
		return fmt.Errorf("give the terminal back: %w", ErrHeld)
	}
	if err := <-failed; err != nil {
		return fmt.Errorf("give the terminal back: %w", err)
	}
	s.held.Store(nil)
	s.unguard()
	return nil
}

// Resume takes the terminal over again after Suspend. The next frame is sent
// whole, for whatever was drawn meanwhile.
func (s *Screen) Resume() error {
	if err := s.take(s.Screen.Resume); err != nil {
		return err
	}
	s.stale, s.shown = true, hidden
	return nil
}

// letGo stops the screen below by stop, and reports whether it did within letGoTime.
// Input is thrown away meanwhile: tcell waits for its goroutines, which wait for room in
// the queue of events. So is what they have left in the queue: a key from before would come
// to this program when it is back. What this program has posted itself is no input, and comes
// behind.
func (s *Screen) letGo(stop func()) bool {
	var posted []tcell.Event
	defer func() {
		for _, ev := range posted {
			_ = s.PostEvent(ev) // there is room: all else was thrown away
		}
	}()
	end := time.Now().Add(letGoTime)
	if s.tty != nil && s.taken {
		for s.tty.ground.due(time.Now()) > 0 && !s.tty.hungUp() && time.Now().Before(end) {
			posted = s.drop(posted)
		}
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	for {
		select {
		case <-stopped:
			for s.HasPendingEvent() {
				posted = s.drop(posted)
			}
			return true
		default:
			if time.Now().After(end) {
				return false
			}
			posted = s.drop(posted)
		}
	}
}

// drop throws away one event, or waits a moment for one. An event that this program has
// posted is added to posted instead.
func (s *Screen) drop(posted []tcell.Event) []tcell.Event {
	if !s.HasPendingEvent() {
		time.Sleep(time.Millisecond)
		return posted
	}
	if ev, ok := s.PollEvent().(*tcell.EventInterrupt); ok {
		posted = append(posted, ev)
	}
	return posted
}

// InputWaits reports whether there is input that no event has told of yet: in the
// terminal, with whoever reads it, or as an event that nobody took. An escape at
// the end of more input is such: what comes behind it may belong to it. The queue is
// looked at last: what the reader has handed on is there until the caller takes it.
func (s *Screen) InputWaits() bool {
	return s.tty != nil && s.taken && s.tty.inputWaits() || s.HasPendingEvent()
}

// Size is the size of the frame that is being drawn. It follows the terminal's
// with the next Clear or Fill.
func (s *Screen) Size() (width, height int) {
	if s.next == nil {
		s.resize()
	}
	return s.width, s.height
}

// resize makes room for a frame of the terminal's size.
func (s *Screen) resize() {
	w, h := s.Screen.Size()
	if w == s.width && h == s.height && s.next != nil {
		return
	}
	s.width, s.height = w, h
	s.next, s.last = make([]cell, w*h), make([]cell, w*h)
	fill(s.next, blank)
	s.stale = true
}

func fill(cells []cell, c cell) {
	for i := range cells {
		cells[i] = c
	}
}

// Clear begins a frame.
func (s *Screen) Clear() { s.Fill(' ', tcell.StyleDefault) }

// Fill begins a frame.
func (s *Screen) Fill(r rune, style tcell.Style) {
	s.resize()
	if s.tables.full() {
		s.tables = newTables()
		s.stale = true
		if s.painter != nil {
			s.painter.looks = nil
		}
	}
	fill(s.next, cell{r, s.tables.style(style), 1})
}

// Put draws the first grapheme cluster of text.
func (s *Screen) Put(x, y int, text string, style tcell.Style) (rest string, width int) {
	if x < 0 || y < 0 || x >= s.width || y >= s.height || text == "" {
		return text, 0
	}
	cluster, rest, w := first(text)
	if w == 0 {
		return rest, 0
	}
	if w == 2 && x+1 >= s.width {
		cluster, w = " ", 1
	}
	line := s.next[y*s.width : (y+1)*s.width]
	drawn := cell{s.tables.glyph(cluster), s.tables.style(style), int8(w)}
	s.split(line, x)
	if w == 2 {
		s.split(line, x+1)
		line[x+1] = cell{' ', drawn.style, 0}
	}
	line[x] = drawn
	return rest, w
}

// split blanks the other half of a wide character that x is one half of.
func (s *Screen) split(line []cell, x int) {
	switch line[x].width {
	case 0:
		line[x-1] = cell{' ', line[x-1].style, 1}
		line[x] = cell{' ', line[x].style, 1}
	case 2:
		line[x+1] = cell{' ', line[x+1].style, 1}
	}
}

// first is the first grapheme cluster of text that takes room.
func first(text string) (cluster, rest string, width int) {
	if plain(text) == 1 {
		return text[:1], text[1:], 1
	}
	start := text
	for state := -1; text != "" && width == 0; {
		_, text, width, state = uniseg.FirstGraphemeClusterInString(text, state)
	}
	return start[:len(start)-len(text)], text, min(width, 2)
}

// PutStr draws text in the default style.
func (s *Screen) PutStr(x, y int, text string) { s.PutStrStyled(x, y, text, tcell.StyleDefault) }

// PutStrStyled draws text up to the end of the line.
func (s *Screen) PutStrStyled(x, y int, text string, style tcell.Style) {
	for text != "" && x < s.width {
		var w int
		if text, w = s.Put(x, y, text, style); w == 0 {
			return
		}
		x += w
	}
}

// SetCell draws one character.
func (s *Screen) SetCell(x, y int, style tcell.Style, ch ...rune) {
	text := string(ch)
	if text == "" {
		text = " "
	}
	s.Put(x, y, text, style)
}

// SetContent draws one character.
func (s *Screen) SetContent(x, y int, primary rune, combining []rune, style tcell.Style) {
	if len(combining) == 0 {
		s.Put(x, y, string(primary), style)
		return
	}
	s.Put(x, y, string(primary)+string(combining), style)
}

// Get is what the present frame holds at a place.
func (s *Screen) Get(x, y int) (text string, style tcell.Style, width int) {
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return "", tcell.StyleDefault, 0
	}
	c := s.next[y*s.width+x]
	return s.tables.text(c.glyph), s.tables.styles[c.style], max(int(c.width), 1)
}

// GetContent is what the present frame holds at a place.
func (s *Screen) GetContent(x, y int) (primary rune, combining []rune, style tcell.Style, width int) {
	text, style, width := s.Get(x, y)
	for i, r := range text {
		if i == 0 {
			primary = r
		} else {
			combining = append(combining, r)
		}
	}
	return primary, combining, style, width
}

// ShowCursor places the cursor of the present frame.
func (s *Screen) ShowCursor(x, y int) {
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		s.cursor = hidden
		return
	}
	s.cursor = position{x, y}
}

// HideCursor leaves the present frame without a cursor.
func (s *Screen) HideCursor() { s.cursor = hidden }
