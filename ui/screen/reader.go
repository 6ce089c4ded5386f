package screen

import (
	"bytes"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen/input"
)

// EventTogether is a key that the terminal sent together with something else: one
// read had other bytes than those of this key. It belongs to a paste, or was typed
// while nobody read. A key by itself comes as a *tcell.EventKey.
type EventTogether struct{ *tcell.EventKey }

// How long the reader waits for the rest of what has begun.
const (
	beginTime  = time.Second            // of a character or a sequence of a key
	pasteTime  = 300 * time.Millisecond // of a paste, before what has come of it is handed on
	pasteGiven = time.Second            // of a paste, before a key by itself is typed again
)

// reader reads the terminal, decodes what comes and hands the events on, in order.
//
// It reads, decodes and counts the events under one lock. So at any time each byte
// that the terminal has sent is in the terminal, or in what the reader holds, or among
// its events, or in the queue; see waits.
type reader struct {
	from  source
	queue chan<- tcell.Event
	now   func() time.Time
	ended chan struct{} // closed by end
	done  chan struct{} // closed when run has returned

	mu      sync.Mutex
	ground  *ground
	escapes escapes
	answers answers
	keys    input.Decoder
	lone    bool // nothing came together with what is held
	open    bool // the last paste has been handed on to its present end
	waiting int  // events that are not in the queue yet
	last    time.Time
	failed  bool
}

// source is where input comes from.
type source interface {
	// wait waits until there is input, or an error, for at most d; without an end if
	// d is negative. It reports false when d is over, or after stop.
	wait(d time.Duration) bool
	// take reads what there is.
	take(p []byte) (int, error)
	// more reports whether there is input that take has not read.
	more() bool
	// stop ends wait. It can be called by any goroutine.
	stop()
	// close gives the source back. It is the last call.
	close()
}

func newReader(from source, queue chan<- tcell.Event, g *ground) *reader {
	return &reader{from: from, queue: queue, ground: g, now: time.Now, ended: make(chan struct{}), done: make(chan struct{})}
}

// end ends run and waits for it. What has been read and not handed on is lost.
func (r *reader) end() {
	close(r.ended)
	r.from.stop()
	<-r.done
	r.from.close()
}

// resize tells how large the screen is.
func (r *reader) resize(cols, rows int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys.Size(cols, rows)
}

// run reads until end, or until the terminal fails, which is an EventError.
func (r *reader) run() {
	defer close(r.done)
	p := make([]byte, 16<<10)
	for {
		ready := r.from.wait(r.patience())
		select {
		case <-r.ended:
			return
		default:
		}
		for _, ev := range r.step(p, ready) {
			select {
			case r.queue <- ev:
			case <-r.ended:
				return
			}
			r.mu.Lock()
			r.waiting--
			r.mu.Unlock()
		}
		if r.hungUp() {
			return
		}
	}
}

// step reads, or gives up waiting, and returns the events that come of it.
func (r *reader) step(p []byte, ready bool) (events []tcell.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ready {
		events = r.giveUp()
	} else if n, err := r.from.take(p); err != nil {
		r.failed = true
		events = []tcell.Event{tcell.NewEventError(err)}
	} else {
		events = r.decode(p[:n])
	}
	r.waiting += len(events)
	return events
}

// decode returns the events that end with raw.
func (r *reader) decode(raw []byte) []tcell.Event {
	if len(raw) == 0 {
		return nil
	}
	before, rested := r.held(), r.now().Sub(r.last) >= pasteGiven
	r.last = r.now()
	rest, color := r.ground.take(raw)
	rest = r.answers.take(r.escapes.take(rest))
	stuck := r.keys.Pasting() && !r.open && rested
	events := r.keys.Decode(rest)
	if light, ok := lightColor(color); ok {
		ev := &EventGround{Light: light}
		ev.SetEventTime(r.last)
		events = append(events, ev)
	}
	r.lone = (r.lone || !before) && color == "" && !r.keys.Mute() && (len(events) == 0 || !r.held())
	alone := r.lone && len(events) == 1 && bytes.HasSuffix(rest, raw)
	if stuck && alone {
		if _, key := events[0].(*tcell.EventKey); key {
			r.keys.EndPaste()
			return events
		}
	}
	return r.pastes(mark(events, alone))
}

// mark returns events with the keys marked that did not come alone.
func mark(events []tcell.Event, alone bool) []tcell.Event {
	if alone {
		return events
	}
	for i, ev := range events {
		if key, ok := ev.(*tcell.EventKey); ok {
			events[i] = &EventTogether{key}
		}
	}
	return events
}

// pastes has each part of a paste begin and end, also where the terminal did not say
// so: a paste that is not ended does not take the keyboard away.
func (r *reader) pastes(events []tcell.Event) []tcell.Event {
	var all []tcell.Event
	within := r.keys.Pasting()
	for _, ev := range events { // the state before the first one that changes it
		if paste, ok := ev.(*tcell.EventPaste); ok {
			within = !paste.Start()
			break
		}
	}
	for _, ev := range events {
		paste, ok := ev.(*tcell.EventPaste)
		switch {
		case ok && paste.Start() == r.open:
			within = paste.Start()
			continue
		case ok:
			within, r.open = paste.Start(), paste.Start()
		case within && !r.open:
			r.open = true
			all = append(all, tcell.NewEventPaste(true))
		}
		all = append(all, ev)
	}
	return all
}

// held reports whether something has begun and not ended.
func (r *reader) held() bool {
	ground, _ := r.ground.held(r.now())
	return ground || r.escapes.holds() || r.answers.holds() || r.keys.Pending()
}

// patience is how long what has begun waits for the rest; negative if nothing has.
func (r *reader) patience() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, wait := r.ground.held(r.now())
	switch {
	case held:
		return wait
	case r.escapes.holds():
		return escapeTime
	case r.answers.holds():
		return pieceTime
	case r.keys.Pending():
		return beginTime
	case r.open:
		return pasteTime
	}
	return -1
}

// giveUp returns what has begun as what it is without the rest.
func (r *reader) giveUp() []tcell.Event {
	var rest []byte
	held, _ := r.ground.held(r.now())
	switch {
	case held:
		rest = r.answers.take(r.escapes.take(r.ground.pass()))
	case r.escapes.holds():
		rest = r.answers.take(r.escapes.pass())
	case r.answers.holds():
		rest = r.answers.pass()
	case r.keys.Pending():
		return r.pastes(mark(r.keys.GiveUp(), r.lone))
	case r.open:
		r.open = false
		return []tcell.Event{tcell.NewEventPaste(false)}
	}
	events := r.keys.Decode(rest)
	return r.pastes(mark(events, r.lone && len(events) == 1 && !r.held()))
}

// waits reports whether there is input that is not in the queue yet.
func (r *reader) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting > 0 || r.open || r.held() || r.from.more()
}

// hungUp reports whether nothing can be read any more.
func (r *reader) hungUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}
