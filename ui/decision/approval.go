package decision

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
)

// mode is what has the keyboard within the dialog.
type mode uint8

const (
	asking    mode = iota // the keys of the dialog
	naming                // the target's name is typed
	reasoning             // the reason of a denial is written
	editing               // the command is edited
)

// Approval asks whether something may run. Make one with NewApproval.
type Approval struct {
	guarded
	request policy.Request
	done    func(policy.Answer)

	mode     mode
	field    *editor   // in every mode but asking
	ending   bool      // Enter was pressed in it, and it is not known yet whether more follows
	named    bool      // the target's name has been typed
	explains bool      // the explanation is shown instead of what would run
	keep     keep      // ... or the rule that would hold from now on
	void     string    // why it cannot be approved any more; empty if it can
	link     string    // what is wrong with the way to its target; empty while all is well
	ready    time.Time // since when it could be answered; zero if it could not yet
	looker   func()    // asks for a look around; nil if there is none
	look     *look     // what came of it; nil before it was asked for
	trier    func()    // asks for a held run; nil if there is none
	trial    *look     // what came of it; nil before it was asked for

	width, height int    // of the last Draw
	rest          []line // what nod and the model say and the foot has no room for
	titleCut      bool
	rows          []row // what scrolls, for that width
	must          int   // so many of them, also of those that are folded, are to be read
	folded        bool  // what is between findings and changes is left out
	foldedAt      int   // the number of the row at the top when that was done
	folds         int   // how many rows that is, or would be
	tabs          bool  // there are so many rows that a key to the next finding is of use
	top           int   // the first row shown
	page          int   // rows shown at once
	wanted        wanted
	small         bool // there is no room to ask
	own           bool // the operator's key has changed what is shown, and so how high it is
	seen          bool // every row of what would run has been on the screen
	unread        rowSet
	spots         []keySpot // of the last Draw
	pointed       rune      // a key that approves, on which the mouse was clicked
}

var _ Dialog = (*Approval)(nil)

// NewApproval returns a dialog for r that calls done with the answer, once. It becomes
// answerable some time after its first Draw; see Wake.
func NewApproval(styles Styles, r policy.Request, now func() time.Time, done func(policy.Answer)) *Approval {
	d := &Approval{guarded: newGuarded(styles, now), request: r, done: done}
	d.takeKey, d.takePaste, d.scroll, d.click = d.key, d.pasted, d.scrollBy, d.clicked
	return d
}

// Request is what the dialog asks about.
func (d *Approval) Request() policy.Request { return d.request }

// Void takes the approval away: what the request was about has changed since, as
// why says. The request can be denied still, which tells why, or edited, which
// makes another one of it. The first reason stays.
func (d *Approval) Void(why string) {
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
func (d *Approval) Link(wrong string) { d.link = wrong }

// Rearm implements [Dialog].
func (d *Approval) Rearm() {
	d.ending = false
	d.guarded.Rearm()
}

// Focus implements tview.Primitive. It rearms the dialog.
func (d *Approval) Focus(delegate func(tview.Primitive)) {
	d.Rearm()
	d.Box.Focus(delegate)
}

// InputHandler implements tview.Primitive.
func (d *Approval) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	take := d.guarded.InputHandler()
	return func(ev *tcell.EventKey, focus func(tview.Primitive)) {
		d.noteReady()
		d.pointed = 0
		take(ev, focus)
	}
}

// pasted takes a paste: it goes into a text that is written at the moment, and
// nowhere else: not into the target's name.
func (d *Approval) pasted(text string) {
	if d.mode == reasoning || d.mode == editing {
		d.goOn()
		d.field.insert(text)
	}
}

// Writing implements [Dialog].
func (d *Approval) Writing() bool { return d.mode != asking }

// key takes a key.
func (d *Approval) key(ev *tcell.EventKey) {
	if d.mode == asking {
		d.askedKey(ev)
	} else {
		d.fieldKey(ev)
	}
}

// askedKey takes a key while the dialog asks. Scrolling happens at once; a key that
// does more stands alone.
func (d *Approval) askedKey(ev *tcell.EventKey) {
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
	case tcell.KeyTab:
		d.toMark(1)
	case tcell.KeyBacktab:
		d.toMark(-1)
	case tcell.KeyEscape:
		d.decide(d.meaning(ev), d.escape)
	case tcell.KeyEnter:
		d.decide(d.meaning(ev), func() {
			if !d.explains {
				d.answer(policy.Answer{})
			}
		})
	default:
		if ev.Key() == tcell.KeyRune && ev.Rune() == ' ' {
			d.scroll(max(1, d.page-1))
			return
		}
		d.decide(d.meaning(ev), func() { d.letter(ev) })
	}
}

// noteReady notes since when the request could have been answered.
func (d *Approval) noteReady() {
	if d.ready.IsZero() && d.guard.Approves(d.now()) <= 0 {
		d.ready = d.now()
	}
}

// fieldKey takes a key while something is written. Enter ends it; within a burst
// of keys it is a part of the text, as in a paste.
func (d *Approval) fieldKey(ev *tcell.EventKey) {
	d.goOn()
	switch {
	case ev.Key() == tcell.KeyEscape:
		d.own, d.mode, d.field = true, asking, nil
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
func (d *Approval) goOn() {
	if d.ending {
		d.ending = false
		d.field.insert("\n")
	}
}

// take takes what was written.
func (d *Approval) take() {
	text, was := d.field.text, d.mode
	d.own = true
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

func (d *Approval) open(m mode, text string) {
	d.own = true
	d.mode, d.field = m, newEditor(text, m == editing)
}

// toggle shows or hides the explanation.
func (d *Approval) toggle() {
	d.own = true
	d.explains, d.keep = !d.explains, keep{}
	d.rows, d.top = nil, 0
}

// toMark scrolls to the next finding or change, or to the one before.
func (d *Approval) toMark(step int) {
	for i := d.top + step; i >= 0 && i < len(d.rows); i += step {
		if d.rows[i].mark {
			d.scrollBy(i - d.top)
			return
		}
	}
}

func (d *Approval) scrollBy(by int) {
	d.top = max(0, min(d.top+by, len(d.rows)-d.page))
}

// answer ends the dialog.
func (d *Approval) answer(a policy.Answer) {
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
