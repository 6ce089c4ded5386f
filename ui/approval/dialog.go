package approval

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/typeahead"
)

// Styles are the dialog's colours. Frame is the one of the target's trust.
type Styles struct {
	Text, Muted, Accent, Danger, Warn, Ok, Border, Frame tcell.Style
}

// mode is what has the keyboard within the dialog.
type mode uint8

const (
	asking    mode = iota // the keys of the dialog
	naming                // the target's name is typed
	reasoning             // the reason of a denial is written
	editing               // the command is edited
)

// Dialog asks for one answer. Make one with New.
type Dialog struct {
	*tview.Box
	styles  Styles
	request policy.Request
	now     func() time.Time
	done    func(policy.Answer)

	guard    typeahead.Guard
	mode     mode
	field    *editor // in every mode but asking
	pressed  string  // what the last key is about to do
	ending   bool    // Enter was pressed in it, and it is not known yet whether more follows
	named    bool    // the target's name has been typed
	explains bool    // the explanation is shown instead of what would run
	keep     keep    // ... or the rule that would hold from now on
	answered bool
	void     string    // why it cannot be approved any more; empty if it can
	link     string    // what is wrong with the way to its target; empty while all is well
	ready    time.Time // since when it could be answered; zero if it could not yet
	looker   func()    // asks for a look around; nil if there is none
	look     *look     // what came of it; nil before it was asked for

	width, height int    // of the last Draw
	rest          []line // what nod and the model say and the foot has no room for
	titleCut      bool
	rows          []row // what scrolls, for that width
	must          int   // so many of them, from the first, are what would run
	top           int   // the first row shown
	page          int   // rows shown at once
	small         bool  // there is no room to ask
	seen          bool  // every row of what would run has been on the screen
	unread        rowSet
}

var _ tview.Primitive = (*Dialog)(nil)

// New returns a dialog for r that calls done with the answer, once. It becomes
// answerable some time after its first Draw; see Wake.
func New(styles Styles, r policy.Request, now func() time.Time, done func(policy.Answer)) *Dialog {
	return &Dialog{Box: tview.NewBox(), styles: styles, request: r, now: now, done: done}
}

// Request is what the dialog asks about.
func (d *Dialog) Request() policy.Request { return d.request }

// Void takes the approval away: what the request was about has changed since, as
// why says. The request can be denied still, which tells why, or edited, which
// makes another one of it. The first reason stays.
func (d *Dialog) Void(why string) {
	if d.void != "" || why == "" {
		return
	}
	d.void = why
	if d.mode == naming {
		d.mode, d.field = asking, nil
	}
}

// Link says what is wrong with the way to the target, or with an empty text that
// nothing is any more. It can be approved still, and then fails there.
func (d *Dialog) Link(wrong string) { d.link = wrong }

// Wake is how long until the dialog does something by itself, because keys begin
// to count or one has stood alone; 0 if it will not. Call Tick then, and draw it
// again.
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
// operator's eyes or hands away: the console's window got the focus back,
// another dialog covered this one.
func (d *Dialog) Rearm() {
	d.ending = false
	d.guard.Rearm()
}

// Focus implements tview.Primitive. It rearms the dialog.
func (d *Dialog) Focus(delegate func(tview.Primitive)) {
	d.Rearm()
	d.Box.Focus(delegate)
}

// InputHandler implements tview.Primitive.
func (d *Dialog) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		d.noteReady()
		if d.answered || !d.guard.TakesKey(d.now(), ev) || d.answered {
			return
		}
		if d.mode == asking {
			d.key(ev)
		} else {
			d.fieldKey(ev)
		}
	}
}

// PasteHandler implements tview.Primitive. What is pasted goes into a text that
// is written at the moment, and nowhere else: not into the target's name.
func (d *Dialog) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if d.answered || !d.guard.TakesPaste(d.now()) {
			return
		}
		if d.mode == reasoning || d.mode == editing {
			d.goOn()
			d.field.insert(text)
		}
	}
}

// MouseHandler implements tview.Primitive. The wheel scrolls; nothing else does
// anything.
func (d *Dialog) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(action tview.MouseAction, _ *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		if d.answered || !d.guard.Takes(d.now()) {
			return true, nil
		}
		switch action {
		case tview.MouseScrollUp:
			d.scroll(-3)
		case tview.MouseScrollDown:
			d.scroll(3)
		}
		return true, nil
	}
}

// key takes a key while the dialog asks. Scrolling happens at once; a key that
// does more stands alone.
func (d *Dialog) key(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyUp:
		d.scroll(-1)
	case tcell.KeyDown:
		d.scroll(1)
	case tcell.KeyPgUp:
		d.scroll(-max(1, d.page-1))
	case tcell.KeyPgDn:
		d.scroll(max(1, d.page-1))
	case tcell.KeyHome:
		d.scroll(-len(d.rows))
	case tcell.KeyEnd:
		d.scroll(len(d.rows))
	case tcell.KeyEscape:
		d.decide(ev, d.escape)
	case tcell.KeyEnter:
		d.decide(ev, func() {
			if !d.explains {
				d.answer(policy.Answer{})
			}
		})
	default:
		if ev.Key() == tcell.KeyRune && ev.Rune() == ' ' {
			d.scroll(max(1, d.page-1))
			return
		}
		d.decide(ev, func() { d.letter(ev) })
	}
}

// decide has act done if the key stands alone.
func (d *Dialog) decide(ev *tcell.EventKey, act func()) {
	d.pressed = d.meaning(ev)
	d.guard.Decide(act)
}

// meaning is what a key that decides is about to do, in a word or two; empty if it
// does nothing now.
func (d *Dialog) meaning(ev *tcell.EventKey) string {
	switch {
	case d.explains && (ev.Key() == tcell.KeyEscape || ev.Rune() == 'x'):
		return "back"
	case ev.Key() == tcell.KeyEscape, ev.Key() == tcell.KeyEnter && !d.explains, ev.Key() == tcell.KeyRune && ev.Rune() == 'n':
		return "n deny"
	case ev.Key() != tcell.KeyRune || ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0:
		return ""
	}
	approves := d.void == "" && !d.small && !d.explains && d.seen
	_, editable := d.editable()
	switch r := ev.Rune(); {
	case r == 'y' && approves:
		return "y approve"
	case r == 'c' && approves && d.offers(policy.Conversation):
		return "c approve, also again"
	case r == 'a' && d.offers(policy.Always):
		return "a always"
	case r == 'r' && approves && d.request.Revert != nil:
		return "r approve with a revert"
	case r == 'd':
		return "d deny with reason"
	case r == 'e' && editable:
		return "e edit"
	case r == 'x':
		return "x explain"
	case r == 'p' && d.looker != nil && d.look == nil:
		return "p preview"
	}
	return ""
}

func (d *Dialog) escape() {
	if d.explains {
		d.toggle()
		return
	}
	d.answer(policy.Answer{})
}

func (d *Dialog) letter(ev *tcell.EventKey) {
	if ev.Key() != tcell.KeyRune || ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0 {
		return
	}
	switch ev.Rune() {
	case 'y':
		d.approve(policy.Answer{Scope: policy.Once})
	case 'c':
		if d.offers(policy.Conversation) {
			d.approve(policy.Answer{Scope: policy.Conversation})
		}
	case 'a':
		d.keepRule()
	case 'r':
		if d.request.Revert != nil {
			d.approve(policy.Answer{Scope: policy.Once, Revert: true})
		}
	case 'p':
		d.lookAround()
	case 'n':
		d.answer(policy.Answer{})
	case 'd':
		d.open(reasoning, "")
	case 'e':
		if text, ok := d.editable(); ok {
			d.open(editing, text)
		}
	case 'x':
		d.toggle()
	}
}

// approve approves as a says if nothing is missing, and shows what is if
// something is.
func (d *Dialog) approve(a policy.Answer) {
	switch {
	case d.void != "" || !d.guard.Calm() || d.small || d.explains || !d.seen:
	case d.request.Confirm != "" && !d.named:
		d.open(naming, "")
	default:
		a.Approved, a.Typed = true, d.request.Confirm
		d.answer(a)
	}
}

// noteReady notes since when the request could have been answered.
func (d *Dialog) noteReady() {
	if d.ready.IsZero() && d.guard.Approves(d.now()) <= 0 {
		d.ready = d.now()
	}
}

func (d *Dialog) offers(s policy.Scope) bool {
	for _, offered := range d.request.Scopes {
		if offered == s {
			return true
		}
	}
	return false
}

// editable is the text that can be edited, if there is one.
func (d *Dialog) editable() (string, bool) {
	switch a := d.request.Action; a.Kind {
	case tools.Exec, tools.Run:
		return a.Command, true
	case tools.Type:
		return a.Literal, a.Literal != ""
	}
	return "", false
}

// fieldKey takes a key while something is written. Enter ends it; within a burst
// of keys it is a part of the text, as in a paste.
func (d *Dialog) fieldKey(ev *tcell.EventKey) {
	d.goOn()
	switch {
	case ev.Key() == tcell.KeyEscape:
		d.mode, d.field = asking, nil
	case d.mode == editing && (ev.Key() == tcell.KeyEnter && ev.Modifiers()&(tcell.ModAlt|tcell.ModShift) != 0 || ev.Key() == tcell.KeyCtrlJ):
		d.field.insert("\n")
	case ev.Key() == tcell.KeyEnter && d.mode == naming: // which alone decides nothing
		d.take()
	case ev.Key() == tcell.KeyEnter:
		d.ending = true
		d.guard.End(d.take)
	default:
		d.field.key(ev)
	}
}

// goOn has the Enter before be a part of what is written.
func (d *Dialog) goOn() {
	if d.ending {
		d.ending = false
		d.field.insert("\n")
	}
}

// take takes what was written.
func (d *Dialog) take() {
	text, was := d.field.text, d.mode
	d.mode, d.field, d.ending = asking, nil, false
	switch was {
	case naming:
		d.named = text == d.request.Confirm
	case reasoning:
		d.answer(policy.Answer{Reason: text})
	case editing:
		if before, _ := d.editable(); text != before {
			d.answer(policy.Answer{Edited: &text})
		}
	}
}

func (d *Dialog) open(m mode, text string) {
	d.mode, d.field = m, newEditor(text, m == editing)
}

// toggle shows or hides the explanation.
func (d *Dialog) toggle() {
	d.explains, d.keep = !d.explains, keep{}
	d.rows, d.top = nil, 0
}

func (d *Dialog) scroll(by int) {
	d.top = max(0, min(d.top+by, len(d.rows)-d.page))
}

// answer ends the dialog.
func (d *Dialog) answer(a policy.Answer) {
	if d.answered {
		return
	}
	d.answered = true
	if d.void != "" && !a.Approved && a.Edited == nil { // the model cannot know
		a.Void = d.void
	}
	a.RequestID = d.request.ID
	if !d.ready.IsZero() {
		a.After = max(1, d.now().Sub(d.ready))
	}
	d.done(a)
}
