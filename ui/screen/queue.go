package screen

import (
	"sync"

	"github.com/gdamore/tcell/v2"
)

// queue is the queue of events of a screen that does not show its own.
type queue struct {
	start, stop sync.Once
	events      chan tcell.Event
	over        chan struct{}
}

// EventQ is the queue of events, for who takes them in the goroutine that asks
// [Screen.InputWaits], with nothing between. Who takes events from it does not call
// PollEvent or ChannelEvents. It is called after Init.
func (s *Screen) EventQ() chan tcell.Event {
	if q, ok := s.Screen.(interface{ EventQ() chan tcell.Event }); ok {
		return q.EventQ()
	}
	s.forward()
	return s.queue.events
}

// StopQ is closed when the screen has been finished.
func (s *Screen) StopQ() <-chan struct{} {
	if q, ok := s.Screen.(interface{ StopQ() <-chan struct{} }); ok {
		return q.StopQ()
	}
	s.forward()
	return s.queue.over
}

// forward moves the events of a screen that can only be polled, until that is
// finished.
func (s *Screen) forward() {
	q := &s.queue
	q.start.Do(func() {
		q.events, q.over = make(chan tcell.Event, 64), make(chan struct{})
		go func() {
			defer q.end()
			for ev := s.PollEvent(); ev != nil; ev = s.PollEvent() {
				select {
				case q.events <- ev:
				case <-q.over:
					return
				}
			}
		}()
	})
}

// end has nothing moved any more.
func (q *queue) end() {
	q.start.Do(func() {}) // not after it
	if q.over != nil {
		q.stop.Do(func() { close(q.over) })
	}
}
