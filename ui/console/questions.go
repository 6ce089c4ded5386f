package console

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/nod-console/nod/ui/decision"
	"github.com/nod-console/nod/ui/screen"
)

// ErrEnded is the error of Ask when the console has ended.
var ErrEnded = errors.New("console: it has ended, nobody can be asked")

// questions are those that wait for the operator, the first one on the screen.
// asked and withdrawn are for any goroutine, the rest belongs to the pump.
type questions struct {
	changed func()

	mu      sync.Mutex
	closed  bool
	waiting []*asked

	dialog *decision.QuestionDialog
	shown  *asked
}

// asked is a question and who waits for its answer.
type asked struct {
	question decision.Question
	answer   chan decision.Answer // holds one
}

// Ask asks the operator in a dialog over the screen, after those who asked
// before, and returns what he says; the zero answer if he says nothing. It may
// be called from any goroutine. The error is ctx's cause, or ErrEnded.
func (c *Console) Ask(ctx context.Context, q decision.Question) (decision.Answer, error) {
	a := &asked{question: q, answer: make(chan decision.Answer, 1)}
	if !c.questions.put(a) {
		return decision.Answer{}, ErrEnded
	}
	select {
	case answer, ok := <-a.answer:
		if !ok {
			return decision.Answer{}, ErrEnded
		}
		return answer, nil
	case <-ctx.Done():
		c.questions.drop(a)
		return decision.Answer{}, context.Cause(ctx)
	}
}

func (q *questions) put(a *asked) bool {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false
	}
	q.waiting = append(q.waiting, a)
	q.mu.Unlock()
	q.changed()
	return true
}

// drop takes a question back that nobody waits for any more.
func (q *questions) drop(a *asked) {
	q.mu.Lock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w *asked) bool { return w == a })
	q.mu.Unlock()
	q.changed()
}

// close leaves all questions without an answer.
func (q *questions) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, a := range q.waiting {
		close(a.answer)
	}
	q.waiting = nil
}

// update shows the first question that waits. A dialog whose question still
// waits stays as it is. When none is left, what was behind it wants to be looked
// at again.
func (q *questions) update(c *Console) {
	q.mu.Lock()
	var first *asked
	if len(q.waiting) > 0 {
		first = q.waiting[0]
	}
	q.mu.Unlock()
	switch {
	case first == q.shown:
		return
	case first == nil:
		q.dialog, q.shown = nil, nil
		c.rearm()
		return
	}
	s := &c.styles
	q.shown = first
	q.dialog = decision.NewQuestion(decision.Styles{
		Text: s.Text, Muted: s.Muted, Accent: s.Accent, Warn: s.Warn, Frame: s.Warn,
	}, first.question, c.now, func(answer decision.Answer) {
		first.answer <- answer
		q.drop(first)
	})
	c.announce(screen.Clean(first.question.Title) + " asks you something")
}

func (q *questions) visible() bool { return q.dialog != nil }
