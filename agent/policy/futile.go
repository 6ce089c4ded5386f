package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Futile says why a rule that allows never allows anything at all: none of its
// examples, and not the bare program with its arguments where it has none. It is
// empty for a rule that works, and for one that asks or denies. Needless is set if
// the reason is that all of it runs without the rule.
//
// It is tried on a target that fits each of the rule's patterns, with the trust
// that the engine has for it, in the posture ask.
func (e *Engine) Futile(r Rule) (why string, needless bool) {
	if r.Verdict != Allow {
		return "", false
	}
	if strings.ContainsAny(r.Program, " \t\n;|&<>()$`\"'\\*?[]{}~") {
		return fmt.Sprintf("the program %q is no single plain word; the arguments go into argv", r.Program), false
	}
	if lacking := e.typed(r); lacking != "" {
		return lacking, false
	}
	for _, p := range r.samples() {
		x := e.Explain(p)
		switch {
		case x.Ruling == Allow && x.Rule != "":
			return "", false
		case x.Ruling == Allow:
			needless = true
		case why == "":
			why = fmt.Sprintf("%q on %s: %s", sampled(p.Action), p.Action.Target, e.hindrance(r, p, x))
		}
	}
	if needless {
		return "what it allows runs without it", true
	}
	return why, false
}

// typed says that a rule is only about what the target's name is typed before,
// wherever it holds.
func (e *Engine) typed(r Rule) string {
	grave := len(r.Effect) > 0 && !slices.ContainsFunc(r.Effect, func(w string) bool { return w != risk.Destroy.String() }) ||
		len(r.Flags) > 0 && !slices.ContainsFunc(r.Flags, func(w string) bool { return w != risk.Lockout.String() })
	if !grave || slices.ContainsFunc(r.Target, func(t string) bool { return e.TrustOf(sample(t)) == Lab }) {
		return ""
	}
	return "the target's name is typed before what destroys or may lock the operator out, but for a lab; no rule lifts that"
}

// hindrance says what keeps a rule from allowing something it is meant for.
func (e *Engine) hindrance(r Rule, p Proposal, x Explanation) string {
	s := newSubject(p.Action, x.Combined, e.opt.Home)
	if r.matches(s) {
		if x.Ruling == Type {
			return x.Why + "; no rule lifts that"
		}
		return x.Why
	}
	for _, reach := range x.Verdict.Reaches {
		if len(r.hosts) == 0 || !oneOf(r.hosts, reach.Host) {
			return fmt.Sprintf("it talks to %q, which neither host nor an example of the rule names", reach.Host)
		}
	}
	switch {
	case inFolder(x.Combined) && len(r.dirs) == 0:
		return "what the configuration in its folder names runs along: the rule must name the folder (dir)"
	case s.reading.plain == nil && r.Program != "":
		return "a rule that allows is about one plain command, without redirection, variables and chaining"
	}
	return "the rule does not cover it"
}

// samples are the examples of a rule that allows, as proposals.
func (r Rule) samples() []Proposal {
	commands := r.Match
	switch {
	case len(commands) > 0:
	case r.Program != "":
		words := append([]string{r.Program}, r.Argv...)
		for i, w := range words {
			if i > 0 {
				words[i] = quoted(w)
			}
		}
		if len(r.Path) > 0 {
			words = append(words, sample(r.Path[0]))
		}
		commands = []string{strings.Join(words, " ")}
	case len(r.Path) > 0:
		commands = []string{sample(r.Path[0])}
	default:
		return nil // an effect, a level or a tool: there is always something
	}
	targets := r.Target
	if len(targets) == 0 {
		targets = []string{"local"}
	}
	var all []Proposal
	for _, target := range targets {
		for _, c := range commands {
			all = append(all, r.proposal(sample(target), c))
		}
	}
	return all
}

// proposal is an example on a target, with an honest claim.
func (r Rule) proposal(target, text string) Proposal {
	a := tools.Action{Tool: "run_shell", Kind: tools.Run, Target: target, Dialect: "bash", Dir: "/", Command: text}
	if r.Program == "" && path.IsAbs(text) && !strings.ContainsAny(text, " \t\n") {
		a = tools.Action{Tool: "write_file", Kind: tools.Write, Target: target, Path: text}
	}
	if len(r.Tool) > 0 {
		a.Tool = r.Tool[0]
	}
	if len(r.Dir) > 0 {
		a.Dir = sample(r.Dir[0])
	}
	v := assess(a)
	a.Claim = tools.Claim{Risk: v.Level.String(), Mutation: v.Mutation, Privesc: v.Flags.Has(risk.Privesc)}
	return Proposal{Action: a}
}

func sampled(a tools.Action) string {
	if a.Path != "" {
		return a.Path
	}
	return a.Command
}

// sample is a name that fits a pattern without classes.
func sample(pattern string) string {
	return strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(pattern)
}

// quoted is a word as a shell takes it for one.
func quoted(w string) string {
	if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+") == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
