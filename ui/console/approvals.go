package console

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	dialog "github.com/nod-console/nod/ui/approval"
	"github.com/nod-console/nod/ui/screen"
)

// approval is the dialog of the request that the queue shows, if there is one.
// It belongs to the pump.
type approval struct{ dialog *dialog.Dialog }

func dialogStyles(s *screen.Styles, trust policy.Trust) dialog.Styles {
	frame := s.Warn
	if trust != "" {
		frame = s.Trust(string(trust))
	}
	return dialog.Styles{
		Text: s.Text, Muted: s.Muted, Accent: s.Accent, Danger: s.Danger,
		Warn: s.Warn, Ok: s.OK, Border: s.Border, Frame: frame,
	}
}

// update follows the queue. A dialog whose request still waits stays as it is.
func (a *approval) update(c *Console) {
	r, waiting := c.queue.Visible()
	switch {
	case waiting == 0:
		a.dialog = nil
	case a.dialog == nil || a.dialog.Request().ID != r.ID:
		a.dialog = dialog.New(dialogStyles(&c.styles, r.Trust), r, c.now, func(answer policy.Answer) {
			c.queue.Answer(answer) // false: the asker has gone meanwhile
		})
		a.dialog.Focus(func(tview.Primitive) {})
		c.announce("waits for your nod: " + r.Action.Tool + " on " + r.Action.Target)
	}
}

func (a *approval) visible() bool { return a.dialog != nil }

// next is when the dialog changes by itself; 0 if it does not.
func (a *approval) next() time.Duration {
	if a.dialog == nil {
		return 0
	}
	return a.dialog.Wake()
}

// rearm makes the dialog wait anew before keys count.
func (a *approval) rearm() {
	if a.dialog != nil {
		a.dialog.Rearm()
	}
}

func (a *approval) draw(s tcell.Screen, r rect) {
	a.dialog.SetRect(r.x, r.y, r.w, r.h)
	a.dialog.Draw(s)
}

func (a *approval) key(ev *tcell.EventKey) {
	if a.dialog != nil {
		a.dialog.InputHandler()(ev, func(tview.Primitive) {})
	}
}

func (a *approval) pasted(text string) {
	if a.dialog != nil {
		a.dialog.PasteHandler()(text, func(tview.Primitive) {})
	}
}

func (a *approval) mouse(action tview.MouseAction, ev *tcell.EventMouse) {
	if a.dialog != nil {
		a.dialog.MouseHandler()(action, ev, func(tview.Primitive) {})
	}
}
