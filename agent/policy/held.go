package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Cage is what can hold commands on one target; [*confine.Cage] is one.
type Cage interface {
	// For is the wall for a command that needs grants, None if nothing holds it.
	For(grants string) confine.Wall
	// Prefix is what stands before a held command in a pane; empty if it cannot be held there.
	Prefix(grants string) string
}

// CageOff is the word of a Confinement for which nothing is held by itself.
const CageOff = "off"

// Confinement is what the operator wants of cages: on all targets, or on some.
type Confinement struct {
	// Cage is "prefer" (looks without a pane run held where something holds them),
	// "require" (those in panes, too, and they ask elsewhere) or "off" (nothing is held
	// by itself). Empty: prefer.
	Cage string
	// Held says where commands that nod cannot wholly read run unasked, held: "on"
	// everywhere but on prod, "prod" there, too, "off" nowhere. Empty: on.
	Held string
}

// The words of a Confinement, the mildest first.
var (
	cageWords = []string{"", "prefer", CageOff, "require"}
	heldWords = []string{"prod", "", "on", "off"}
)

// confined is a Confinement with the targets that it is for.
type confined struct {
	glob
	Confinement
}

// readConfinements checks the words and the names of targets.
func readConfinements(all Confinement, some map[string]Confinement) ([]confined, error) {
	var read []confined
	add := func(name string, c Confinement) error {
		if !slices.Contains(cageWords, c.Cage) {
			return fmt.Errorf("policy: cage %q: want require, prefer or off", c.Cage)
		}
		if !slices.Contains(heldWords, c.Held) {
			return fmt.Errorf("policy: held %q: want on, off or prod", c.Held)
		}
		g, err := newGlob(name, false)
		if err != nil {
			return fmt.Errorf("policy: target %w", err)
		}
		read = append(read, confined{g, c})
		return nil
	}
	if err := add("**", all); err != nil {
		return nil, err
	}
	for name, c := range some {
		if err := add(name, c); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// Cages is what the operator wants of cages on a target.
func (e *Engine) Cages(target string) Confinement { return e.confinement(target) }

// confinement is what holds for a target: its own words, the strictest where several
// match, else those for all targets.
func (e *Engine) confinement(target string) Confinement {
	var own Confinement
	for _, c := range e.confined[1:] {
		if !c.covers(target) {
			continue
		}
		if slices.Index(cageWords, c.Cage) > slices.Index(cageWords, own.Cage) {
			own.Cage = c.Cage
		}
		if c.Held != "" && (own.Held == "" || slices.Index(heldWords, c.Held) > slices.Index(heldWords, own.Held)) {
			own.Held = c.Held
		}
	}
	if own.Cage == "" {
		own.Cage = e.confined[0].Cage
	}
	if own.Held == "" {
		own.Held = e.confined[0].Held
	}
	return own
}

// confine explains p as it would run: behind the wall that holds it, which it puts into
// p's action. What is proved by reading gets the grants that it needs; what is not
// understood gets none, in a closed cage.
func (e *Engine) confine(ctx context.Context, p *Proposal) Explanation {
	x := e.Explain(*p)
	a := p.Action
	c := e.confinement(a.Target)
	if !e.confines(*p, c) {
		return x
	}
	look := proved(x)
	if look && x.Verdict.Needs.Has(risk.NeedFree) {
		return x // within a cage it fails, or says less
	}
	if !look && !e.holdable(*p, x, c) {
		return e.holdAsRoot(ctx, p, x)
	}
	if a.Kind == tools.Run && (c.Cage != "require" || inShell(a, x.Verdict)) {
		return x // the line in a pane stays as it is, or is about the shell itself
	}
	a.Grants = confine.Closed
	if look {
		a.Grants = x.Verdict.Needs.String()
	}
	a.Wall = e.wall(ctx, a)
	switch {
	case a.Wall != confine.None && look:
		p.Action = a
	case a.Wall != confine.None:
		q := *p
		q.Action = a
		if held := e.Explain(q); held.Ruling == Allow { // else it asks as what it is
			p.Action, x = a, held
		}
	case look && c.Cage == "require":
		x.Ruling, x.Rule, x.Why = Ask, "", "it would only look, but nothing holds it there, and [policy] cage is require"
	}
	return x
}

// confines reports whether p is something that a wall could hold, and the operator wants
// one there. What has its wall already, is typed into another shell or belongs to another
// request is left as it is.
func (e *Engine) confines(p Proposal, c Confinement) bool {
	a := p.Action
	return e.opt.Cage != nil && c.Cage != CageOff && (a.Kind == tools.Exec || a.Kind == tools.Run) &&
		a.Wall == confine.None && len(a.Inside) == 0 && p.Under == ""
}

// proved reports whether something is allowed because reading has proved that it only
// looks.
func proved(x Explanation) bool { return x.Ruling == Allow && x.How == ByRule && x.Combined.Auto }

// wall is what holds an action with its grants on its target, None if nothing does.
func (e *Engine) wall(ctx context.Context, a tools.Action) confine.Wall {
	cage := e.opt.Cage(ctx, a.Target)
	if cage == nil || a.Kind == tools.Run && cage.Prefix(a.Grants) == "" {
		return confine.None
	}
	wall := cage.For(a.Grants)
	if wall == confine.ReadOnlyMounts && seesMounts(a.Command) {
		return confine.None
	}
	return wall
}

// seesMounts reports whether a command may say what is mounted, or what can be written:
// behind read-only mounts it would say that all is read-only.
func seesMounts(command string) bool {
	for _, word := range []string{"mount", "mnt", "mtab", "-w", "-W"} {
		if strings.Contains(command, word) {
			return true
		}
	}
	return false
}

// holdable reports whether a command that nod cannot wholly read may run unasked in a
// closed cage: nothing says that it acts, neither what was read nor the model, and
// nothing asks about it for another reason.
func (e *Engine) holdable(p Proposal, x Explanation, c Confinement) bool {
	switch {
	case !x.Verdict.Unread, x.Verdict.Needs&^risk.NeedTerminal != 0, len(x.Verdict.Reaches) > 0:
		return false
	case x.Trust == Prod && c.Held != "prod", c.Held == "off":
		return false
	case e.opt.ApproveAll:
		return false // it runs as it is
	case x.strict, x.strange != "", len(p.Taint) > 0 && !p.Operator, p.Must != "", p.Unrecorded, p.Preview:
		return false
	case p.Operator:
		return e.opt.Approver == nil // on their own machine they are asked
	}
	claim := p.Action.Claim
	return !claim.Mutation && !claim.Privesc && claimed(claim) != risk.High
}

// hold lets a command run unasked that is held by the kernel: it can change nothing,
// connect nowhere and leave nothing behind. What a command of the operator's own reads
// goes to them alone; for a model, the cage is closed and hides secrets. What a rule says
// holds all the same.
func hold(x *Explanation, p Proposal) {
	a := p.Action
	if a.Wall == confine.None || asRoot(a) || !p.Operator && a.Grants != confine.Closed || x.strict || x.Ruling != Ask && x.Ruling != Type {
		return
	}
	x.Ruling, x.How = Allow, ByWall
	x.Why = "it is held (" + a.Wall.String() + "): it cannot change anything"
}

// Runs says in a word how a command runs with a wall for each grant: "free" if it is
// proved by reading, "held" if it runs unasked in the cage alone, "asks" or "denied".
func (e *Engine) Runs(ctx context.Context, p Proposal) string {
	x := e.confine(ctx, &p)
	switch {
	case x.Ruling == Deny:
		return "denied"
	case x.Ruling != Allow:
		return "asks"
	case x.How == ByWall:
		return "held"
	}
	return "free"
}

// SecretPatterns are the names of files that hold secrets, as [confine.Install] takes
// them, and own, folders that no command may read.
func SecretPatterns(own ...string) string {
	var b strings.Builder
	for _, s := range secretPatterns() {
		if s.except {
			b.WriteByte('!')
		}
		b.WriteString(s.text + "\n")
	}
	for _, dir := range own {
		for _, name := range spellings(dir) {
			b.WriteString(name + "\n" + name + "/**\n")
		}
	}
	return b.String()
}
