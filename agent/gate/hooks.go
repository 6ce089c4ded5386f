package gate

import (
	"context"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// hooked reports whether hooks are asked about a step: what nod does by itself beside a
// decision, a look ahead or a revert, belongs to what they were asked about.
func (g *Gate) hooked(s Step) bool { return g.cfg.Hooks != nil && s.companion == nil && !s.Preview }

// eventOf is a step as hooks are told of it.
func (g *Gate) eventOf(name string, s Step) hook.Event {
	a := s.Action
	e := hook.Event{
		Event: name, Conversation: s.Conversation, Call: s.Call, Agent: s.From.Agent, Operator: s.Operator,
		Tool: a.Tool, Effect: a.Kind.String(), Target: a.Target, Pane: a.Pane, Command: commandLine(a), Path: a.Path,
		Content: string(a.Stdin),
	}
	if len(a.Parts) > 0 {
		e.Targets = a.Targets()
	}
	if a.Kind == tools.Write {
		e.Content = string(a.Content)
	}
	return e
}

// before asks the hooks whether a step may be decided upon at all. The denial is a
// decision's reason; empty if there is none.
func (g *Gate) before(ctx context.Context, s *Step) (deny string) {
	if !g.hooked(*s) {
		return ""
	}
	if began := g.cfg.Hooks.Begin(ctx); began.Deny != "" {
		return began.Deny
	}
	said := g.cfg.Hooks.Run(ctx, g.eventOf(hook.PreTool, *s))
	s.notes = said.Notes
	return said.Deny
}

// asked puts a question to the operator before the hooks. They are asked while the
// operator thinks; a denial calls withdraw. What they say comes on the channel, which is
// nil if no hook wants to know.
func (g *Gate) asked(ctx context.Context, s Step, r policy.Request, events *agent.Sequencer, withdraw func()) <-chan hook.Said {
	if !g.hooked(s) || !g.cfg.Hooks.Wanted(hook.ApprovalAsked) {
		return nil
	}
	e := g.eventOf(hook.ApprovalAsked, s)
	e.Text = r.Why
	done := make(chan hook.Said, 1)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.closing, cancel)
	g.wg.Go(func() {
		defer cancel()
		defer stop()
		said := g.cfg.Hooks.Run(ctx, e)
		for _, n := range said.Notes {
			events.Send(agent.Notice{Text: n})
		}
		done <- said
		if said.Deny != "" {
			withdraw()
		}
	})
	return done
}

// overruled is a decision as the hooks leave it that were asked meanwhile: an approval
// waits for them, a denial does not.
func overruled(within context.Context, asking <-chan hook.Said, d policy.Decision, err error) (policy.Decision, error) {
	var said hook.Said
	switch {
	case d.Allowed:
		said = <-asking
	case within.Err() != nil: // perhaps by them
		select {
		case said = <-asking:
		default:
		}
	}
	if said.Deny == "" {
		return d, err
	}
	d.Allowed, d.Edited, d.Revert = false, nil, nil
	d.How, d.Reason = policy.DeniedByHook, said.Deny
	return d, nil
}

// after puts what has run before the hooks, and returns the answer as they leave it. A call
// that the operator has interrupted is not held up by them; where one is required, its
// result is withheld.
func (g *Gate) after(ctx context.Context, s Step, answer Answer) Answer {
	if !g.hooked(s) || !g.cfg.Hooks.Wanted(hook.PostTool) {
		answer.Result.Notes = append(answer.Result.Notes, s.notes...)
		return answer
	}
	e := g.eventOf(hook.PostTool, s)
	e.Text = g.Secrets(s.Conversation).JSON(tools.Envelope(g.cfg.Now(), answer.Result))
	e.Outcome, e.Failed = answer.Outcome(), answer.Result.IsError
	if ctx.Err() != nil {
		g.wg.Go(func() { g.cfg.Hooks.Run(g.closing, e) })
		return g.unasked(answer)
	}
	said := g.cfg.Hooks.Run(ctx, e)
	switch {
	case ctx.Err() != nil:
		return g.unasked(answer)
	case said.Deny != "":
		answer = withhold(answer, "by the "+said.Deny)
	}
	answer.Result.Notes = append(append(answer.Result.Notes, s.notes...), said.Notes...)
	return answer
}

// unasked is the answer of a call that was interrupted before the hooks have said anything.
func (g *Gate) unasked(answer Answer) Answer {
	if g.cfg.Hooks.Required(hook.PostTool) {
		return withhold(answer, "because it was interrupted before a required hook has seen it")
	}
	return answer
}

// withhold keeps a result from the model. What is on record of it stays.
func withhold(answer Answer, why string) Answer {
	r := tools.Failure("withheld", "it has run, and its result is withheld "+why)
	r.Record, r.Running = answer.Result.Record, answer.Result.Running
	answer.Result = r
	return answer
}

// endedLate tells the hooks that a command has ended that went on after its call.
func (g *Gate) endedLate(s Step, ended agent.RunEnded) {
	if !g.hooked(s) {
		return
	}
	e := g.eventOf(hook.RunEnded, s)
	e.Text, e.Outcome = g.Secrets(s.Conversation).Text(ended.Text), ended.Outcome
	g.cfg.Hooks.Run(g.closing, e)
}
