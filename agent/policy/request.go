package policy

import (
	"crypto/rand"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/inverse"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
)

// request is what the operator is asked of a proposal.
func (e *Engine) request(p Proposal, x Explanation) Request {
	r := Request{
		ID: rand.Text(), Action: p.Action, Verdict: x.Verdict, Disagreement: x.Disagreement, Understated: x.Understated,
		Trust: x.Trust, Why: x.Why, Scopes: []Scope{Once}, Operator: p.Operator, Agent: p.Agent, Notes: p.Notes,
	}
	if x.Confirm {
		r.Confirm = nameOf(p.Action)
	}
	if repeatable(p, x) {
		r.Scopes = append(r.Scopes, Conversation)
	}
	if r.Keep = e.keepable(p, x); r.Keep != "" {
		r.Scopes = append(r.Scopes, Always)
	}
	switch {
	case len(p.Action.Parts) > 0:
		r.Places = e.places(p.Action, x.each)
		if x.Verdict.Flags.Has(risk.Lockout) {
			r.NoRevert = "none is armed on several targets at once: for one, call for each target alone"
		}
	case e.opt.Reverts != nil:
		if after := e.opt.Reverts(p.Action.Target); after > 0 {
			r.Revert, r.NoRevert = lockout.For(p.Action, x.Verdict, after)
		}
	}
	r.Undo = undo(p.Action)
	r.Final = r.Undo == "" && x.Verdict.Effect.AtLeast(risk.Destroy)
	if r.Confirm == "" {
		if r.Hasty = e.hasty(); r.Hasty != "" {
			r.Confirm = nameOf(p.Action)
		}
	}
	return r
}

// repeatable reports whether an approval may hold for the whole conversation.
func repeatable(p Proposal, x Explanation) bool {
	kind := p.Action.Kind
	return !x.Confirm && len(p.Action.Parts) == 0 && p.Conversation != "" && (kind == tools.Exec || kind == tools.Run) &&
		harmless(x.Combined) && placed(p.Action, x.Combined)
}

// undo says how an action can be taken back once it is done.
func undo(a tools.Action) string {
	switch a.Kind {
	case tools.Write:
		if a.Target == tools.Desk {
			return "nod memory edit, or the tool forget"
		}
		if a.Expect.Exists {
			return "/undo writes back what the file holds now"
		}
		return "/undo removes the file"
	case tools.Exec, tools.Run:
		back, ok := inverse.Of(a.Command)
		if !ok || len(a.Inside) > 0 {
			return ""
		}
		text := "/undo proposes " + show.Text(back.Command)
		if back.Unless != "" {
			text += ", unless " + back.Unless
		}
		return text
	}
	return ""
}
