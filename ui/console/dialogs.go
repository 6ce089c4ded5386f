package console

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/decision"
)

// dialogs are the guarded dialogs that are open, the one in front first: a question
// stands in front of an approval.
func (c *Console) dialogs() []decision.Dialog {
	var open []decision.Dialog
	if c.questions.visible() {
		open = append(open, c.questions.dialog)
	}
	if c.approval.visible() {
		open = append(open, c.approval.dialog)
	}
	return open
}

// asked is the dialog in front, or nil.
func (c *Console) asked() decision.Dialog {
	if open := c.dialogs(); len(open) > 0 {
		return open[0]
	}
	return nil
}

// hear tells the dialogs of a key, wherever it goes, and whether it came together
// with others; or, without one, of an end of a paste.
func (c *Console) hear(ev *tcell.EventKey, together bool) {
	for _, d := range c.dialogs() {
		if ev == nil {
			d.HearPaste()
		} else {
			d.Hear(ev, together)
		}
	}
}

// tickDialogs lets the dialogs take a key that has stood alone.
func (c *Console) tickDialogs(more bool) {
	for _, d := range c.dialogs() {
		d.Tick(more)
	}
}

// rearm makes the dialogs wait anew after something that covered them.
func (c *Console) rearm() {
	for _, d := range c.dialogs() {
		d.Rearm()
	}
}

// undecided reports whether a dialog holds a key.
func (c *Console) undecided() bool {
	for _, d := range c.dialogs() {
		if d.Undecided() {
			return true
		}
	}
	return false
}

func (c *Console) drawDialog(d decision.Dialog, r rect) {
	c.screen.HideCursor() // that of what it covers
	d.SetRect(r.x, r.y, r.w, r.h)
	d.Draw(c.screen)
}

// writingAnswer reports whether keys are text in the dialog in front.
func (c *Console) writingAnswer() bool {
	d := c.asked()
	return d != nil && d.Writing()
}

// dialogKey hands a key to the dialog in front.
func (c *Console) dialogKey(ev *tcell.EventKey) {
	if d := c.asked(); d != nil {
		d.InputHandler()(ev, func(tview.Primitive) {})
	}
}
