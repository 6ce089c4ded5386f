package policy

import (
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

// companion names an action that the answer to a request has allowed along with
// the action that was asked about.
type companion struct {
	request string
	digest  tools.Digest
}

// accompany allows actions along with the one that a request was about. They
// were part of what the operator was shown.
func (e *Engine) accompany(request string, actions ...tools.Action) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range actions {
		e.along[companion{request, a.Digest()}] = true
	}
}

// alongside decides about what an answer has allowed along with something else.
// No rule weighs in: the operator has seen it and wants it, and what he approved
// rests on it.
func (e *Engine) alongside(p Proposal, d Decision) Decision {
	e.mu.Lock()
	ok := e.along[companion{p.Under, p.Action.Digest()}]
	e.mu.Unlock()
	if !ok {
		d.How, d.Reason = DeniedByRule, "no answer has allowed this along with something else"
		return d
	}
	return e.allow(p.Action, d, ByRevert)
}

// unrecorded decides about what cannot be put on record: looking goes on.
func (e *Engine) unrecorded(p Proposal, x Explanation, d Decision) Decision {
	switch {
	case x.Ruling == Deny:
		d.How, d.Reason = DeniedByRule, x.Why
	case x.Ruling != Allow || !x.Verdict.Auto || !x.Combined.Auto || p.Must != "":
		d.How, d.Reason = DeniedByRule, "it cannot be put on record, and it is not plainly an observation"
	default:
		return e.allow(p.Action, d, x.How)
	}
	return d
}

// preview decides about a look around, which plainly observes or is held in a closed
// cage. The operator has asked for it, so that a posture which asks is content; a denial
// stays one.
func (e *Engine) preview(p Proposal, x Explanation, d Decision) Decision {
	switch {
	case x.Ruling == Deny:
		d.How, d.Reason = DeniedByRule, x.Why
	case p.Action.Wall != confine.None && p.Action.Grants == confine.Closed:
		return e.allow(p.Action, d, ByPreview)
	case !x.Verdict.Auto || !x.Combined.Auto || x.Ruling == Type:
		d.How, d.Reason = DeniedByRule, "it is not plainly an observation"
	default:
		return e.allow(p.Action, d, ByPreview)
	}
	return d
}
