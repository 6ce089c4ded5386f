package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Explanation is why an action would be allowed, asked about or denied now.
type Explanation struct {
	Ruling  Ruling
	How     How    // what a decision without asking would rest on
	Rule    string // the rule's name; empty if trust or posture decide
	Why     string // in words
	Trust   Trust
	Posture Posture
	// Verdict is nod's own, Combined the worse of it and the model's claim.
	Verdict, Combined risk.Verdict
	Disagreement      string
	Understated       bool
	// Confirm says that the target's name must be typed to approve.
	Confirm bool
}

// Explain says how p would be decided, without asking and without a grant.
func (e *Engine) Explain(p Proposal) Explanation {
	a := p.Action
	x := Explanation{Trust: e.TrustOf(a.Target), Posture: e.Posture(), Verdict: assess(a)}
	if a.Kind == tools.Pure {
		x.Combined, x.Ruling, x.How, x.Why = x.Verdict, Allow, ByRule, "it touches no target"
		return x
	}
	x.Combined = x.Verdict
	if !p.Operator && a.Kind.Acts() {
		x.Combined = combine(x.Verdict, a.Claim)
		x.Disagreement, x.Understated = compare(x.Verdict, a.Claim)
	}
	s := newSubject(a, x.Combined, e.opt.Home)
	if rule, why := e.hard(s); rule != "" {
		x.Ruling, x.How, x.Rule, x.Why = Deny, DeniedByRule, rule, why
		return x
	}
	e.rule(&x, s)
	e.pose(&x)
	if x.Ruling == Ask && x.Posture == PostureAsk {
		if how, ok := e.lifted(p, x); ok {
			x.Ruling, x.How, x.Why = Allow, how, "the operator allowed it before"
		}
	}
	x.Confirm = x.Ruling == Type || x.Ruling == Ask && x.Trust != Lab &&
		(x.Combined.Level.AtLeast(risk.High) || x.Trust == Prod && x.Combined.Effect.AtLeast(risk.Mutate))
	return x
}

// rule applies the trust and the operator's rules.
func (e *Engine) rule(x *Explanation, s subject) {
	x.How = ByRule
	x.Ruling, x.Why = x.Trust.ruling(x.Combined)
	r, ok := e.opt.Rules.strictest(s)
	if !ok {
		return
	}
	switch {
	case r.Verdict == Allow && x.Ruling == Ask:
		x.Ruling = Allow
	case stricter(x.Ruling, r.Verdict) != r.Verdict || x.Ruling == r.Verdict:
		return // the trust is as strict as the rule
	default:
		x.Ruling = r.Verdict
	}
	x.Rule, x.Why = r.Name, fmt.Sprintf("the rule %q says %s", r.Name, r.Verdict)
	if r.Reason != "" {
		x.Why += ": " + r.Reason
	}
}

// ruling is what a trust says of a verdict, and why.
func (t Trust) ruling(v risk.Verdict) (Ruling, string) {
	place := "a target"
	if t != "" {
		place = string(t)
	}
	switch {
	case v.Auto:
		return Allow, "a plain observation"
	case t != Lab && (v.Effect.AtLeast(risk.Destroy) || v.Flags.Has(risk.Lockout)):
		return Type, fmt.Sprintf("on %s, the target's name is typed before what %s", place, consequence(v))
	}
	return Ask, fmt.Sprintf("on %s, what %s asks", place, consequence(v))
}

// consequence says what a verdict means, to follow "what".
func consequence(v risk.Verdict) string {
	switch {
	case v.Flags.Has(risk.Lockout):
		return "may lock the operator out"
	case v.Flags.Has(risk.Exfil):
		return "sends data elsewhere"
	case v.Flags.Has(risk.Opaque):
		return "cannot be known by reading"
	case v.Effect.AtLeast(risk.Destroy):
		return "may destroy"
	case v.Flags.Has(risk.Secret):
		return "may show secrets"
	case v.Flags.Has(risk.Privesc):
		return "uses elevated rights"
	case v.Effect.AtLeast(risk.Mutate):
		return "changes something"
	}
	return "is not plainly an observation"
}

// pose applies the posture.
func (e *Engine) pose(x *Explanation) {
	switch {
	case x.Posture == PostureReadOnly && !x.Combined.Auto && x.Ruling != Deny:
		x.Ruling, x.Rule, x.Why = Deny, "", "the posture is read-only: only plain observations run"
	case x.Posture == PostureAskAll && x.Ruling == Allow:
		x.Ruling, x.Rule, x.Why = Ask, "", "the posture is ask-all: everything asks"
	}
	if x.Ruling == Deny {
		x.How = DeniedByRule
	}
}

// Names of the hard denies.
const (
	ruleSecrets = "secret files"
	ruleOwn     = "nod's own files"
)

// hard returns the hard deny that applies, if one does.
func (e *Engine) hard(s subject) (rule, why string) {
	a := s.action
	if a.Path != "" {
		return e.hardPath(s, path.Clean(a.Path), false)
	}
	for _, w := range s.reading.mentioned() {
		p, ok := clean(w, a.Dir)
		if p == "" {
			continue
		}
		check := e.hardPath
		if !ok {
			check = e.hardAnywhere
		}
		if rule, why := check(s, p, wild(w)); rule != "" {
			return rule, why
		}
	}
	return "", ""
}

// hardAnywhere is hardPath for a relative path that is seen from a folder which
// is not known: where a pane stands.
func (e *Engine) hardAnywhere(s subject, p string, wildcards bool) (rule, why string) {
	for strings.HasPrefix(p, "../") {
		p = p[len("../"):]
	}
	if e.isOwnFrom(s.action.Target, p) {
		return ruleOwn, fmt.Sprintf("%q may belong to nod itself; no call may touch that", p)
	}
	rooted := path.Join("/", p)
	is := secret(rooted)
	if !is && wildcards {
		_, is = secretWild(rooted)
	}
	if !is || e.namedFrom(s, p) {
		return "", ""
	}
	return ruleSecrets, fmt.Sprintf("%q is a file that holds secrets; only a rule that names this very path lifts that", p)
}

func (e *Engine) hardPath(s subject, p string, wildcards bool) (rule, why string) {
	if e.isOwn(s.action.Target, p) {
		return ruleOwn, fmt.Sprintf("%q belongs to nod itself; no call may touch it", p)
	}
	is := secret(p)
	if !is && wildcards {
		_, is = secretWild(p)
	}
	if !is || e.named(s, p) {
		return "", ""
	}
	return ruleSecrets, fmt.Sprintf("%q is a file that holds secrets; only a rule that names this very path lifts that", p)
}

// named reports whether a rule for this target spells out the path.
func (e *Engine) named(s subject, p string) bool {
	return e.anyRule(s, func(r Rule) bool { return r.names(p) })
}

// namedFrom reports whether a rule for this target spells out a path that ends
// like this one.
func (e *Engine) namedFrom(s subject, p string) bool {
	return e.anyRule(s, func(r Rule) bool {
		return slices.ContainsFunc(r.Path, func(full string) bool { return strings.HasSuffix(full, "/"+p) && r.names(full) })
	})
}

func (e *Engine) anyRule(s subject, holds func(Rule) bool) bool {
	return slices.ContainsFunc(e.opt.Rules.all(), func(r Rule) bool { return oneOf(r.targets, s.action.Target) && holds(r) })
}
