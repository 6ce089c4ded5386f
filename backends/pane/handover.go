package pane

import (
	"context"

	"github.com/nod-console/nod/backends/pane/shells"
)

// typedWire hands texts over by typing them, and does everything else as the
// wire does that it is about.
type typedWire struct {
	wire
	p *Pane
}

func (w typedWire) stash(_ context.Context, name, text string) error {
	w.p.offer(name, text)
	return nil
}

func (w typedWire) unstash(string) { w.p.withdraw() }

func (w typedWire) fetch(name, command string) string { return shells.Fetch(name, command) }

func (w typedWire) refetch(name, command string) string { return shells.Refetch(name, command) }

// handoverState tells whether a hand-over gets on. The zero value is none.
type handoverState struct {
	under, met, failed bool
	left               int // lines
}

func (p *Pane) handoverState() handoverState {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hand == nil {
		return handoverState{}
	}
	return handoverState{under: true, met: p.hand.Met(), failed: p.hand.Failed(), left: p.hand.Left()}
}

// offer has a text ready for a reader.
func (p *Pane) offer(name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setHandover(shells.NewHandover(name, text))
}

// setHandover has a text be the one that is being handed over; nil for none. p.mu
// is held.
func (p *Pane) setHandover(h *shells.Handover) {
	p.hand = h
	if h == nil {
		p.scan.Handing("")
		return
	}
	p.scan.Handing(h.Name)
}

// setLate notes the name of a reader of which nothing is waited for any more, and
// the line after which it goes by itself. p.mu is held.
func (p *Pane) setLate(name, end string) {
	p.lateReader, p.lateEnd = name, end
	p.scan.Late(name)
}

// withdraw stops the reader, now or when it comes. p.mu is held.
func (p *Pane) withdraw() {
	switch {
	case p.hand == nil, p.hand.Failed():
	case !p.hand.Met():
		p.setLate(p.hand.Name, "")
	case p.hand.Left() == 0:
		// The reader goes by itself if it reads this as it was typed, and what
		// were typed now would come to the prompt behind it.
		p.setLate(p.hand.Name, p.hand.Typed())
	default:
		p.wire.send(p.hand.Stop(), nil)
	}
	p.setHandover(nil)
}

// prompted says that the shell is at its prompt: its reader is gone. p.mu is
// held.
func (p *Pane) prompted() {
	if p.hand != nil && p.hand.Met() {
		p.setHandover(nil)
	}
}

// handed takes what a reader has read. p.mu is held.
func (p *Pane) handed(line string, late bool) {
	if late {
		if line != p.lateEnd || line == "" {
			p.wire.send(shells.StopReader(p.lateReader), nil)
		}
		p.setLate("", "")
		return
	}
	keys, done := p.hand.Answered(line)
	if len(keys) > 0 {
		p.wire.send(keys, nil)
	}
	if p.hand.Failed() && p.run != nil {
		p.run.notice("nothing was run: something else was typed while the command was handed to the shell")
	}
	if done {
		p.setHandover(nil)
		if p.phase == dispatched {
			p.began()
		}
	}
}
