package console

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/keys"
)

// ErrTerminalGone is the error of Run when the terminal was closed.
var ErrTerminalGone = errors.New("the terminal is gone")

const (
	frameTime = time.Second / 60
	spinTime  = 200 * time.Millisecond // between two steps of the spinner
	batch     = 4096                   // most events that are handled before a frame
)

// pump moves everything: it handles keys and mail as they come, and draws. It
// runs in Run's own goroutine.
func (c *Console) pump(ctx context.Context) error {
	events, stop := make(chan tcell.Event, 64), make(chan struct{})
	defer close(stop)
	c.spawn(func() { c.screen.ChannelEvents(events, stop) })

	frame, spin := stopped(), stopped()
	var due time.Time // of the next frame
	c.dirty = true
	for {
		if c.crash != nil || c.quit {
			return nil
		}
		if c.dirty {
			now := time.Now()
			rest := due.Sub(now)
			if c.urgent { // the echo of a key does not wait for a turn: the frame after it does
				rest -= frameTime
			}
			if rest > 0 {
				frame.Reset(rest)
			} else {
				due = later(due, now).Add(frameTime)
				c.draw()
				if next := c.nextTick(); next > 0 {
					spin.Reset(next)
				}
			}
		}
		select {
		case ev, ok := <-events:
			if !ok {
				return fmt.Errorf("console: %w", ErrTerminalGone)
			}
			if err := c.events(ev, events); err != nil {
				return err
			}
		case <-c.mail.wake:
			c.letters(c.mail.take())
		case <-frame.C:
		case <-spin.C:
			c.dirty = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
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

// nextTick is when the screen changes by itself; 0 if it does not.
func (c *Console) nextTick() time.Duration {
	next := c.approval.next()
	if c.turns.busy && (next == 0 || next > spinTime) {
		next = spinTime
	}
	return next
}

// events handles an event and those that wait behind it.
func (c *Console) events(ev tcell.Event, more <-chan tcell.Event) error {
	for range batch {
		if err := c.event(ev); err != nil || c.quit {
			return err
		}
		var ok bool
		select {
		case ev, ok = <-more:
			if !ok {
				return fmt.Errorf("console: %w", ErrTerminalGone)
			}
		default:
			return nil
		}
	}
	return nil
}

func (c *Console) event(ev tcell.Event) error {
	switch ev := ev.(type) {
	case *tcell.EventKey:
		if c.paste != nil {
			c.paste.add(ev)
			return nil
		}
		c.key(keys.Pressed(ev))
		c.urgent = true
	case *tcell.EventPaste:
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
		c.approval.rearm()
	case *tcell.EventFocus:
		c.blurred = !ev.Focused
		c.approval.rearm()
	case *tcell.EventError:
		return fmt.Errorf("console: %w: %w", ErrTerminalGone, ev)
	case *tcell.EventInterrupt:
		// Whoever posts a function wants it called when everything before it is
		// on the screen.
		if done, ok := ev.Data().(func()); ok {
			c.letters(c.mail.take())
			c.draw()
			done()
		}
		return nil
	default:
		return nil
	}
	c.dirty = true
	return nil
}

// letters handles mail.
func (c *Console) letters(m mail) {
	for _, letter := range m.letters {
		c.letter(letter)
	}
	seen := len(m.letters) > 0 || m.asked
	for id := range m.screens {
		seen = c.panes.refresh(id) || seen
	}
	if m.asked {
		c.approval.update(c)
	}
	c.dirty = c.dirty || seen
}

func (c *Console) letter(letter any) {
	switch l := letter.(type) {
	case *pieces:
		c.chat.Event(l.event())
	case turnEvent:
		c.turnEvent(l.event)
	case turnEnded:
		c.ended(l.err)
	case prompted:
		c.chat.Prompt(l.text, false)
	case noted:
		c.chat.Notice(l.text)
	case failed:
		c.chat.Fault(l.text, l.hint)
	case postured:
		c.status.Posture = l.posture
		c.chat.Notice("posture: " + l.posture)
	case cleared:
		c.chat.Clear()
		c.context = 0
	case paneAdded:
		c.panes.add(c, l.pane)
	case paneGone:
		c.removePane(l.id)
	case offered:
		c.opt.Resume = l.resume
	case panicked:
		c.crash = &PanicError{l.value, l.stack}
	}
}

func (c *Console) turnEvent(e agent.Event) {
	switch e := e.(type) {
	case agent.Usage:
		c.context = e.Context
	case agent.Done:
		c.turns.told = true
	}
	c.chat.Event(e)
}
