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
	Ruling Ruling
	How    How    // what a decision without asking would rest on
	Rule   string // the rule's name; empty if trust or posture decide
	Line   int    // where the rule stands in the rules file; 0 if it is none of the operator's
	// Part is the part of the command that decides; zero if none does alone.
	Part    Span
	Why     string // in words
	Trust   Trust
	Posture Posture
	// Verdict is nod's own, Combined the worse of it and the model's claim.
	Verdict, Combined risk.Verdict
	Disagreement      string
	Understated       bool
	// Tainted is set if only its taint keeps it from being a plain observation.
	Tainted bool
	// Confirm says that the target's name must be typed to approve.
	Confirm bool

	login   bool           // it only connects a target
	strict  bool           // a rule of the operator's asks about it or denies it
	strange string         // a host that it would talk to and nobody has named
	looks   bool           // a yes allows all looks with root's rights there
	each    []risk.Verdict // nod's own of the parts of an action on several targets
}

// Explain says how p would be decided, without asking and without a grant. Of an action on
// several targets, the strictest ruling of its parts counts.
func (e *Engine) Explain(p Proposal) Explanation {
	a := p.Action
	if len(a.Parts) > 0 {
		return e.explainEach(p)
	}
	x := Explanation{Trust: e.TrustOf(a.Target), Posture: e.Posture(), Verdict: assess(a), login: a.Kind == tools.Connect}
	if p.ReadOnly {
		x.Posture = PostureReadOnly
	}
	x.strange = e.settle(&x.Verdict, p)
	x.Tainted = !p.Operator && taint(&x.Verdict, p.Taint)
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
	if rule, why, word := e.hard(s); rule != "" {
		x.Ruling, x.How, x.Rule, x.Why, x.Part = Deny, DeniedByRule, rule, why, s.part(word)
		return x
	}
	e.rule(&x, s)
	hold(&x, p)
	e.pose(&x)
	e.lookAsRoot(&x, p)
	if x.Ruling == Ask && x.Posture == PostureAsk && len(a.Inside) == 0 {
		if how, ok := e.lifted(p, x); ok {
			x.Ruling, x.How, x.Why = Allow, how, "the operator allowed it before"
		}
	}
	x.Confirm = x.confirms()
	return x
}

// confirms reports whether the target's name must be typed to approve.
func (x *Explanation) confirms() bool {
	return x.Ruling == Type || x.Ruling == Ask && x.Trust != Lab &&
		(x.Combined.Level.AtLeast(risk.High) || x.Trust == Prod && x.Combined.Effect.AtLeast(risk.Mutate))
}

// rule applies the trust and the operator's rules.
func (e *Engine) rule(x *Explanation, s subject) {
	x.How = ByRule
	x.Ruling, x.Why = x.Trust.ruling(x.Combined)
	r, ok := e.rules.Load().strictest(s)
	switch {
	case x.Ruling != Ask:
	case x.Tainted:
		x.Why = "it takes from a target's output what you have not said yourself"
	case x.login:
		x.Why = "it logs in there"
	case x.strange != "":
		x.Why = fmt.Sprintf("it sends what it asks to %q, which is no target of yours and which you have not named", x.strange)
	case inFolder(x.Combined) && nearly(x.Combined):
		x.Why = "what the configuration in its folder names runs along: only a rule that names the folder (dir) lets it pass"
	}
	if !ok {
		return
	}
	x.strict = r.Verdict != Allow
	switch {
	case r.Verdict == Allow && x.Ruling == Ask:
		x.Ruling = Allow
	case r.Verdict == Allow, x.Ruling.strictness() > r.Verdict.strictness():
		return // the trust is stricter, or lets it pass as well
	default:
		x.Ruling = r.Verdict
	}
	x.Rule, x.Why = r.Name, fmt.Sprintf("the rule %q says %s", r.Name, r.Verdict)
	x.Line, x.Part = r.line, r.part(s)
	if r.Reason != "" {
		x.Why += ": " + r.Reason
	}
}

// inFolder reports whether what a folder's configuration names would run, too.
func inFolder(v risk.Verdict) bool {
	return slices.ContainsFunc(v.Findings, func(f risk.Finding) bool { return f.Rule == risk.RuleFolder })
}

// nearly reports whether something only reads, as far as it is understood.
func nearly(v risk.Verdict) bool { return v.Effect == risk.Observe && v.Flags == 0 }

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
	case x.Posture == PostureReadOnly && x.How == ByWall:
		// It changes nothing.
	case x.Posture == PostureReadOnly && (x.Tainted || x.strange != "" || x.login || inFolder(x.Combined)) && nearly(x.Combined):
		// It would run but for its taint, its host, its folder or being a login: asking is enough.
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

// mostWild is how many words with wildcards are compared with the names of all secret files,
// which takes a quarter of a millisecond each, of a text that is too long to be read, and
// asks whatever stands in it. Of one that can be read, all are.
const mostWild = 1000

// hard returns the hard deny that applies, if one does.
func (e *Engine) hard(s subject) (rule, why, word string) {
	a := s.action
	if a.Path != "" {
		rule, why = e.hardPath(s, path.Clean(a.Path), false)
		return rule, why, ""
	}
	text, _ := commandText(a)
	long := !risk.Readable(text)
	looked, wilds := map[string]bool{}, 0
	for _, w := range s.reading.mentioned() {
		if looked[w] {
			continue
		}
		looked[w] = true
		wildcards := wild(w)
		if wildcards {
			wilds++
		}
		all, ok := s.paths(w)
		for i, p := range all {
			check := e.hardPath
			if i == 0 && !ok {
				check = e.hardAnywhere
			}
			if rule, why := check(s, p, wildcards && (!long || wilds <= mostWild)); rule != "" {
				return rule, why, w
			}
		}
	}
	return "", "", ""
}

// part is where a word stands in the command; zero if it is not spelled there.
func (s subject) part(word string) Span {
	text, _ := commandText(s.action)
	at := strings.Index(text, word)
	if word == "" || at < 0 {
		return Span{}
	}
	return Span{at, at + len(word)}
}

// part is what of a command a rule is about.
func (r *Rule) part(s subject) Span {
	switch {
	case s.action.Path != "":
	case r.Program != "":
		span, _ := s.reading.where(r.Program, r.Argv)
		return span
	case len(r.paths) > 0:
		for _, w := range s.reading.mentioned() {
			if r.touches(s, w) {
				return s.part(w)
			}
		}
	}
	return Span{}
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
	return slices.ContainsFunc(e.rules.Load().all(), func(r Rule) bool { return oneOf(r.targets, s.action.Target) && holds(r) })
}
