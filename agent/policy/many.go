package policy

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
	"github.com/nod-console/nod/tools/risk"
)

// An action on several targets is decided upon as one: each part is explained by itself,
// with the trust, the rules and the cage of its target, and the strictest ruling counts for
// all. It is asked about once. What is approved is the whole of it, by a digest that covers
// each part, and each part gets a grant that is of use within this set alone.

// atOnce bounds how many parts are explained at the same time: a target may have to say what
// holds commands there.
const atOnce = 64

// Place is one target of a request that is about several.
type Place struct {
	Target string
	Trust  Trust
	// Verdict is nod's own of what would happen there.
	Verdict risk.Verdict
}

// explained explains p as it would run, on one target or on several.
func (e *Engine) explained(ctx context.Context, p *Proposal) Explanation {
	if len(p.Action.Parts) == 0 {
		return e.confine(ctx, p)
	}
	return e.confineEach(ctx, p)
}

// confineEach explains each part of p's action as it would run, and puts them so into it.
func (e *Engine) confineEach(ctx context.Context, p *Proposal) Explanation {
	if err := p.Action.Same(); err != nil {
		return Explanation{Ruling: Deny, How: DeniedByRule, Why: err.Error(), Verdict: unknown(err.Error()), Combined: unknown(err.Error())}
	}
	parts := slices.Clone(p.Action.Parts)
	all := make([]Explanation, len(parts))
	turns := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i := range parts {
		turns <- struct{}{}
		running.Go(func() {
			defer func() { <-turns }()
			one := p.part(parts[i])
			all[i] = e.confine(ctx, &one)
			parts[i] = one.Action
		})
	}
	running.Wait()
	p.Action.Parts = parts
	return strictest(parts, all)
}

// explainEach explains an action as it stands, without its cages.
func (e *Engine) explainEach(p Proposal) Explanation {
	all := make([]Explanation, len(p.Action.Parts))
	for i, part := range p.Action.Parts {
		all[i] = e.Explain(p.part(part))
	}
	return strictest(p.Action.Parts, all)
}

// part is p for one of its parts. What is tainted of keys is counted from the beginning of
// the line that they are typed into, and that is another one in each pane.
func (p Proposal) part(a tools.Action) Proposal {
	behind := len(a.Pending) - len(p.Action.Pending)
	p.Action = a
	p.Taint = slices.Clone(p.Taint)
	for i := range p.Taint {
		p.Taint[i] = Span{p.Taint[i].Start + behind, p.Taint[i].End + behind}
	}
	return p
}

// strictest is the explanation of an action from those of its parts.
func strictest(parts []tools.Action, all []Explanation) Explanation {
	worst, differs := 0, false
	for i := range all {
		if stricter(all[i], all[worst]) {
			worst = i
		}
		differs = differs || all[i].Ruling != all[0].Ruling
	}
	x := all[worst]
	x.each = make([]risk.Verdict, len(all))
	for i, one := range all {
		x.each[i] = one.Verdict
	}
	x.Verdict.Auto = !slices.ContainsFunc(all, func(one Explanation) bool { return !one.Verdict.Auto })
	for _, one := range all {
		x.Combined.Auto = x.Combined.Auto && one.Combined.Auto
		x.Confirm = x.Confirm || one.Confirm
		x.Understated = x.Understated || one.Understated
		x.looks = x.looks || one.looks
		if x.Disagreement == "" {
			x.Disagreement = one.Disagreement
		}
		if slices.Index(trustOrder, one.Trust) > slices.Index(trustOrder, x.Trust) {
			x.Trust = one.Trust
		}
		if x.Ruling == Allow && x.How == ByRule {
			x.How = one.How
		}
	}
	if differs {
		x.Why = fmt.Sprintf("on %s: %s", show.Text(parts[worst].Target), x.Why)
	}
	if x.Ruling == Deny {
		x.Why = deniedOn(parts, all, x.Why)
	}
	return x
}

// deniedOn says which targets a denial is about.
func deniedOn(parts []tools.Action, all []Explanation, why string) string {
	var names []string
	for i, one := range all {
		if one.Ruling == Deny {
			names = append(names, parts[i].Target)
		}
	}
	if len(names) == len(parts) {
		return why
	}
	return fmt.Sprintf("%s; denied are %s, and so nothing runs on the others: leave those out, or call for them alone", why, nodeset.Fold(names))
}

// stricter reports whether a leaves less to itself than b.
func stricter(a, b Explanation) bool {
	switch {
	case a.Ruling != b.Ruling:
		return a.Ruling.strictness() > b.Ruling.strictness()
	case a.Combined.Level != b.Combined.Level:
		return a.Combined.Level.AtLeast(b.Combined.Level)
	case a.Combined.Effect != b.Combined.Effect:
		return a.Combined.Effect.AtLeast(b.Combined.Effect)
	}
	return a.Combined.Flags&^b.Combined.Flags != 0 && b.Combined.Flags&^a.Combined.Flags == 0
}

// places are the targets of a request that is about several, with the verdict of each.
func (e *Engine) places(a tools.Action, each []risk.Verdict) []Place {
	places := make([]Place, len(a.Parts))
	for i, part := range a.Parts {
		places[i] = Place{part.Target, e.TrustOf(part.Target), each[i]}
	}
	return places
}

// mint grants an action and, where it has some, each part of it: nothing but these parts,
// in this set.
func (e *Engine) mint(a tools.Action) (tools.Action, tools.Grant, []tools.Grant) {
	if len(a.Parts) == 0 {
		return a, e.opt.Minter.Mint(a), nil
	}
	set := a.Digest().String()
	a.Parts = slices.Clone(a.Parts)
	grants := make([]tools.Grant, len(a.Parts))
	for i := range a.Parts {
		a.Parts[i].PartOf = set
		grants[i] = e.opt.Minter.Mint(a.Parts[i])
	}
	return a, e.opt.Minter.Mint(a), grants
}

// longestTyped is how long the folded name of a set may be for somebody to type it.
const longestTyped = 40

// nameOf is what is typed to approve an action: the target's name, or for several the
// folded name of all, or where that is long how many they are.
func nameOf(a tools.Action) string {
	if len(a.Parts) == 0 || len(a.Target) <= longestTyped {
		return a.Target
	}
	return fmt.Sprintf("%d targets", len(a.Parts))
}

// onTargets says on which targets a request is, in lines: folded, apart by what differs.
func onTargets(r Request) string {
	type kind struct {
		user, path string
		trust      Trust
		wall       confine.Wall
		grants     string
		keys       string // of what is typed: how risky, and what reads it
	}
	var order []kind
	names := map[kind][]string{}
	for i, part := range r.Action.Parts {
		k := kind{user: part.User, wall: part.Wall, grants: part.Grants}
		if i < len(r.Places) {
			k.trust = r.Places[i].Trust
			if part.Kind == tools.Type {
				k.keys = keysOn(r.Places[i].Verdict, part, r.Action)
			}
		}
		if r.Action.Path == "" {
			k.path = part.Path
		}
		if names[k] == nil {
			order = append(order, k)
		}
		names[k] = append(names[k], part.Target)
	}
	lines := make([]string, len(order))
	for i, k := range order {
		lines[i] = nodeset.Fold(names[k])
		if k.trust != "" {
			lines[i] += " (" + string(k.trust) + ")"
		}
		if k.user != "" {
			lines[i] += " as " + k.user
		}
		if k.path != "" {
			lines[i] += ": " + k.path
		}
		if k.keys != "" {
			lines[i] += ": " + k.keys
		}
		if k.wall != confine.None {
			lines[i] += ", held by " + k.wall.String()
			if strings.HasSuffix(k.grants, confine.Root) {
				lines[i] += " within sudo"
			}
		}
	}
	return strings.Join(lines, "\n")
}

// keysOn says how risky keys are in one pane of several, and what reads them there, as far as
// that is not the same in all. No text of a target's can look like another line of it.
func keysOn(v risk.Verdict, a, all tools.Action) string {
	text := strings.ToUpper(v.Level.String()) + " " + v.Effect.String()
	if flags := v.Flags.String(); flags != "" {
		text += " " + flags
	}
	switch text += "; pane " + a.Pane + ", "; {
	case a.Prompt:
		text += a.Dialect + " prompt"
	case a.Program != "":
		text += "read by " + exact(a.Program)
	case a.Busy != "":
		text += "into " + exact(a.Busy)
	default:
		text += "not at a prompt"
	}
	if all.Inside == nil {
		for _, opened := range a.Inside {
			text += ", inside " + exact(opened)
		}
	}
	if all.Dir == "" && a.Dir != "" {
		text += ", in " + exact(a.Dir)
	}
	if a.Pending != "" {
		text += ", behind " + exact(a.Pending)
	}
	return text
}

// exact is a text as it is, or in quotes where it could be taken for more.
func exact(text string) string {
	if show.Text(text) != text || strings.ContainsAny(text, `,;:"`) {
		return strconv.QuoteToASCII(text)
	}
	return text
}

// places says in the title of a request how many targets it is about.
func (r Request) places() string {
	prod := 0
	for _, p := range r.Places {
		if p.Trust == Prod {
			prod++
		}
	}
	text := fmt.Sprintf("%d targets", len(r.Action.Parts))
	switch {
	case prod == len(r.Action.Parts):
		text += ", all of them prod"
	case prod > 0:
		text += fmt.Sprintf(", %d of them prod", prod)
	case r.Trust != "":
		text += " (" + string(r.Trust) + " at most)"
	}
	return text
}
