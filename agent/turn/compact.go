package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/history"
)

const (
	// minNew is how many messages there are at least between two summaries.
	minNew = 4
	// overflow is the share of the context, in percent, with which a request has no room
	// for an answer.
	overflow = 100
	// keepTurns are the newest turns that stay word for word where they fit.
	keepTurns = 3
	// summaryTokens is what a summary is taken to need, before it is there.
	summaryTokens = 1500
)

// ErrNothingToCompact: too little was said since the last summary.
var ErrNothingToCompact = errors.New("nothing to compact")

// sinceSummary is how many messages came after the last summary.
func sinceSummary(messages []history.Message) int {
	n := 0
	for _, m := range slices.Backward(messages) {
		if m.Role == history.Summary {
			break
		}
		n++
	}
	return n
}

// Compact puts a summary in the place of the older messages of a conversation, in
// all later requests. Nothing is deleted. Where there is nothing to compact, it
// says so. Events, Done and the end of ctx are as in Run.
func (a *Agent) Compact(ctx context.Context, conversation string, sink agent.Sink) agent.Ending {
	return a.turn(conversation, sink, func(t *turn) agent.Ending {
		lost, err := t.load(ctx)
		if err == nil && len(lost) > 0 {
			err = t.add(ctx, lost...)
		}
		if err == nil {
			err = t.compact(ctx, t.Model(), 0)
		}
		switch {
		case ctx.Err() != nil:
			t.notify(agent.Notice{Text: agent.InterruptedText})
			return agent.Interrupted
		case errors.Is(err, ErrNothingToCompact):
			t.notify(agent.Notice{Text: err.Error()})
		case err != nil:
			t.fault(err)
			return agent.Failed
		}
		return agent.Answered
	})
}

// CompactSoon has the turn that runs in a conversation compact it before its next
// request. It is for the model's own wish. The error is ErrIdle,
// ErrNothingToCompact or the history's.
func (a *Agent) CompactSoon(ctx context.Context, conversation string) error {
	a.mu.Lock()
	in := a.busy[conversation]
	a.mu.Unlock()
	if in == nil {
		return ErrIdle
	}
	messages, err := a.cfg.History.Load(ctx, conversation)
	if err != nil {
		return fmt.Errorf("the conversation could not be loaded: %w", err)
	}
	// The reply with the wish is none of those that could be left out.
	if n := sinceSummary(messages) - 1; n < minNew {
		return tooLittle(n)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.compact = true
	return nil
}

func tooLittle(n int) error {
	return fmt.Errorf("%w: only %d messages since the last summary or the beginning", ErrNothingToCompact, n)
}

// fit compacts the conversation where the model wants it, or where the next
// request would fill its context.
func (t *turn) fit(ctx context.Context) error {
	t.inbox.mu.Lock()
	wanted := t.inbox.compact
	t.inbox.compact = false
	t.inbox.mu.Unlock()
	llm := t.Model()
	g := t.gauge(t.id)
	m := g.read(t.request(llm, false), llm.ContextLimit)
	if m.Percent < compactAt && !wanted {
		t.warn(m.Percent)
		return nil
	}
	if !wanted && m.Percent < overflow && !g.worth(len(t.messages)) {
		return nil
	}
	to := 0
	if !wanted {
		to = llm.ContextLimit * compactTo / 100
	}
	err := t.compact(ctx, llm, to)
	if errors.Is(err, ErrNothingToCompact) {
		if !wanted {
			g.useless(len(t.messages))
			t.notify(agent.Notice{Text: fmt.Sprintf("the context is %d %% full, and there is %v; a new conversation (/new) has room", m.Percent, err)})
		}
		return nil
	}
	return err
}

// worth reports whether compacting could be of use again.
func (g *gauge) worth(messages int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.futile == 0 || messages >= g.futile+minNew
}

func (g *gauge) useless(messages int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.futile = messages
}

// shorten compacts a conversation that the server has found too long, and reports
// whether asking again makes sense. The limit that is configured is then wrong, or
// there is none.
func (t *turn) shorten(ctx context.Context) bool {
	llm := t.Model()
	m := t.gauge(t.id).read(t.request(llm, false), llm.ContextLimit)
	to := m.Used() * compactTo / 100
	if llm.ContextLimit > 0 {
		to = min(to, llm.ContextLimit*compactTo/100)
	}
	t.notify(agent.Notice{Text: "the conversation is too long for the model: it is compacted, and sent once more"})
	return t.compact(ctx, llm, to) == nil
}

// compact puts a summary in the place of older messages, so that the next request
// has at most so many tokens; 0 means that the newest turns are all that counts.
func (t *turn) compact(ctx context.Context, llm Model, to int) error {
	least := minNew
	if to > 0 && t.gauge(t.id).read(t.request(llm, false), llm.ContextLimit).Percent >= overflow {
		least = minNew / 2 // it does not fit, be it ever so new
	}
	if n := sinceSummary(t.messages); n < least {
		return tooLittle(n)
	}
	through := t.through(llm, to)
	if through == 0 {
		return fmt.Errorf("%w: the newest turns are all there is", ErrNothingToCompact)
	}
	g := t.gauge(t.id)
	before := g.read(t.request(llm, false), llm.ContextLimit)
	_, left := briefing.Standing(t.messages)
	t.notify(agent.Notice{Text: fmt.Sprintf("compacting: a summary of %d messages is made", through-left)})
	text, own, err := t.summarise(ctx, llm, through)
	if err != nil {
		return err
	}
	if err := t.add(ctx, history.Message{Role: history.Summary, Content: text, Through: through}); err != nil {
		return err
	}
	after := g.read(t.request(llm, false), llm.ContextLimit)
	t.notify(agent.Compaction{Summary: text, Messages: through, Before: before.Percent, After: after.Percent, Own: own})
	g.crossed(after.Percent)
	return nil
}

// through is how many messages a summary is to stand for: all but the newest
// turns, as many of them as there is room for. Where even the newest does not fit,
// it is cut between two of its steps. 0 means that there is nothing to leave out.
func (t *turn) through(llm Model, to int) int {
	cuts := t.cuts(to > 0)
	for _, at := range cuts {
		if to == 0 || t.sizeAfter(llm, at) <= to {
			return at
		}
	}
	if len(cuts) == 0 {
		return 0
	}
	return cuts[len(cuts)-1]
}

// cuts are where the conversation can be cut: before its newest turns, then between the
// steps of the newest one, or behind the last of these alone.
func (t *turn) cuts(steps bool) []int {
	_, left := briefing.Standing(t.messages)
	var turns []int
	for i := left; i < len(t.messages); i++ {
		if t.messages[i].Role == history.User || t.messages[i].Role == history.Task {
			turns = append(turns, i)
		}
	}
	var cuts []int
	first := max(len(turns)-keepTurns, 0)
	for _, at := range turns[min(first, len(turns)):] {
		if at >= left+minNew/2 {
			cuts = append(cuts, at)
		}
	}
	from := left
	if len(turns) > 0 {
		from = turns[len(turns)-1]
	}
	for at := from + 1; at <= len(t.messages); at++ {
		if between(t.messages, at) && at >= left+minNew/2 && (steps || at == len(t.messages)) {
			cuts = append(cuts, at)
		}
	}
	return cuts
}

// between reports whether a conversation can be cut before message i: no call
// there is without its result, and what is said of a call stays with it.
func between(messages []history.Message, i int) bool {
	if i < len(messages) && (messages[i].Role == history.Tool || messages[i].Role == history.Note) {
		return false
	}
	return len(messages[i-1].Calls) == 0
}

// sizeAfter is the size of the next request if a summary stood for so many
// messages.
func (t *turn) sizeAfter(llm Model, through int) int {
	after := *t
	after.messages = append(slices.Clone(t.messages), history.Message{Role: history.Summary, Through: through, Content: " "})
	m := t.gauge(t.id).read((&after).request(llm, false), llm.ContextLimit)
	return m.Used() + summaryTokens
}
