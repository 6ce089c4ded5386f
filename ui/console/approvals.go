package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/decision"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/targets"
)

// approval is the dialog of the request that the queue shows, if there is one.
// It belongs to the pump.
type approval struct {
	dialog *decision.Approval
	look   chan struct{} // holds one: the request's pane has changed; nil if nobody looks
}

func dialogStyles(s *screen.Styles, trust policy.Trust) decision.Styles {
	frame := s.Warn
	if trust != "" {
		frame = s.Trust(string(trust))
	}
	return decision.Styles{
		Text: s.Text, Muted: s.Muted, Accent: s.Accent, Danger: s.Danger,
		Warn: s.Warn, Ok: s.OK, Border: s.Border, Frame: frame,
	}
}

// update follows the queue. A dialog whose request still waits stays as it is.
func (a *approval) update(c *Console) {
	all := c.queue.Waiting()
	c.inbox.update(all, c.now())
	waiting := len(all)
	var r policy.Request
	if waiting > 0 {
		r = all[0]
	}
	if a.look != nil && (waiting == 0 || a.dialog.Request().ID != r.ID) {
		close(a.look)
		a.look = nil
	}
	switch {
	case waiting == 0:
		a.dialog, c.whole = nil, false
	case a.dialog == nil || a.dialog.Request().ID != r.ID:
		a.dialog = decision.NewApproval(dialogStyles(&c.styles, r.Trust), r, c.now, func(answer policy.Answer) {
			c.queue.Answer(answer) // false: the asker has gone meanwhile
		})
		c.whole = false
		a.offerPreview(c, r)
		a.offerTrial(c, r)
		a.linked(c)
		a.dialog.Focus(func(tview.Primitive) {})
		a.watch(c, r)
		c.announce("waits for your nod: " + r.Action.Tool + " on " + r.Action.Target)
	}
}

const (
	// standTime is the least time between two looks at whether a pane still stands
	// as it did. When the dialog's keys count is in package decision.
	standTime = 100 * time.Millisecond
	// standAgain is how long a pane may look otherwise without standing
	// otherwise: while a prompt is drawn anew, or after a change of size.
	standAgain = 250 * time.Millisecond
)

// watch has r voided once its pane does not stand any more as it did when r's
// action was planned.
func (a *approval) watch(c *Console, r policy.Request) {
	if c.opt.Standing == nil || r.Action.Pane == "" && !inPanes(r.Action.Parts) {
		return
	}
	look, since := make(chan struct{}, 1), c.now()
	look <- struct{}{} // it may have changed already
	a.look = look
	c.background(func(ctx context.Context) {
		for {
			select {
			case _, asked := <-look:
				if !asked {
					return
				}
			case <-ctx.Done():
				return
			}
			if why := c.fallen(ctx, r, since); why != nil {
				c.mail.put(voided{r.ID, why.Error()})
				return
			}
			if !sleep(ctx, standTime) {
				return
			}
		}
	})
}

// inPanes reports whether parts of an action go into panes.
func inPanes(parts []tools.Action) bool {
	return slices.ContainsFunc(parts, func(p tools.Action) bool { return p.Pane != "" })
}

// fallen says what is different about r's pane, if it is so twice.
func (c *Console) fallen(ctx context.Context, r policy.Request, since time.Time) error {
	if c.opt.Standing(ctx, r.Action, since) == nil || !sleep(ctx, standAgain) {
		return nil
	}
	why := c.opt.Standing(ctx, r.Action, since)
	if ctx.Err() != nil {
		return nil
	}
	return why
}

// sleep waits for d. It reports false if ctx ends meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// changed takes note that a pane has changed.
func (a *approval) changed(c *Console, id string) {
	if about := c.subject(); a.look != nil && (about < 0 || c.panes.all[about].pane.ID == id) {
		select {
		case a.look <- struct{}{}:
		default:
		}
	}
}

// linked shows whether the target of the request can be reached.
func (a *approval) linked(c *Console) {
	if a.dialog == nil || c.opt.Targets == nil || c.opt.Targets.List == nil {
		return
	}
	var wrong []string
	about := a.dialog.Request().Action.Targets()
	for _, t := range c.opt.Targets.List() {
		if slices.Contains(about, t.Name) && t.State == targets.Lost {
			wrong = append(wrong, t.Name+": "+t.Detail)
		}
	}
	if more := len(wrong) - 1; more > 0 {
		wrong = []string{fmt.Sprintf("%s, and %d more targets cannot be reached", wrong[0], more)}
	}
	a.dialog.Link(strings.Join(wrong, ""))
}

// void takes the approval away from the request with an ID, if it still waits.
func (a *approval) void(id, why string) {
	if a.dialog != nil && a.dialog.Request().ID == id {
		a.dialog.Void(why)
	}
}

// offerPreview lets the operator look around before he decides, where there is
// something to look at.
func (a *approval) offerPreview(c *Console, r policy.Request) {
	if c.opt.Preview == nil || c.opt.Previews == nil || !c.opt.Previews(r) {
		return
	}
	a.dialog.OnPreview(func() {
		c.background(func(ctx context.Context) { c.mail.put(looked{r.ID, false, c.opt.Preview(ctx, r)}) })
	})
}

// offerTrial lets the operator run what is asked about where it can change nothing, if
// something there can hold it.
func (a *approval) offerTrial(c *Console, r policy.Request) {
	if c.opt.Try == nil || c.opt.Tries == nil || !c.opt.Tries(r) {
		return
	}
	a.dialog.OnTrial(func() {
		c.background(func(ctx context.Context) { c.mail.put(looked{r.ID, true, c.opt.Try(ctx, r)}) })
	})
}

// looked shows what a look around or a held run found, if its request still waits.
func (a *approval) looked(l looked) {
	switch {
	case a.dialog == nil || a.dialog.Request().ID != l.request:
	case l.held:
		a.dialog.Trial(l.found)
	default:
		a.dialog.Preview(l.found)
	}
}

// subject is the pane that the visible request is about, or -1.
func (c *Console) subject() int {
	if !c.approval.visible() {
		return -1
	}
	a := c.approval.dialog.Request().Action
	return c.panes.of(a.Target, a.Pane)
}

func (a *approval) visible() bool { return a.dialog != nil }
