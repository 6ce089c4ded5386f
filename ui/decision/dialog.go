package decision

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/screen"
)

// Dialog asks the operator for one answer and guards it: see [Approval] and
// [QuestionDialog].
type Dialog interface {
	tview.Primitive
	// Wake is how long until the dialog does something by itself, because keys
	// begin to count or one has stood alone; 0 if it will not. Call Tick then, and
	// draw it again.
	Wake() time.Duration
	// Hear tells of a key that may go elsewhere: none that comes with it decides.
	// together says that it shared a read of the terminal with something else.
	Hear(ev *tcell.EventKey, together bool)
	// HearPaste tells of the beginning or the end of a paste.
	HearPaste()
	// Undecided reports whether a key waits for Tick.
	Undecided() bool
	// Tick does what the last key decided, if it has stood alone for long enough.
	// more reports that input waits by then: the key was not alone.
	Tick(more bool)
	// Rearm makes the dialog wait anew, after something that may have drawn the
	// operator's eyes or hands away: the window got the focus back, another dialog
	// covered this one.
	Rearm()
	// Writing reports whether keys go into a text.
	Writing() bool
	// Height is how many rows the dialog needs in a width, at most so many.
	Height(width, most int) int
}

// Styles are a dialog's colours. Frame is the one of the target's trust, or of a
// question.
type Styles struct {
	Text, Muted, Accent, Danger, Warn, Ok, Border, Frame tcell.Style
}

// guarded is what all dialogs share: no input reaches one past its guard.
type guarded struct {
	*tview.Box
	styles   Styles
	now      func() time.Time
	guard    Guard
	answered bool
	pressed  string // what the last key is about to do

	// What the dialog does with input that counts.
	takeKey   func(*tcell.EventKey)
	takePaste func(string)
	scroll    func(rows int)
	click     func(x, y int)
}

func newGuarded(styles Styles, now func() time.Time) guarded {
	return guarded{Box: tview.NewBox(), styles: styles, now: now}
}

// Wake implements [Dialog].
func (d *guarded) Wake() time.Duration { return d.guard.Wake(d.now()) }

// Hear implements [Dialog].
func (d *guarded) Hear(ev *tcell.EventKey, together bool) { d.guard.Hear(d.now(), ev, together) }

// HearPaste implements [Dialog].
func (d *guarded) HearPaste() { d.guard.HearPaste(d.now()) }

// Undecided implements [Dialog].
func (d *guarded) Undecided() bool { return d.guard.Undecided() }

// Tick implements [Dialog].
func (d *guarded) Tick(more bool) { d.guard.Tick(d.now(), more) }

// Rearm implements [Dialog].
func (d *guarded) Rearm() { d.guard.Rearm() }

// InputHandler implements tview.Primitive.
func (d *guarded) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		if !d.answered && d.guard.TakesKey(d.now(), ev) && !d.answered {
			d.takeKey(ev)
		}
	}
}

// PasteHandler implements tview.Primitive: a paste answers nothing.
func (d *guarded) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if !d.answered && d.guard.TakesPaste(d.now()) {
			d.takePaste(text)
		}
	}
}

// MouseHandler implements tview.Primitive. The wheel scrolls, and a click does what the
// key under it does; but it approves nothing.
func (d *guarded) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		if d.answered || !d.guard.Takes(d.now()) {
			return true, nil
		}
		switch action {
		case tview.MouseScrollUp:
			d.scroll(-3)
		case tview.MouseScrollDown:
			d.scroll(3)
		case tview.MouseLeftDown:
			d.click(ev.Position())
		}
		return true, nil
	}
}

// decide has act done if the key that was just taken stands alone. meaning says
// what it is about to do; empty if it does nothing now.
func (d *guarded) decide(meaning string, act func()) {
	d.pressed = meaning
	d.guard.Decide(act)
}

// deciding is what the last key is about to do and how much of its time has gone
// by, within a width; empty if none is held.
func (d *guarded) deciding(width int) string {
	part, held := d.guard.Filled(d.now())
	if !held || d.pressed == "" {
		return ""
	}
	text := d.pressed + " " + Bar(part)
	if long := text + " any other key cancels"; screen.Width(long) <= width {
		return long
	}
	return text
}

// letter is the character that a key is without a modifier; 0 if it is none.
func letter(ev *tcell.EventKey) rune {
	if ev.Key() != tcell.KeyRune || ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0 {
		return 0
	}
	return ev.Rune()
}
