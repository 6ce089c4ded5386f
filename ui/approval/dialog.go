package approval

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
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

	guard    guard
	mode     mode
	field    *editor // in every mode but asking
	named    bool    // the target's name has been typed
	explains bool    // the explanation is shown instead of what would run
	answered bool

	width, height int // of the last Draw
	titleCut      bool
	rows          []row // what scrolls, for that width
	top           int   // the first row shown
	page          int   // rows shown at once
	small         bool  // there is no room to ask
	seen          bool  // the last line of what would run has been on the screen
}

var _ tview.Primitive = (*Dialog)(nil)

// New returns a dialog for r that calls done with the answer, once. It becomes
// answerable some time after its first Draw; see Wake.
func New(styles Styles, r policy.Request, now func() time.Time, done func(policy.Answer)) *Dialog {
	return &Dialog{Box: tview.NewBox(), styles: styles, request: r, now: now, done: done}
}

// Request is what the dialog asks about.
func (d *Dialog) Request() policy.Request { return d.request }

// Wake is how long until the dialog looks different by itself, because keys
// begin to count; 0 if it will not. Draw it again then.
func (d *Dialog) Wake() time.Duration { return max(0, d.guard.approves(d.now())) }

// Rearm makes the dialog wait anew, after something that may have drawn the
// operator's eyes or hands away: the console's window got the focus back,
// another dialog covered this one.
func (d *Dialog) Rearm() { d.guard.rearm() }

// Focus implements tview.Primitive. It rearms the dialog.
func (d *Dialog) Focus(delegate func(tview.Primitive)) {
	d.Rearm()
	d.Box.Focus(delegate)
}

// InputHandler implements tview.Primitive.
func (d *Dialog) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		if d.answered || !d.guard.takesKey(d.now(), ev) {
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
		if d.answered || !d.guard.takesPaste(d.now()) {
			return
		}
		if d.mode == reasoning || d.mode == editing {
			d.field.insert(text)
		}
	}
}

// MouseHandler implements tview.Primitive. The wheel scrolls; nothing else does
// anything.
func (d *Dialog) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(action tview.MouseAction, _ *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		if d.answered || !d.guard.takes(d.now()) {
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

// key takes a key while the dialog asks.
func (d *Dialog) key(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEscape:
		if d.explains {
			d.toggle()
			return
		}
		d.answer(policy.Answer{})
	case tcell.KeyEnter:
		if !d.explains {
			d.answer(policy.Answer{})
		}
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
	case tcell.KeyRune:
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0 {
			d.letter(ev.Rune())
		}
	}
}

func (d *Dialog) letter(r rune) {
	switch r {
	case 'y':
		d.approve(policy.Once)
	case 'c':
		if d.offers(policy.Conversation) {
			d.approve(policy.Conversation)
		}
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

// approve approves if nothing is missing, and shows what is if something is.
func (d *Dialog) approve(s policy.Scope) {
	switch {
	case !d.guard.calm || d.small || d.explains || !d.seen:
	case d.request.Confirm != "" && !d.named:
		d.open(naming, "")
	default:
		d.answer(policy.Answer{Approved: true, Scope: s, Typed: d.request.Confirm})
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

// fieldKey takes a key while something is written.
func (d *Dialog) fieldKey(ev *tcell.EventKey) {
	switch {
	case ev.Key() == tcell.KeyEscape:
		d.mode, d.field = asking, nil
	case d.mode == editing && (ev.Key() == tcell.KeyEnter && ev.Modifiers()&tcell.ModAlt != 0 || ev.Key() == tcell.KeyCtrlJ):
		d.field.insert("\n")
	case ev.Key() == tcell.KeyEnter:
		d.take()
	default:
		d.field.key(ev)
	}
}

// take takes what was written.
func (d *Dialog) take() {
	text, was := d.field.text, d.mode
	d.mode, d.field = asking, nil
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
	d.explains = !d.explains
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
	a.RequestID = d.request.ID
	d.done(a)
}
