package policy

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrQueueClosed: the queue was closed, so that nobody can be asked.
var ErrQueueClosed = errors.New("nobody can be asked any more")

// Queue is an Approver that shows one request at a time, in the order of their
// arrival, and takes exactly one answer for each. A request that is visible
// stays so until it is answered, its asker gives up or the operator chooses another
// one; a new one never takes its place. Safe for concurrent use.
type Queue struct {
	changed func()

	mu      sync.Mutex
	closed  bool
	waiting []*entry
}

type entry struct {
	request Request
	answer  chan Answer // holds one
}

// NewQueue returns an empty queue. changed is called after each change of what
// is visible or of how many wait, from any goroutine and without a lock held;
// it must not block. It may be nil.
func NewQueue(changed func()) *Queue {
	if changed == nil {
		changed = func() {}
	}
	return &Queue{changed: changed}
}

var _ Approver = (*Queue)(nil)

// Approve waits for r's answer. When ctx ends, the request is withdrawn.
func (q *Queue) Approve(ctx context.Context, r Request) (Answer, error) {
	e := &entry{r, make(chan Answer, 1)}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return Answer{}, ErrQueueClosed
	}
	q.waiting = append(q.waiting, e)
	q.mu.Unlock()
	q.changed()

	select {
	case answer, ok := <-e.answer:
		if !ok {
			return Answer{}, ErrQueueClosed
		}
		return answer, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, e)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i >= 0 {
		q.changed()
	}
	return Answer{}, ctx.Err() // also if an answer came just now: the asker is gone
}

// Visible returns the request to be shown and how many wait in all.
func (q *Queue) Visible() (r Request, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return Request{}, 0
	}
	return q.waiting[0].request, len(q.waiting)
}

// Waiting returns all requests that wait, the visible one first, the others in the
// order of their arrival.
func (q *Queue) Waiting() []Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]Request, len(q.waiting))
	for i, e := range q.waiting {
		all[i] = e.request
	}
	return all
}

// Show makes a request that waits the visible one, because the operator chose it: the
// one thing that takes the place of a request without an answer. The others keep their
// order. It reports false if none has that ID.
func (q *Queue) Show(id string) bool {
	q.mu.Lock()
	i := slices.IndexFunc(q.waiting, func(e *entry) bool { return e.request.ID == id })
	if i >= 0 {
		e := q.waiting[i]
		q.waiting = slices.Insert(slices.Delete(q.waiting, i, i+1), 0, e)
	}
	q.mu.Unlock()
	if i >= 0 {
		q.changed()
	}
	return i >= 0
}

// Answer answers the visible request. It reports false, and nothing happens, if
// a names another one: it came late, or it never belonged here.
func (q *Queue) Answer(a Answer) bool {
	q.mu.Lock()
	if len(q.waiting) == 0 || q.waiting[0].request.ID != a.RequestID {
		q.mu.Unlock()
		return false
	}
	q.waiting[0].answer <- a
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.mu.Unlock()
	q.changed()
	return true
}

// Close denies everything that waits and everything that comes.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	for _, e := range q.waiting {
		close(e.answer)
	}
	q.waiting = nil
	q.mu.Unlock()
	q.changed()
}
