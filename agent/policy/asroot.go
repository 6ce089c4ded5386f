package policy

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// rooted names a target and a user in a conversation, for whom the operator has allowed
// looks with root's rights.
type rooted struct{ conversation, target, user string }

// asRoot reports whether an action is held within sudo.
func asRoot(a tools.Action) bool {
	return a.Wall != confine.None && strings.HasSuffix(a.Grants, confine.Root)
}

// holdAsRoot puts a wall within the sudos of p's command, if it only looks and asks for
// nothing but its sudos. What the operator types runs as it is.
func (e *Engine) holdAsRoot(ctx context.Context, p *Proposal, x Explanation) Explanation {
	a := p.Action
	if a.Kind != tools.Exec || x.Ruling != Ask || p.Operator || p.Must != "" || p.Unrecorded || p.Preview || e.opt.ApproveAll {
		return x
	}
	d, err := risk.ParseDialect(a.Dialect)
	if err != nil {
		return x
	}
	look, ok := risk.LookAsRoot(a.Command, d)
	if !ok {
		return x
	}
	cage := e.opt.Cage(ctx, a.Target)
	if cage == nil {
		return x
	}
	a.Grants = look.Needs.String() + confine.Root
	if a.Wall = cage.For(a.Grants); a.Wall == confine.None || a.Wall == confine.ReadOnlyMounts && seesMounts(a.Command) {
		return x
	}
	p.Action = a
	return e.Explain(*p)
}

// lookAsRoot explains a look with root's rights that is held: the operator is asked once for
// each target and conversation, and then it runs. What asks for another reason goes on to.
func (e *Engine) lookAsRoot(x *Explanation, p Proposal) {
	a, v := p.Action, x.Combined
	if !asRoot(a) || x.Ruling != Ask || x.Posture != PostureAsk || p.Operator || x.strict || x.strange != "" || len(p.Taint) > 0 ||
		v.Effect != risk.Observe || v.Flags != risk.Privesc || v.Level.AtLeast(risk.High) {
		return
	}
	x.Why = "it looks as root, held (" + a.Wall.String() + "): it cannot change anything"
	if p.Conversation == "" {
		return
	}
	e.mu.Lock()
	before := e.rooted[rooted{p.Conversation, a.Target, a.User}]
	e.mu.Unlock()
	if before {
		x.Ruling, x.How = Allow, ByConversation
		x.Why += "; the operator allowed such looks before"
		return
	}
	x.looks = true
	x.Why += fmt.Sprintf("; a yes allows all such looks on %s in this conversation", a.Target)
}

// allowLooks keeps that the operator has allowed looks with root's rights.
func (e *Engine) allowLooks(p Proposal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range append([]tools.Action{p.Action}, p.Action.Parts...) {
		if asRoot(a) {
			e.rooted[rooted{p.Conversation, a.Target, a.User}] = true
		}
	}
}
