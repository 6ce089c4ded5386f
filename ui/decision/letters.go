package decision

import (
	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// choice is what a letter does while the dialog asks.
type choice struct {
	meaning string               // in a word or two
	now     func(*Approval) bool // whether it does something at the moment
	do      func(*Approval)
}

// choices are the letters that decide, or change what is shown.
var choices = map[rune]choice{
	'y': {"y approve", (*Approval).approvable, func(d *Approval) { d.approve(policy.Answer{Scope: policy.Once}) }},
	'c': {"c approve, also again", func(d *Approval) bool { return d.approvable() && d.offers(policy.Conversation) }, (*Approval).approveAgain},
	'a': {"a always", func(d *Approval) bool { return d.offers(policy.Always) }, (*Approval).keepRule},
	'r': {"r approve with a revert", func(d *Approval) bool { return d.approvable() && d.request.Revert != nil }, (*Approval).approveReverted},
	'n': {"n deny", func(*Approval) bool { return true }, func(d *Approval) { d.answer(policy.Answer{}) }},
	'd': {"d deny with reason", func(*Approval) bool { return true }, func(d *Approval) { d.open(reasoning, "") }},
	'e': {"e edit", func(d *Approval) bool { _, can := d.editable(); return can }, (*Approval).edit},
	'x': {"x explain", func(*Approval) bool { return true }, (*Approval).toggle},
	'f': {"f fold", func(d *Approval) bool { return d.folds > 0 && !d.explains }, (*Approval).fold},
	'p': {"p preview", func(d *Approval) bool { return d.looker != nil && d.look == nil }, (*Approval).lookAround},
	'h': {"h try it held", func(d *Approval) bool { return d.trier != nil && d.trial == nil }, (*Approval).tryHeld},
}

// meaning is what a key that decides is about to do, in a word or two; empty if it
// does nothing now.
func (d *Approval) meaning(ev *tcell.EventKey) string {
	switch {
	case d.explains && (ev.Key() == tcell.KeyEscape || ev.Rune() == 'x'):
		return "back"
	case ev.Key() == tcell.KeyEscape, ev.Key() == tcell.KeyEnter && !d.explains, ev.Key() == tcell.KeyRune && ev.Rune() == 'n':
		return choices['n'].meaning
	}
	if c, ok := choices[letter(ev)]; ok && c.now(d) {
		return c.meaning
	}
	return ""
}

// letter does what a letter does; those that are not meant now do nothing.
func (d *Approval) letter(ev *tcell.EventKey) {
	if c, ok := choices[letter(ev)]; ok {
		c.do(d)
	}
}

func (d *Approval) escape() {
	if d.explains {
		d.toggle()
		return
	}
	d.answer(policy.Answer{})
}

// approvable reports whether what is asked about can be approved as it is shown.
func (d *Approval) approvable() bool {
	return d.void == "" && !d.small && !d.explains && d.seen
}

// approve approves as a says if nothing is missing, and shows what is if
// something is.
func (d *Approval) approve(a policy.Answer) {
	switch {
	case !d.approvable(), !d.guard.Calm():
	case d.request.Confirm != "" && !d.named:
		d.open(naming, "")
	default:
		a.Approved, a.Typed = true, d.request.Confirm
		d.answer(a)
	}
}

func (d *Approval) approveAgain() {
	if d.offers(policy.Conversation) {
		d.approve(policy.Answer{Scope: policy.Conversation})
	}
}

func (d *Approval) approveReverted() {
	if d.request.Revert != nil {
		d.approve(policy.Answer{Scope: policy.Once, Revert: true})
	}
}

func (d *Approval) edit() {
	if text, ok := d.editable(); ok {
		d.open(editing, text)
	}
}

func (d *Approval) offers(s policy.Scope) bool {
	for _, offered := range d.request.Scopes {
		if offered == s {
			return true
		}
	}
	return false
}

// editable is the text that can be edited, if there is one.
func (d *Approval) editable() (string, bool) {
	switch a := d.request.Action; a.Kind {
	case tools.Exec, tools.Run:
		return a.Command, true
	case tools.Type:
		return a.Literal, a.Literal != ""
	}
	return "", false
}
