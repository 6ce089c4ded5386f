package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/tools/risk/typed"
)

// assess is nod's own verdict of an action. What is meant for a shell within a
// pane's own runs nobody knows where and as whom.
func assess(a tools.Action) risk.Verdict {
	v := assessed(a)
	if len(a.Inside) > 0 {
		return v.Doubted("inside", fmt.Sprintf(`goes to the shell that "%s" has opened: where and as whom it runs is not known`, show.Text(a.Inside[len(a.Inside)-1])))
	}
	return v
}

// settle decides about a verdict that only lacks to know the hosts it reaches: it
// is auto if each is the operator's own or was named by him. Those that are not
// are said so.
func (e *Engine) settle(v *risk.Verdict, p Proposal) (strange string) {
	if v.Auto || !v.Plain || len(v.Reaches) == 0 || len(p.Action.Inside) > 0 {
		return ""
	}
	var own []string
	if e.opt.Hosts != nil {
		own = e.opt.Hosts()
	}
	for _, r := range v.Reaches {
		known := slices.ContainsFunc(own, func(h string) bool { return strings.EqualFold(h, r.Host) }) || p.Named != nil && p.Named(r.Host)
		if !known {
			return r.Host
		}
	}
	v.Auto = true
	return ""
}

// taint marks the parts of a proposal that came out of a target's output, and
// forbids that it runs by itself; it reports whether it would have.
func taint(v *risk.Verdict, parts []Span) bool {
	if len(parts) == 0 {
		return false
	}
	was := v.Auto
	v.Auto = false
	v.Findings = slices.Clone(v.Findings)
	for _, p := range parts {
		v.Findings = append(v.Findings, risk.Finding{
			Rule: "taint", Start: p.Start, End: p.End, Why: "stood in what a target printed, and you have not said it",
		})
	}
	return was
}

func assessed(a tools.Action) risk.Verdict {
	switch a.Kind {
	case tools.Pure:
		return observation()
	case tools.Read:
		if a.Path == "" {
			return observation() // a pane's screen
		}
		return risk.ReadFile(a.Path)
	case tools.Write:
		return risk.WriteFile(a.Path)
	case tools.Manage:
		return risk.Manage(a.Command)
	case tools.Fetch:
		return risk.Fetch(a.Command)
	case tools.Invoke:
		return invoked()
	case tools.Connect:
		return connecting()
	}
	dialect, err := risk.ParseDialect(a.Dialect)
	if err != nil {
		return unknown(err.Error())
	}
	switch a.Kind {
	case tools.Exec, tools.Run:
		return risk.Command(a.Command, dialect)
	case tools.Type:
		return typed.Keys(risk.Keystrokes{
			Literal: a.Literal, Keys: a.Keys, Enter: a.Enter, Pending: a.Pending, AtPrompt: a.Prompt, Tracked: a.Busy != "", Dialect: dialect,
		}, a.Program)
	}
	return unknown("an action of a kind that is not known")
}

func observation() risk.Verdict {
	return risk.Verdict{Effect: risk.Observe, Level: risk.Low, Auto: true}
}

// invoked is the verdict of a call to somebody else's server: what it does there
// cannot be seen, and what the server says of it is not trusted.
func invoked() risk.Verdict {
	return risk.Guess(risk.Mutate, 0, "server.call", "what the server does with it cannot be seen")
}

// connecting is the verdict of a login: nothing runs, but the other side sees it, and it may
// ask for passwords. Only the operator, or a rule of theirs, lets it pass.
func connecting() risk.Verdict {
	v := risk.Of(risk.Observe, 0, risk.Finding{Rule: "connect", Why: "logs in there, and keeps the connection"})
	v.Auto = false
	return v
}

// unknown is the verdict of what could not be assessed at all.
func unknown(why string) risk.Verdict {
	return risk.Guess(risk.Destroy, risk.Opaque, "not.assessed", why)
}

// combine is the worse of a verdict and a claim.
func combine(v risk.Verdict, c tools.Claim) risk.Verdict {
	if level := claimed(c); level.AtLeast(v.Level) {
		v.Level = level
	}
	if c.Mutation && !v.Effect.AtLeast(risk.Mutate) {
		v.Effect, v.Mutation = risk.Mutate, true
	}
	if c.Privesc {
		v.Privesc, v.Flags = true, v.Flags|risk.Privesc
	}
	if c.Mutation || c.Privesc || claimed(c) != risk.Low {
		v.Auto = false
	}
	if v.Mutation && !v.Level.AtLeast(risk.Medium) {
		v.Level = risk.Medium
	}
	if v.Mutation && v.Privesc {
		v.Level = risk.High
	}
	return v
}

// claimed is a claim's level; what is no level counts as high.
func claimed(c tools.Claim) risk.Level {
	var level risk.Level
	if level.UnmarshalText([]byte(c.Risk)) != nil {
		return risk.High
	}
	return level
}

// impliedBy is the level that a claim comes to by all that it says.
func impliedBy(c tools.Claim) risk.Level {
	v := combine(observation(), c)
	if v.Privesc && !v.Level.AtLeast(risk.Medium) {
		return risk.Medium
	}
	return v.Level
}

// compare says where a verdict and a claim differ, and whether the model understated
// what is evident. Where nod takes the worst because it does not know, the model may be
// right; and a change that it calls low has still been called a change.
func compare(v risk.Verdict, c tools.Claim) (text string, understated bool) {
	effect, flags, evident := v.Evident()
	mutation, privesc := effect.AtLeast(risk.Mutate), flags.Has(risk.Privesc)
	var milder, harsher []string
	side := func(milderHere, harsherHere bool, word string) {
		switch {
		case milderHere:
			milder = append(milder, word)
		case harsherHere:
			harsher = append(harsher, word)
		}
	}
	level, told := claimed(c), impliedBy(c)
	side(!told.AtLeast(evident), level != v.Level && level.AtLeast(v.Level), "the risk")
	side(mutation && !c.Mutation, c.Mutation && !v.Mutation, "that it changes something")
	side(privesc && !c.Privesc, c.Privesc && !v.Privesc, "that it uses elevated rights")
	switch {
	case len(milder) > 0:
		return "the model understated " + strings.Join(milder, " and "), true
	case !told.AtLeast(v.Level) || v.Mutation && !c.Mutation || v.Privesc && !c.Privesc:
		return "nod does not know all of this, and takes the worst", false
	case len(harsher) > 0:
		return "the model sees more in this than nod: " + strings.Join(harsher, " and "), false
	}
	return "", false
}
