package console

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// ErrTerminalGone is the error of Run when the terminal was closed.
var ErrTerminalGone = errors.New("the terminal is gone")

const (
	frameTime = time.Second / 60
	spinTime  = 200 * time.Millisecond // between two steps of the spinner
	spinGrace = 75 * time.Millisecond  // for a frame that comes as often
	batch     = 4096                   // most events that are handled before a frame
)

// pump moves everything: it handles keys and mail as they come, and draws. It
// runs in Run's own goroutine.
func (c *Console) pump(ctx context.Context) error {
	events := c.screen.EventQ() // itself: between it and the pump, a key could not be seen
	if events == nil {
		return errors.New("console: the screen has no queue of events")
	}

	next := frames{timer: stopped(), due: time.Now()}
	c.tick = stopped()
	c.present()
	c.guard()
	for {
		if over, err := c.over(ctx); over {
			return err
		}
		if c.dirty {
			next.show(c)
		}
		select {
		case ev := <-events:
			if err := c.events(ev, events); err != nil {
				return err
			}
		case <-c.screen.StopQ():
			return fmt.Errorf("console: %w", ErrTerminalGone)
		case <-c.mail.wake:
			c.letters(c.mail.take())
		case <-next.timer.C:
		case <-c.tick.C:
			c.tickAt = time.Time{}
			if err := c.decide(events); err != nil {
				return err
			}
			c.dirty = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// over reports whether the console has come to its end, and with which error.
func (c *Console) over(ctx context.Context) (bool, error) {
	switch {
	case c.crash != nil || c.quit:
		return true, nil
	case c.lost != nil:
		return true, fmt.Errorf("console: %w: %w", ErrTerminalGone, c.lost)
	case ctx.Err() != nil:
		return true, context.Cause(ctx)
	}
	return false, nil
}

// frames says when the next frame may be drawn.
type frames struct {
	timer *time.Timer // fires then, if one waits
	due   time.Time
}

// show draws a frame if it is due, else has the timer fire when it is.
func (f *frames) show(c *Console) {
	now := time.Now()
	rest := f.due.Sub(now)
	if c.urgent { // the echo of a key does not wait for a turn: the frame after it does
		rest -= frameTime
	}
	if rest > 0 {
		f.timer.Reset(rest)
		return
	}
	f.due = later(f.due, now).Add(frameTime)
	c.present()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// stopped is a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// present draws, and has the pump look again when the screen changes by itself. It
// puts that off for nothing but the spinner: where a frame takes longer than frameTime and a pane floods,
// one follows the other at once, and a dialog would wait for its key for ever.
func (c *Console) present() {
	before := c.nextTick()
	c.draw()
	next := c.nextTick()
	if next == 0 {
		next = before // what was due while the frame was drawn may not be in it
	}
	switch {
	case c.onlySpins():
		c.tickAt = time.Time{} // this frame has moved the spinner
		c.arm(spinTime + spinGrace)
	case next > 0:
		c.arm(next)
	}
}

// onlySpins reports whether nothing but the spinner changes by itself. It alone can be
// put off: other frames move it, too.
func (c *Console) onlySpins() bool {
	return c.turns.busy && (c.asked() == nil || !c.questions.visible() && c.asked().Wake() == 0) && c.player == nil
}

// arm has the pump look again after a time, or before.
func (c *Console) arm(next time.Duration) {
	if at := time.Now().Add(next); c.tickAt.IsZero() || at.Before(c.tickAt) {
		c.tickAt = at
		c.tick.Reset(next)
	}
}

// nextTick is when the screen changes by itself; 0 if it does not.
func (c *Console) nextTick() time.Duration {
	var next time.Duration
	if d := c.asked(); d != nil {
		next = d.Wake()
	}
	if c.turns.busy {
		next = sooner(next, spinTime)
	}
	if len(c.reverts) > 0 || c.windowLeft() > 0 {
		next = sooner(next, time.Second)
	}
	if c.fleet != nil {
		next = sooner(next, c.fleet.Wake())
	}
	if c.timeline != nil {
		next = sooner(next, c.timeline.Wake())
	}
	if c.player != nil {
		next = sooner(next, c.playNext)
	}
	return next
}

// sooner is the shorter one of two times to wait; 0 stands for ever.
func sooner(a, b time.Duration) time.Duration {
	if b > 0 && (a == 0 || a > b) {
		return b
	}
	return a
}

// events handles an event and those that wait behind it. It takes none from more that
// it does not handle.
func (c *Console) events(ev tcell.Event, more <-chan tcell.Event) error {
	for n := 1; ; n++ {
		if err := c.event(ev); err != nil || c.quit || n == batch {
			return err
		}
		select {
		case ev = <-more:
		default:
			return nil
		}
	}
}

// decide lets the dialogs take the key that has stood alone. Nothing may be on its
// way then: neither here nor in the terminal.
func (c *Console) decide(events <-chan tcell.Event) error {
	for c.undecided() {
		select {
		case ev := <-events:
			if err := c.events(ev, events); err != nil || c.quit {
				return err
			}
			continue
		default:
		}
		more := c.screen.InputWaits()
		c.tickDialogs(more)
		return nil
	}
	return nil
}

func (c *Console) event(ev tcell.Event) error {
	c.panes.follow(c.focus)
	switch ev := ev.(type) {
	case *screen.EventTogether:
		if !c.pressed(ev.EventKey, true) {
			return nil
		}
	case *tcell.EventKey:
		if !c.pressed(ev, false) {
			return nil
		}
	case *tcell.EventPaste:
		c.hear(nil, true)
		if ev.Start() {
			c.paste = &paste{}
			return nil
		}
		if c.paste != nil {
			text := c.paste.text.String()
			c.paste = nil
			c.pasted(text)
		}
	case *tcell.EventMouse:
		c.mouse(ev)
	case *tcell.EventResize:
		c.rearm()
	case *tcell.EventFocus:
		c.blurred = !ev.Focused
		c.rearm()
	case *screen.EventGround:
		c.stand(ev.Light)
	case *tcell.EventError:
		return fmt.Errorf("console: %w: %w", ErrTerminalGone, ev)
	case *tcell.EventInterrupt:
		// Whoever posts a function wants it called when everything before it is
		// on the screen.
		if done, ok := ev.Data().(func()); ok {
			c.letters(c.mail.take())
			c.tickDialogs(false)
			c.present()
			done()
		}
		return nil
	default:
		return nil
	}
	c.offer()
	c.dirty = true
	return nil
}

// pressed takes a key, which came together with others or by itself. It reports false
// if the key is a part of a paste, which is not handled yet.
func (c *Console) pressed(ev *tcell.EventKey, together bool) bool {
	ev = keys.Pressed(ev)
	c.hear(ev, together)
	if c.paste != nil {
		c.paste.add(ev)
		return false
	}
	c.pressedKeys++
	c.told = ""
	c.key(ev)
	c.guide()
	c.urgent = true
	if p := c.panes.at(c.focus.pane); c.focus.typing && p != nil {
		c.echo = p.pane.ID
	}
	return true
}

// letters handles mail.
func (c *Console) letters(m mail) {
	seen := m.asked
	for _, l := range m.letters {
		seen = c.matters(l) || seen
		l.arrive(c)
	}
	for id := range m.screens {
		seen = c.panes.refresh(id) || seen
		if id == c.echo { // the key's own frame has just been drawn; this one is what it was pressed for
			c.echo, c.urgent = "", true
		}
		c.approval.changed(c, id)
	}
	if m.asked {
		c.approval.update(c)
		c.questions.update(c)
		c.fleet.asked(c)
	}
	c.dirty = c.dirty || seen
}

// matters reports whether a letter may change what is on the screen. Of a hundred hosts, each
// tells with every answer that it is there.
func (c *Console) matters(l letter) bool {
	switch l := l.(type) {
	case targeted:
		return l.target != c.status.TargetStatus
	case relisted:
		return c.picker != nil || c.fleet != nil || c.approval.visible()
	}
	return true
}

func (c *Console) turnEvent(e agent.Event) {
	switch e := e.(type) {
	case agent.Usage:
		if e.Agent == "" { // a sub-agent has a context of its own
			c.context = e.Context
		}
		if e.Total > 0 {
			c.status.Cost = money(e.Total)
		}
	case agent.Compaction:
		c.context = e.After
	case agent.Steered:
		c.steered(e.Text)
	case agent.Done:
		c.turns.told = true
	}
	c.guided.event(e)
	c.chat.Event(e)
}
