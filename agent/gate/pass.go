package gate

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// pass takes one action through; again is the command that the operator wants
// instead.
func (g *Gate) pass(ctx context.Context, s Step, sink agent.Sink) (answer Answer, again *string) {
	answer.Action = s.Action
	s.acts = s.Action.Kind.Acts()
	var err error
	if s.must, err = g.secretsOf(s); err != nil {
		answer.Result = tools.Failure("secret", "not run: "+err.Error())
		return answer, nil
	}
	if deny := g.before(ctx, &s); deny != "" {
		answer.Decision = policy.Decision{How: policy.DeniedByHook, Reason: deny}
		return g.denied(ctx, s, answer, nil), nil
	}
	if s.acts {
		s.unrecorded = g.cfg.Ledger.Healthy()
	}
	d, err := g.decide(ctx, s, sink)
	answer.Decision = d
	if d.Action.Wall != confine.None || len(d.Action.Parts) > 0 {
		s.Action, answer.Action = d.Action, d.Action
	}
	if s.unrecorded != nil && !passesUnrecorded(s, d) {
		return g.refused(answer, tools.Denied("not run, because it cannot be put on record: %w", s.unrecorded)), nil
	}
	if !d.Allowed {
		if d.Edited != nil && s.Edit != nil && ctx.Err() == nil {
			again = d.Edited
		}
		return g.denied(ctx, s, answer, err), again
	}
	return g.allowed(ctx, s, answer, sink), nil
}

// passesUnrecorded reports whether a step may run although it cannot be put on record:
// only a plain look that the rules let pass without a question.
func passesUnrecorded(s Step, d policy.Decision) bool {
	return d.Allowed && !d.Asked && d.Verdict.Auto && s.must == "" && !errors.Is(s.unrecorded, ledger.ErrClosed)
}

// allowed takes a step on that was decided to run. It arms the revert before, where the
// decision wants one.
func (g *Gate) allowed(ctx context.Context, s Step, answer Answer, sink agent.Sink) Answer {
	d := answer.Decision
	if s.must != "" && !d.Asked && d.How != policy.ByConversation {
		return g.refused(answer, tools.Denied("not run: the operator was not asked, and %s", s.must))
	}
	if ctx.Err() != nil {
		answer.Interrupted = true
		answer.Result = tools.Failure("interrupted", "not run: "+agent.InterruptedText)
		return answer
	}
	if err := bound(s, d); err != nil {
		return g.refused(answer, tools.Denied("not run: %w", err))
	}
	if s.unrecorded != nil {
		g.unrecorded(s, d)
		return g.after(ctx, s, g.execute(ctx, s, answer, nil, sink))
	}
	if notable(s, d) {
		intent := g.intent(s, d)
		// Reading needs no record to happen: what cannot be written now is kept,
		// and the ledger says so by not being healthy.
		_ = g.cfg.Ledger.Note(ledger.Note{Kind: "read", By: intent.By, Proposal: &intent})
	}
	if d.Revert == nil {
		return g.recorded(ctx, s, answer, sink)
	}
	due, err := g.arm(ctx, s, d)
	if err != nil {
		return g.unarmed(s, answer, err)
	}
	s.ended = make(chan struct{})
	g.guard(s, d, due)
	defer func() {
		if !answer.pending {
			close(s.ended)
		}
	}()
	answer = g.recorded(ctx, s, answer, sink)
	return answer
}

// notable reports whether a look is noted: one that was asked about, that does not run by
// itself, or that fetches.
func notable(s Step, d policy.Decision) bool {
	return !s.acts && (d.Asked || !d.Verdict.Auto || s.Action.Kind == tools.Fetch) && s.Action.Kind != tools.Pure
}

// recorded executes a step, and puts it on record before if it acts.
func (g *Gate) recorded(ctx context.Context, s Step, answer Answer, sink agent.Sink) Answer {
	var ref *ledger.Ref
	if s.acts {
		r, err := g.cfg.Ledger.Intend(ctx, g.intent(s, answer.Decision))
		if err != nil {
			return g.refused(answer, tools.Denied("not run, because it cannot be put on record: %w", err))
		}
		ref = &r
	}
	if s.must != "" {
		defer g.release(s)()
	}
	return g.after(ctx, s, g.execute(ctx, s, answer, ref, sink))
}

// unrecorded notes that a plain observation runs although nothing that acts may:
// looking goes on when the record cannot be kept as it should. What cannot be
// written now is kept, and the ledger says so by not being healthy.
func (g *Gate) unrecorded(s Step, d policy.Decision) {
	intent := g.intent(s, d)
	_ = g.cfg.Ledger.Note(ledger.Note{Kind: "read", Text: "without an intent: " + s.unrecorded.Error(), By: intent.By, Proposal: &intent})
}

// decide asks the policy, and while the operator is asked, the hooks that want to know.
func (g *Gate) decide(ctx context.Context, s Step, sink agent.Sink) (policy.Decision, error) {
	asked := agent.NewSequencer(sink)
	defer asked.Close()
	within, withdraw := context.WithCancel(ctx)
	defer withdraw()
	var asking atomic.Pointer[<-chan hook.Said]
	d, err := abandonable(within, "the policy", func() (policy.Decision, error) {
		return g.cfg.Policy.Decide(within, policy.Proposal{
			Action: s.Action, Conversation: s.Conversation, Call: s.Call, Operator: s.Operator,
			Agent: s.From.Agent, ReadOnly: s.From.ReadOnly, Must: s.must, Under: s.companion.request(), Preview: s.Preview, Taint: s.tainted(), Named: s.named(),
			Unrecorded: s.unrecorded != nil, Notes: s.notes,
			Asked: func(r policy.Request) {
				asked.Send(agent.ApprovalAsked{Call: s.Call, Request: r})
				said := g.asked(ctx, s, r, asked, withdraw)
				asking.Store(&said)
			},
		})
	})
	if err != nil {
		d.Allowed = false // an error is never an approval
	}
	if said := asking.Load(); said != nil && *said != nil {
		d, err = overruled(within, *said, d, err)
	}
	if d.Asked {
		sink(agent.ApprovalAnswered{Call: s.Call, Approved: d.Allowed, Reason: d.Reason})
	}
	return d, err
}

// refused is the answer where the machinery itself is in the way.
func (g *Gate) refused(answer Answer, err *tools.Error) Answer {
	answer.Err, answer.Result = err, failure(err)
	return answer
}

// denied is the answer to a denial. It is put on record; if that fails, the
// ledger keeps it until it can, and says so by not being healthy.
func (g *Gate) denied(ctx context.Context, s Step, answer Answer, err error) Answer {
	d := answer.Decision
	answer.Denied = true
	var why string
	switch {
	case ctx.Err() != nil:
		answer.Interrupted = true
		why = agent.InterruptedText
		answer.Result = tools.Failure("interrupted", "not run: "+agent.InterruptedText)
	case err != nil:
		why = d.Reason
		if why == "" {
			why = err.Error()
		}
		answer.Err = tools.Denied("not run: %s: %w", why, err)
		answer.Result = tools.Failure("denied", "denied by policy: "+why)
	case d.How == policy.DeniedByHook:
		why = d.Reason
		answer.Result = tools.Failure("denied", "not run: denied by the "+why)
	case d.How == policy.DeniedByRule:
		why = d.Reason
		answer.Result = tools.Failure("denied", "denied by policy: "+why)
	case d.Edited != nil:
		why = "the operator wants this instead: " + *d.Edited
		answer.Result = tools.Failure("denied", "denied by the operator, who wants this instead: "+*d.Edited)
	case d.How == policy.DeniedByChange:
		why = d.Reason
		answer.Result = tools.Failure("changed", "not run: it could not be approved any more, because "+why+". Look with capture-pane, then decide again.")
	default:
		why = d.Reason
		answer.Result = tools.Failure("denied", withReason("denied by the operator", why))
	}
	intent := g.intent(s, d)
	noteErr := g.cfg.Ledger.Note(ledger.Note{Kind: "denied", Text: why, By: intent.By, Proposal: &intent})
	if noteErr != nil && answer.Err == nil {
		answer.Err = tools.Failed("the denial could not be put on record yet: %w", noteErr)
	}
	return answer
}

func withReason(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}
