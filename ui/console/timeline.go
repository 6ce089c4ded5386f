package console

import (
	"context"

	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/timeline"
)

// browser is the timeline, while it is open, and whether its runs are asked for.
type browser struct {
	*timeline.Timeline
	asking, again bool
}

// RunsChanged says that Options.Runs would return something new.
func (c *Console) RunsChanged() { c.mail.put(reran{}) }

// reran says that there are other runs.
type reran struct{}

func (reran) arrive(c *Console) { c.askRuns() }

// toggleTimeline opens the timeline, or leaves it.
func (c *Console) toggleTimeline() {
	if c.timeline != nil {
		c.leaveTimeline()
		return
	}
	c.timeline = &browser{Timeline: &timeline.Timeline{}}
	c.askRuns()
}

func (c *Console) leaveTimeline() {
	c.timeline = nil
	c.rearm()
}

// askRuns has the timeline show the runs as they are, if it is open. One question is asked
// at a time.
func (c *Console) askRuns() {
	t := c.timeline
	if t == nil {
		return
	}
	if t.asking {
		t.again = true
		return
	}
	t.asking, t.again = true, false
	c.background(func(ctx context.Context) {
		runs, err := c.opt.Runs(ctx)
		c.mail.put(onPump(func(c *Console) {
			t.asking = false
			t.Set(runs)
			if err != nil {
				t.Say(err.Error())
			}
			if t.again && c.timeline == t {
				c.askRuns()
			}
		}))
	})
}

// timelineKey handles a key of the timeline.
func (c *Console) timelineKey(name string) {
	cmd, ok := c.opt.Keys.Find(keys.Browsing, name)
	switch {
	case !ok:
	case cmd.ID == keys.Redraw, cmd.ID == keys.Help:
		c.do(cmd)
	case cmd.ID == keys.Overview:
		c.leaveTimeline()
		c.do(cmd)
	default:
		c.timelineDoes(c.timeline.Do(cmd.ID))
	}
}

func (c *Console) timelineDoes(verb timeline.Verb) {
	switch verb {
	case timeline.Close:
		c.leaveTimeline()
	case timeline.Play:
		c.playRun()
	case timeline.Nothing:
	}
}

// playRun plays the run with the cursor in front of the timeline.
func (c *Console) playRun() {
	t := c.timeline
	run, ok := t.Cursor()
	if !ok || c.opt.Replay == nil {
		t.Say("recordings cannot be played here")
		return
	}
	c.background(func(ctx context.Context) {
		tape, err := c.opt.Replay(ctx, run.ID)
		c.mail.put(onPump(func(c *Console) {
			switch {
			case c.timeline != t: // it was left meanwhile
			case err != nil:
				t.Say(err.Error())
			default:
				c.playTape(tape)
			}
		}))
	})
}

// drawTimeline draws the timeline over everything but dialogs.
func (c *Console) drawTimeline() {
	if c.timeline == nil {
		return
	}
	c.screen.HideCursor()
	b := c.layout.body
	c.timeline.Draw(c.screen, b.x, b.y, b.w, b.h, c.now(), &c.styles)
}

// timelineMouse handles what the mouse does over the timeline.
func (c *Console) timelineMouse(action tview.MouseAction, x, y int) {
	switch action {
	case tview.MouseLeftDown:
		c.timelineDoes(c.timeline.Click(x, y))
	case tview.MouseScrollUp:
		c.timeline.Do(keys.Left)
	case tview.MouseScrollDown:
		c.timeline.Do(keys.Right)
	}
}
