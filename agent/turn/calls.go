package turn

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/slip"
	"github.com/nod-console/nod/tools"
)

// unique makes sure that each call of a reply has an id of its own. One that
// came without, or with one that is taken, gets a fresh id and is not run: it
// is not clear what the model meant.
func (t *turn) unique(calls []model.Call) []model.Call {
	taken := map[string]bool{}
	for _, m := range t.messages {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	all := make([]model.Call, len(calls))
	for i, c := range calls {
		if c.ID == "" || taken[c.ID] {
			if c.Invalid == "" {
				c.Invalid = fmt.Sprintf("the call's id %q is empty or taken", c.ID)
			}
			c.Raw, c.Arguments = string(c.Arguments), nil
			c.ID = rand.Text()[:9]
		}
		taken[c.ID] = true
		if right, ok := slip.Resolve(t.cfg.Gate.Tools(), c.Name); ok && right != c.Name {
			t.slips[c.ID] = append(t.slips[c.ID], fmt.Sprintf("the tool is called %q, not %q", right, c.Name))
			c.Name = right
		}
		all[i] = c
	}
	return all
}

// batch runs the calls of one reply and stores their results in call order,
// each as soon as all before it are there.
type batch struct {
	*turn
	calls   []model.Call
	own     bool // the operator makes them himself
	results []*history.Message
	notes   []history.Message // about the calls, for after the results

	mu     sync.Mutex
	stored int
	err    error // the first that storing gave
}

// dispatch gives each call of a reply its one result. With stop set, the results
// say so and nothing runs. The error is the history's.
func (t *turn) dispatch(ctx context.Context, calls []model.Call, stop error) error {
	b := &batch{turn: t, calls: calls, results: make([]*history.Message, len(calls))}
	unreadable := false
	for _, c := range reply(model.Message{Calls: calls}, "").Calls {
		t.notify(agent.Proposed(c))
		unreadable = unreadable || c.Invalid != ""
	}
	if unreadable {
		t.unreadable++
	}
	for i := 0; i < len(calls); {
		if why := t.unfit(calls[i], stop); why != nil {
			t.calls++
			b.settle(ctx, i, gate.Answer{Result: *why})
			i++
			continue
		}
		n := t.group(calls[i:], stop)
		t.calls += n
		b.together(ctx, i, n)
		i += n
	}
	if b.err == nil && len(b.notes) > 0 {
		b.err = t.add(ctx, b.notes...)
	}
	return b.err
}

// group is how many calls from the first on may run at the same time: neighbours
// that all only look, or are all sub-agents' tasks. Any other call runs by itself,
// after all that were written before it and before all that were written after it.
func (t *turn) group(calls []model.Call, stop error) int {
	company := t.company(calls[0])
	n := 1
	for company != apart && n < len(calls) && t.company(calls[n]) == company && t.calls+n < MaxCalls && t.unfit(calls[n], stop) == nil {
		n++
	}
	return n
}

// company says with which other calls a call may run at the same time.
type company uint8

const (
	apart company = iota
	withLooks
	withTasks
)

func (t *turn) company(c model.Call) company {
	tool, ok := t.cfg.Gate.Tools().Get(c.Name)
	if !ok || !tool.Parallelizable() {
		return apart
	}
	if d, ok := tool.(tools.Delegating); ok && d.Delegates() {
		return withTasks
	}
	return withLooks
}

// together runs n neighbouring calls, from the one at first on, at the same time,
// and returns when all of them have their results.
func (b *batch) together(ctx context.Context, first, n int) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i := first; i < first+n; i++ {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			b.settle(ctx, i, b.call(ctx, i))
		})
	}
	wg.Wait()
}

// unfit is the result of a call that is not to be run; nil if it may.
func (t *turn) unfit(c model.Call, stop error) *tools.Result {
	var r tools.Result
	switch {
	case stop != nil:
		r = tools.Failure("not_run", "not run: "+stop.Error())
	case c.Invalid != "":
		r = tools.Failure(string(tools.InvalidArgs), "not run: "+c.Invalid)
	case t.calls >= MaxCalls:
		r = tools.Failure("not_run", fmt.Sprintf("not run: a turn has at most %d calls. Answer with what you know, and say what is left to do.", MaxCalls))
	default:
		return nil
	}
	return &r
}

// keyOf names a call by what it would do, whatever the spelling of its
// arguments.
func keyOf(c model.Call) string {
	var value any
	if json.Unmarshal(c.Arguments, &value) == nil {
		if text, err := json.Marshal(value); err == nil {
			return c.Name + "\x00" + string(text)
		}
	}
	return c.Name + "\x00" + string(c.Arguments)
}

// call passes one call through the gate, unless the turn is over already.
func (b *batch) call(ctx context.Context, i int) gate.Answer {
	c := b.calls[i]
	b.mu.Lock()
	broken, failed, only := b.err, b.failures[keyOf(c)], b.only
	b.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return gate.Answer{Result: tools.Failure("interrupted", "not run: "+agent.InterruptedText), Interrupted: true}
	case broken != nil:
		return gate.Answer{Result: tools.Failure("not_run", "not run: "+broken.Error())}
	case b.cfg.NoTools && !b.own:
		return gate.Answer{Result: tools.Failure("no_tools", "not run: the operator has switched all tools off. Answer with what you know.")}
	case only != nil && !slices.Contains(only, c.Name) && b.cfg.under != nil:
		return gate.Answer{Result: tools.Failure("not_yours", fmt.Sprintf("not run: this sub-agent has %s only. Go on with those, and report what is missing.", strings.Join(only, ", ")))}
	case only != nil && !slices.Contains(only, c.Name):
		return gate.Answer{Result: tools.Failure("not_in_skill", fmt.Sprintf("not run: the skill that is active allows %s only, to the end of this turn. "+
			"Go on with those, or tell the operator what is missing.", strings.Join(only, ", ")))}
	case failed >= maxFailures:
		return gate.Answer{Result: tools.Failure("repeated", fmt.Sprintf("not run: this very call has failed %d times in this turn. "+
			"Do not repeat it: read its results above, then change the arguments, use another tool, or tell the operator what is in the way.", failed))}
	}
	if !b.takeTurn(ctx, c.Name) {
		return gate.Answer{Result: tools.Failure("interrupted", "not run: "+agent.InterruptedText), Interrupted: true}
	}
	defer b.endTurn(c.Name)
	b.trace("call", history.Call{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)})
	args, slips := c.Arguments, b.slips[c.ID]
	if tool, ok := b.cfg.Gate.Tools().Get(c.Name); ok && !b.own {
		var more []string
		args, more = slip.Arguments(tool.InputSchema(), args)
		slips = append(slips, more...)
	}
	answer := b.cfg.Gate.Call(ctx, gate.Call{
		ID: c.ID, Tool: c.Name, Arguments: args, Conversation: b.id, Target: b.situation.Target, Operator: b.own, From: b.cfg.under.from(),
		Outputs: b.cfg.History.Outputs(b.id), Seen: b.seen,
	}, b.notify)
	answer.Result.Repaired = slips
	return answer
}

// settle takes a call's one result: it is told, and stored when its turn comes.
func (b *batch) settle(ctx context.Context, i int, a gate.Answer) {
	c := b.calls[i]
	m := history.Message{
		Role: history.Tool, Call: c.ID, Tool: c.Name, IsError: a.Result.IsError, Denied: a.Denied,
		Content: b.secrets().JSON(tools.Envelope(b.cfg.Now(), a.Result)), Time: b.cfg.Now(),
	}
	if fault := (*tools.Error)(nil); errors.As(a.Err, &fault) && !a.Interrupted && fault.Code != tools.InvalidArgs {
		b.notify(agent.Fault{Text: c.Name + ": " + fault.Message})
	}
	b.trace("result", m)
	b.notify(agent.CallFinished{
		Call: c.ID, Tool: c.Name, IsError: m.IsError, Denied: m.Denied,
		Outcome: a.Outcome(), Content: m.Content, Duration: a.Duration,
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count(i, a)
	b.results[i] = &m
	var ready []history.Message
	for n := b.stored; n < len(b.results) && b.results[n] != nil; n++ {
		ready = append(ready, *b.results[n])
	}
	if len(ready) == 0 || b.err != nil {
		return
	}
	if b.err = b.add(ctx, ready...); b.err == nil {
		b.stored += len(ready)
	}
}

// count remembers what later calls, and the turn's ending, depend on.
func (b *batch) count(i int, a gate.Answer) {
	key := keyOf(b.calls[i])
	if a.Result.IsError {
		b.failures[key]++
	} else {
		delete(b.failures, key)
		b.narrow(a.Result.Only)
	}
	if i == len(b.calls)-1 {
		b.denied = a.Denied
	}
	if a.Edited != "" {
		text := "the operator changed the command of this call to: " + b.secrets().Text(a.Edited)
		b.notes = append(b.notes, history.Message{Role: history.Note, Call: b.calls[i].ID, Content: text})
	}
}

// reply is a message of a model's as it is stored.
func reply(m model.Message, llm string) history.Message {
	kept := history.Message{Role: history.Assistant, Content: m.Content, Reasoning: m.Reasoning}
	for _, c := range m.Calls {
		args := c.Raw
		if c.Invalid == "" {
			args = string(c.Arguments)
		}
		call := history.Call{ID: c.ID, Name: c.Name, Arguments: args, Invalid: c.Invalid, Extra: c.Extra}
		if len(c.Extra) > 0 {
			call.From = llm
		}
		kept.Calls = append(kept.Calls, call)
	}
	return kept
}
