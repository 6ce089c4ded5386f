package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/taint"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// turn is one turn in progress.
type turn struct {
	*Agent
	id        string
	situation briefing.Situation
	events    *agent.Sequencer // one event at a time, whoever tells it

	messages   []history.Message
	seen       *taint.Memory       // who has said what
	foreign    []string            // what targets have printed in other conversations
	calls      int                 // made so far
	tokens     int                 // used so far
	unreadable int                 // replies with calls that cannot be read
	failures   map[string]int      // by call, how often it has failed
	denied     bool                // the last call was denied
	slips      map[string][]string // by call, how it was taken differently from how it was written

	inbox *inbox
	mark  string // fences snapshots

	guidance   briefing.Guidance // what stands in the operator's folder and runbook
	recalled   string            // what the prompt is told of earlier turns
	unrecalled bool              // nothing, because it could not be read
	only       []string          // the tools that a skill, or a sub-agent's type, leaves to this turn; nil: all
	alone      chan struct{}     // shared by sub-agents: taken by a call that must be alone; nil otherwise
}

func (t *turn) notify(e agent.Event) { t.events.Send(e) }

// add stores messages and makes them part of what is sent next.
func (t *turn) add(ctx context.Context, messages ...history.Message) error {
	if err := t.keep(ctx, t.id, messages...); err != nil {
		return err
	}
	t.messages = append(t.messages, messages...)
	remember(t.seen, messages...)
	adopt(t.secrets(), messages)
	return nil
}

// run is the turn from the prompt to its end.
func (t *turn) run(ctx context.Context, prompt string) agent.Ending {
	ending, err := t.steps(ctx, prompt)
	defer func() { t.learn(ctx, ending) }()
	switch {
	case ctx.Err() != nil && (err != nil || ending != agent.Answered && ending != agent.Denied):
		ending = agent.Interrupted
		if err := t.conclude(ctx, agent.InterruptedText); err != nil {
			t.fault(err)
		}
		t.notify(agent.Notice{Text: agent.InterruptedText})
	case err != nil:
		t.fault(err)
		// The same disk may be the reason; then the fault has said it.
		_ = t.conclude(ctx, "the turn "+failedOrDenied(ending)+": "+err.Error())
	}
	return ending
}

func failedOrDenied(e agent.Ending) string {
	if e == agent.Denied {
		return "was denied"
	}
	return "failed"
}

// conclude notes in the history why the turn ended. Calls whose results could
// not be stored get theirs first, together with the note, so that it does not
// come between a call and its result.
func (t *turn) conclude(ctx context.Context, why string) error {
	lost, err := t.load(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	return t.add(ctx, append(lost, history.Message{Role: history.Note, Content: why})...)
}

// steps asks the model and runs its calls until it answers without one.
func (t *turn) steps(ctx context.Context, prompt string) (agent.Ending, error) {
	if err := t.mayHear(ctx, t.secrets().Text(prompt)); err != nil {
		return agent.Denied, err
	}
	if err := t.open(ctx, prompt); err != nil {
		return agent.Failed, err
	}
	t.recollect(ctx, prompt)
	for step := 1; ; step++ {
		if err := t.prepare(ctx); err != nil {
			return agent.Failed, err
		}
		last := step > t.cfg.MaxIterations || t.calls >= MaxCalls
		reply, err := t.ask(ctx, last)
		if err != nil {
			return agent.Failed, err
		}
		objection := t.message(ctx, hook.PostMessage, reply.Message.Content, "the turn is ended")
		switch calls := reply.Message.Calls; {
		case len(calls) > 0:
			if ending, err := t.act(ctx, calls, last, objection); err != nil {
				return ending, err
			}
		case objection != nil:
			return agent.Denied, objection
		case !last && t.inbox.waiting(): // the operator has said more meanwhile
		default:
			return t.answered(reply), nil
		}
	}
}

// act runs the calls of a reply. Where hooks object to it, or the turn has come to its
// limits, each call is answered with that instead. An error ends the turn.
func (t *turn) act(ctx context.Context, calls []model.Call, last bool, objection error) (agent.Ending, error) {
	stop := t.exhausted(last)
	if objection != nil {
		stop = objection
	}
	if err := t.dispatch(ctx, calls, stop); err != nil {
		return agent.Failed, err
	}
	switch {
	case objection != nil:
		return agent.Denied, objection
	case stop != nil:
		return agent.Failed, stop
	case ctx.Err() != nil:
		return agent.Interrupted, ctx.Err()
	case t.unreadable > maxUnreadable:
		return agent.Failed, &hintedError{
			text: fmt.Sprintf("the model's calls could not be read %d times", t.unreadable),
			hint: "ask again in other words, or choose another model",
		}
	}
	return 0, nil
}

// open loads the conversation, gives calls that were left without a result
// theirs, and adds the prompt.
func (t *turn) open(ctx context.Context, prompt string) error {
	lost, err := t.load(ctx)
	if err != nil {
		return err
	}
	role := history.User
	if t.cfg.under != nil {
		role = history.Task
	}
	return t.add(ctx, append(lost, history.Message{Role: role, Content: t.secrets().Text(prompt)})...)
}

// load takes the conversation from the history and returns the results that its
// last calls still need.
func (t *turn) load(ctx context.Context) (lost []history.Message, err error) {
	t.foreign = t.distrusted(ctx)
	if r := t.recent(ctx, t.foreign); r != nil {
		t.messages, t.seen = r.messages, r.seen
		return history.Unanswered(t.messages, "unknown: the result was lost", t.cfg.Now()), nil
	}
	messages, err := t.cfg.History.Load(ctx, t.id)
	if err != nil {
		return nil, fmt.Errorf("the conversation could not be loaded: %w", err)
	}
	t.messages, t.seen = messages, &taint.Memory{}
	if t.cfg.under != nil {
		t.seen = t.cfg.under.seen
	}
	for _, text := range t.foreign {
		t.seen.Printed(text)
	}
	remember(t.seen, messages...)
	adopt(t.secrets(), messages)
	return history.Unanswered(messages, "unknown: the result was lost", t.cfg.Now()), nil
}

// report tells of commands that have ended since the last step.
func (t *turn) report(ctx context.Context) error {
	for _, e := range t.cfg.Gate.TakeEnded(t.id) {
		if err := t.add(ctx, history.Message{Role: history.Note, Call: e.Call, Content: t.secrets().Text(e.Text)}); err != nil {
			return err
		}
		t.notify(e)
	}
	return nil
}

// prepare makes the conversation ready for the next request: what has happened
// meanwhile is in it, and it fits into the model's context.
func (t *turn) prepare(ctx context.Context) error {
	if err := t.report(ctx); err != nil {
		return err
	}
	if err := t.steer(ctx); err != nil {
		return err
	}
	t.meet(ctx)
	return t.fit(ctx)
}

// meet has the model's server asked what it takes.
func (t *turn) meet(ctx context.Context) {
	llm := t.Model()
	if c, ok := llm.Client.(Acquaintance); ok && !llm.Plain {
		if told := c.Meet(ctx); told != "" {
			t.notify(agent.Notice{Text: told})
		}
	}
}

// request is what the model is asked next.
func (t *turn) request(llm Model, last bool) model.Request {
	r := model.Request{
		Session: t.id,
		Messages: append([]model.Message{{
			Role: model.System, Content: briefing.SystemPrompt(t.cfg.Name, t.seal, t.cfg.SystemPrompt, t.situation),
		}}, briefing.Messages(t.messages, llm.Name, t.seal)...),
	}
	if !llm.Plain { // rules make nothing of it
		r.Messages = briefing.WithRecalled(r.Messages, t.recalled, t.messages)
	}
	if last {
		r.Messages = briefing.Attach(r.Messages, briefing.Notice(t.seal, "No more calls are possible in this turn. Answer now with what you know, and say what is left to do."), model.FromNod)
	} else if !t.cfg.NoTools {
		r.Tools = briefing.Tools(t.cfg.Gate.Tools(), briefing.Offer{Only: t.only, Extra: t.cfg.under.extras(), Context: llm.ContextLimit})
	}
	return r
}

// ask makes one request and stores the reply. One that the server finds too long is
// made once more with what fits into the context that the server names, and then once
// more after the conversation was compacted.
func (t *turn) ask(ctx context.Context, last bool) (model.Reply, error) {
	known := t.Model().ContextLimit
	got, err := t.askOnce(ctx, last)
	var e *model.Error
	tooLong := func() bool { return errors.As(err, &e) && e.Kind == model.ContextLength && ctx.Err() == nil }
	if tooLong() && t.noteLimit(t.Model().Name, e.Limit, known) {
		t.notify(agent.Notice{Text: fmt.Sprintf("the model's context is %d tokens: what it is sent is made to fit", e.Limit)})
		if err := t.fit(ctx); err != nil {
			return got, err
		}
		got, err = t.askOnce(ctx, last)
	}
	if tooLong() && t.shorten(ctx) {
		return t.askOnce(ctx, last)
	}
	return got, err
}

// askOnce makes one request and stores the reply. After an error, it stores the
// text that came.
func (t *turn) askOnce(ctx context.Context, last bool) (model.Reply, error) {
	llm := t.Model()
	r := t.request(llm, last)
	r.Messages = t.withSnapshot(ctx, llm, r.Messages)
	t.trace("request", r)
	got, err := llm.Client.Stream(ctx, r, t.delta)
	t.traceReply(got, err)
	t.used(r, llm, got)
	if err == nil {
		err = ctx.Err() // a reply that is complete, but nothing of it is to run any more
	}
	if err != nil {
		got.Message.Calls = nil
		if got.Message.Content == "" {
			return got, err
		}
		return got, errors.Join(err, t.add(ctx, reply(got.Message, llm.Name)))
	}
	got.Message.Calls = t.unique(got.Message.Calls)
	if len(got.Message.Calls) == 0 && got.Message.Content == "" {
		return got, nil // nothing to keep; answered says so
	}
	return got, t.add(ctx, reply(got.Message, llm.Name))
}

// delta tells of what streams.
func (t *turn) delta(d model.Delta) {
	if d.Reasoning != "" {
		t.notify(agent.Reasoning{Text: d.Reasoning})
	}
	if d.Text != "" {
		t.notify(agent.Text{Text: d.Text})
	}
	if w := d.Wait; w != nil {
		reason := ""
		if w.Reason != nil {
			reason = w.Reason.Message
		}
		t.notify(agent.Retrying{Reason: reason, After: w.For, Try: w.Try})
	}
}

// answered ends the turn on a reply without calls.
func (t *turn) answered(r model.Reply) agent.Ending {
	switch {
	case r.Message.Content == "":
		t.notify(agent.Notice{Text: "the model's answer is empty"})
	case r.Finish == "length":
		t.notify(agent.Notice{Text: "the answer was cut at the model's token limit"})
	case r.Finish == "content_filter":
		t.notify(agent.Notice{Text: "the answer was cut by the server's content filter"})
	}
	if t.denied {
		return agent.Denied
	}
	return agent.Answered
}

// exhausted says why no more calls may run; nil if they may.
func (t *turn) exhausted(last bool) error {
	switch {
	case last:
		return &hintedError{
			text: fmt.Sprintf("stopped after %d calls in %d steps without an answer", t.calls, t.cfg.MaxIterations),
			hint: "ask it to go on, or raise agent.max_iterations",
		}
	case t.cfg.MaxTokens > 0 && t.spent() >= t.cfg.MaxTokens:
		return &hintedError{
			text: fmt.Sprintf("stopped after %d tokens; the turn may use %d", t.spent(), t.cfg.MaxTokens),
			hint: "ask it to go on, or raise agent.max_tokens_per_turn",
		}
	}
	return nil
}

// hintedError is an error that knows what to do next.
type hintedError struct{ text, hint string }

func (e *hintedError) Error() string { return e.text }

// fault tells the operator of an error.
func (t *turn) fault(err error) {
	f := agent.Fault{Text: err.Error()}
	var asked *model.Error
	var stored *history.Error
	var hinted *hintedError
	switch {
	case errors.As(err, &asked):
		f.Hint = asked.Hint()
	case errors.As(err, &stored):
		f.Hint = stored.Hint
	case errors.As(err, &hinted):
		f.Hint = hinted.hint
	}
	t.notify(f)
}
