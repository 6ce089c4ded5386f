package gate

import (
	"context"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
)

// effect passes a call that a plugin's code wants made while the step above is executed.
// It is never the operator's own, whoever has called the plugin, and it has the bounds of
// the step above. What is told of it is told as the progress of that one.
func (g *Gate) effect(ctx context.Context, above Step, e tools.Effect, reports *agent.Sequencer) tools.Result {
	tool, there := g.cfg.Effects.Get(e.Tool)
	if !there {
		return tools.Failure("not_there", e.Tool+" is not to be had here")
	}
	env := tools.Env{Call: above.Call, Target: above.target, Now: g.cfg.Now, Outputs: above.Outputs, Conversation: above.Conversation}
	if above.Seen != nil {
		env.Tainted = func(text string) bool { return len(above.Seen.Of(text)) > 0 }
	}
	a, err := abandonable(ctx, e.Tool, func() (tools.Action, error) { return tool.Plan(ctx, e.Arguments, env) })
	if err != nil {
		return g.unplanned(ctx, a, err).Result
	}
	for _, one := range append([]tools.Action{a}, a.Parts...) {
		if len(one.Parts) > 0 { // its target is none: those of its parts are
			continue
		}
		if err := e.Permit(one); err != nil {
			return tools.Failure("not_permitted", "not run: "+err.Error())
		}
	}
	step := Step{
		Action: a, Call: above.Call, Conversation: above.Conversation,
		From:    From{Agent: e.By, Parent: above.From.Parent, ReadOnly: above.From.ReadOnly},
		Execute: tool.Execute, Outputs: above.Outputs, Seen: above.Seen,
	}
	if many, ok := tool.(tools.Many); ok {
		step.Fold = many.Fold
	}
	return g.Pass(ctx, step, func(event agent.Event) {
		switch event := event.(type) {
		case agent.ApprovalAsked, agent.ApprovalAnswered:
			reports.Send(event)
		case agent.CallStarted:
			what := event.Action.Command
			if what == "" {
				what = event.Action.Path
			}
			reports.Send(agent.CallProgress{Call: above.Call, Progress: tools.Progress{Note: e.By + ": " + e.Tool + " " + what, Step: true}})
		}
	}).Result
}
