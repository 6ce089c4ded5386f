package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// ceiling is the worst that a rule that allows was meant for.
type ceiling struct {
	effect risk.Effect
	flags  risk.Flags
	murky  bool // something of it was not understood
	// hosts are those that its examples talk to.
	hosts map[string]bool
	// redirects: an example goes on to whatever host an answer names.
	redirects bool
	// patterns: an example holds a pattern among its words.
	patterns bool
	// anywhere leaves out which folder something runs in.
	anywhere bool
}

// measure takes the worst of a rule's examples and of the bare program with what
// its arguments start with.
func (r *Rule) measure() ceiling {
	c := ceiling{effect: risk.Observe, hosts: map[string]bool{}}
	add := func(v risk.Verdict) {
		if v.Effect.AtLeast(c.effect) {
			c.effect = v.Effect
		}
		c.flags |= v.Flags
		c.murky = c.murky || !understood(v)
		c.redirects = c.redirects || redirects(v)
		for _, reach := range v.Reaches {
			c.hosts[reach.Host] = true
		}
	}
	if r.Program != "" {
		add(risk.Argv(append([]string{r.Program}, r.Argv...)))
		for _, example := range r.Match {
			a := tools.Action{Kind: tools.Run, Command: example, Dialect: "bash", Dir: "/"}
			add(assess(a))
			c.patterns = c.patterns || slices.ContainsFunc(read(a, "").plain, wild)
		}
	}
	return c
}

// exceeded reports whether a rule that allows was not meant for something as
// bad as s. Exact words, a path without a program, and an effect, flags or a
// level that are spelled out say themselves how far they go.
func (r *Rule) exceeded(s subject) bool {
	switch {
	case r.Verdict != Allow:
		return false
	case !r.Exact && r.Program != "" && r.stretched(s),
		r.anyFolder(s),
		!r.Exact && r.otherHosts(s.verdict):
		return true
	case r.Exact, r.Program == "" && len(r.Path) > 0, len(r.Level) > 0:
		return false
	}
	return r.worse(s.verdict)
}

// anyFolder reports whether what is in some folder decides what runs, and a rule names
// none: whoever can write into it would decide.
func (r *Rule) anyFolder(s subject) bool {
	return inFolder(s.verdict) && !r.ceiling.anywhere && len(r.dirs) == 0 && !s.reading.elsewhere(r.Argv)
}

// otherHosts reports whether something talks to a host that neither a rule nor its
// examples name.
func (r *Rule) otherHosts(v risk.Verdict) bool {
	return len(r.hosts) == 0 && slices.ContainsFunc(v.Reaches, func(h risk.Reach) bool { return !r.ceiling.hosts[h.Host] })
}

// worse reports whether a verdict is worse than those of a rule's examples, where the
// rule does not say itself how far it goes.
func (r *Rule) worse(v risk.Verdict) bool {
	if r.Program != "" && !r.ceiling.murky && !understood(v) {
		return true
	}
	if len(r.Effect) == 0 && r.Program != "" && v.Effect.AtLeast(risk.Mutate) && !r.ceiling.effect.AtLeast(v.Effect) {
		return true
	}
	return len(r.Flags) == 0 && v.Flags&^r.ceiling.flags != 0
}

// elsewhere reports whether a command names, right behind the program, the folder
// that it works in, and a rule's arguments spell that out: git -C /srv/app.
func (r reading) elsewhere(argv []string) bool {
	return len(r.plain) > 2 && len(argv) > 1 && path.Base(r.plain[0]) == "git" && argv[0] == "-C" && path.IsAbs(argv[1]) &&
		r.plain[1] == "-C" && r.plain[2] == argv[1]
}

// literalTarget reports whether a rule can name this target and no other.
func literalTarget(name string) bool { return name != "" && !strings.ContainsAny(name, "*?[") }

// redirects reports whether something goes on to whatever host an answer names.
func redirects(v risk.Verdict) bool {
	return slices.ContainsFunc(v.Findings, func(f risk.Finding) bool { return f.Rule == risk.RuleRedirect })
}

// stretched reports whether a command goes beyond a rule's examples in a way
// that its verdict does not show: it names things by a pattern that the program
// itself expands, follows an answer to another host, or, behind a wrapper such
// as sudo for which the rule spells out no program, runs something else.
func (r *Rule) stretched(s subject) bool {
	words := s.reading.plain
	switch {
	case len(words) == 0:
		return false // matchesProgram says so
	case !r.ceiling.patterns && len(r.Path) == 0 && risk.Patterns(words):
		return true
	case !r.ceiling.redirects && redirects(s.verdict):
		return true
	case !risk.Wraps(path.Base(r.Program)) || slices.ContainsFunc(r.Argv, func(w string) bool { return !strings.HasPrefix(w, "-") }):
		return false
	}
	return !slices.ContainsFunc(r.Match, func(example string) bool {
		return slices.Equal(words, read(tools.Action{Kind: tools.Run, Command: example, Dialect: "bash", Dir: "/"}, "").plain)
	})
}
