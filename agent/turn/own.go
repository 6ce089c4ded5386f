package turn

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
)

// ownWords is what the history says behind a call that the operator made.
const ownWords = "the operator ran this himself"

// Own makes a call that the operator asks for himself, as prompt says in his
// words. It passes the gate like any call, and the model reads of it with the
// next prompt. Events, Done and the end of ctx are as in Run.
func (a *Agent) Own(ctx context.Context, conversation, prompt, tool string, arguments json.RawMessage, sink agent.Sink) agent.Ending {
	return a.turn(conversation, sink, func(t *turn) agent.Ending { return t.own(ctx, prompt, tool, arguments) })
}

func (t *turn) own(ctx context.Context, prompt, tool string, arguments json.RawMessage) agent.Ending {
	call := model.Call{ID: "own" + rand.Text()[:9], Name: tool, Arguments: arguments}
	asked := reply(model.Message{Calls: []model.Call{call}}, "")
	err := t.open(ctx, prompt)
	if err == nil {
		err = t.report(ctx)
	}
	if err == nil {
		err = t.add(ctx, asked)
	}
	if err != nil {
		t.fault(err)
		return agent.Failed
	}
	t.notify(agent.Proposed(asked.Calls[0]))
	b := &batch{turn: t, calls: []model.Call{call}, results: make([]*history.Message, 1), own: true}
	answer := b.call(ctx, 0)
	b.settle(ctx, 0, answer)
	err = b.err
	if err == nil {
		err = t.add(ctx, append(b.notes, history.Message{Role: history.Note, Content: ownWords})...)
	}
	switch {
	case err != nil:
		t.fault(err)
		return agent.Failed
	case answer.Interrupted:
		return agent.Interrupted
	case answer.Denied:
		return agent.Denied
	}
	return agent.Answered
}
