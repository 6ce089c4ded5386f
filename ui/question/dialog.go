package question

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/typeahead"
)

// maxEntry bounds what can be typed or pasted, in bytes.
const maxEntry = 16 << 10

// Styles are the dialog's colours.
type Styles struct{ Text, Muted, Accent, Warn, Frame tcell.Style }

// Dialog asks one question. Make one with New.
type Dialog struct {
	*tview.Box
	styles   Styles
	question Question
	now      func() time.Time
	done     func(Answer)

	guard    typeahead.Guard
	entry    string
	marked   int // the option that Enter takes; -1 before the arrows have been used
	top      int // the first row of the text that is shown
	page     int // rows of text that are shown
	rows     []bodyRow
	moved    bool // the arrows have marked another option
	width    int  // for which rows are
	height   int
	pressed  string // what the last key is about to answer
	answered bool
}

var _ tview.Primitive = (*Dialog)(nil)

// New returns a dialog that calls done with the answer, once. It takes input
// some time after its first Draw; see Wake.
func New(styles Styles, q Question, now func() time.Time, done func(Answer)) *Dialog {
	return &Dialog{Box: tview.NewBox(), styles: styles, question: q, now: now, done: done, marked: -1}
}

// Wake is how long until the dialog does something by itself, because keys begin
// to count or one has stood alone; 0 if it will not. Call Tick then.
func (d *Dialog) Wake() time.Duration { return d.guard.Wake(d.now()) }

// Hear tells of a key that may go elsewhere: none that comes with it decides.
// together says that it shared a read of the terminal with something else.
func (d *Dialog) Hear(ev *tcell.EventKey, together bool) { d.guard.Hear(d.now(), ev, together) }

// HearPaste tells of the beginning or the end of a paste.
func (d *Dialog) HearPaste() { d.guard.HearPaste(d.now()) }

// Undecided reports whether a key waits for Tick.
func (d *Dialog) Undecided() bool { return d.guard.Undecided() }

// Tick does what the last key decided, if it has stood alone for long enough.
// more reports that input waits by then: the key was not alone.
func (d *Dialog) Tick(more bool) { d.guard.Tick(d.now(), more) }

// Rearm makes the dialog wait anew, after something that may have drawn the
// operator's eyes or hands away.
func (d *Dialog) Rearm() { d.guard.Rearm() }

// InputHandler implements tview.Primitive.
func (d *Dialog) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		if !d.answered && d.guard.TakesKey(d.now(), ev) && !d.answered {
			d.key(ev)
		}
	}
}

// PasteHandler implements tview.Primitive: a paste goes into a line, and answers
// nothing.
func (d *Dialog) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if !d.answered && d.guard.TakesPaste(d.now()) && d.written() {
			line, _, _ := strings.Cut(strings.ReplaceAll(text, "\r", "\n"), "\n")
			d.insert(line)
		}
	}
}

// MouseHandler implements tview.Primitive. The wheel scrolls; nothing else does
// anything.
func (d *Dialog) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(action tview.MouseAction, _ *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		switch {
		case d.answered || !d.guard.Takes(d.now()):
		case action == tview.MouseScrollUp:
			d.scroll(-3)
		case action == tview.MouseScrollDown:
			d.scroll(3)
		}
		return true, nil
	}
}

// written reports whether the answer is written.
func (d *Dialog) written() bool { return d.question.Kind == Secret || d.question.Kind == Line }

func (d *Dialog) key(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		d.answer(Answer{})
		return
	case tcell.KeyPgUp:
		d.scroll(-max(1, d.page-1))
		return
	case tcell.KeyPgDn:
		d.scroll(max(1, d.page-1))
		return
	}
	switch d.question.Kind {
	case Secret, Line:
		d.entryKey(ev)
	case Choice:
		d.choiceKey(ev)
	default:
		d.confirmKey(ev)
	}
}

// confirmKey takes a key of a question for yes or no. One that answers stands
// alone.
func (d *Dialog) confirmKey(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyUp:
		d.scroll(-1)
	case tcell.KeyDown:
		d.scroll(1)
	default:
		yes, no := plainly(ev, 'y') && d.seen(), plainly(ev, 'n') || ev.Key() == tcell.KeyEnter
		d.pressed = ""
		switch {
		case yes:
			d.pressed = "y yes"
		case no:
			d.pressed = "n no"
		}
		d.guard.Decide(func() {
			if no || yes && d.guard.Calm() {
				d.answer(Answer{Given: yes})
			}
		})
	}
}

// choiceKey takes a key of a choice. One that answers stands alone.
func (d *Dialog) choiceKey(ev *tcell.EventKey) {
	n := len(d.question.Options)
	switch ev.Key() {
	case tcell.KeyUp:
		d.marked, d.moved = max(d.marked-1, 0), true
	case tcell.KeyDown:
		d.marked, d.moved = min(d.marked+1, n-1), true
	default:
		chosen := -1
		for i := range n {
			if plainly(ev, rune('1'+i)) || ev.Key() == tcell.KeyEnter && d.marked == i {
				chosen = i
			}
		}
		d.pressed = ""
		if chosen >= 0 {
			d.pressed = strconv.Itoa(chosen + 1)
		}
		d.guard.Decide(func() {
			if chosen >= 0 && d.guard.Calm() {
				d.answer(Answer{Given: true, Option: chosen})
			}
		})
	}
}

func (d *Dialog) entryKey(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEnter:
		if d.guard.Calm() {
			d.answer(Answer{Given: true, Text: d.entry})
		}
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(d.entry)
		d.entry = d.entry[:len(d.entry)-n]
	case tcell.KeyCtrlU:
		d.entry = ""
	case tcell.KeyRune:
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0 {
			d.insert(string(ev.Rune()))
		}
	}
}

func (d *Dialog) insert(text string) {
	if len(d.entry)+len(text) <= maxEntry {
		d.entry += text
	}
}

// plainly reports whether a key is a letter without a modifier.
func plainly(ev *tcell.EventKey, r rune) bool {
	return ev.Key() == tcell.KeyRune && ev.Rune() == r && ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0
}

func (d *Dialog) scroll(by int) { d.top = max(0, min(d.top+by, len(d.rows)-d.page)) }

// seen reports whether the last line of the text is or was on the screen.
func (d *Dialog) seen() bool { return len(d.rows) > 0 && d.top+d.page >= len(d.rows) }

// answer ends the dialog.
func (d *Dialog) answer(a Answer) {
	d.answered = true
	d.entry = ""
	d.done(a)
}
