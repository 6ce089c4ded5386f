package guard

import (
	"context"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Cage is what holds commands on a target, nil where nothing does. It waits until that
// is known, or ctx ends.
func (g *Guard) Cage(ctx context.Context, target string) *confine.Cage {
	p, err := g.place(target)
	if err != nil || p.Cage == nil {
		return nil
	}
	cage, err := p.Cage.Cage(ctx)
	if err != nil {
		return nil
	}
	return cage
}

// CanClose reports whether a closed cage may be had on a target: it is known that there is
// one, or not known yet that there is none.
func (g *Guard) CanClose(target string) bool {
	p, err := g.place(target)
	if err != nil || p.Cage == nil {
		return false
	}
	wall, known, why := p.Cage.Known()
	return !known || why == nil && wall != confine.ReadOnlyMounts
}

// Ended is told how a held command ended that ran without a pane. Where the helper could
// not run it, it is installed anew before it is used again; where sudo could not run that,
// nothing is held within sudo there any more.
func (g *Guard) Ended(a tools.Action, o backends.Outcome) {
	p, err := g.place(a.Target)
	if err != nil || p.Cage == nil || a.Wall == confine.None || o != backends.ExitedWith(confine.Failed) {
		return
	}
	p.Cage.Doubt()
	if strings.Contains(a.Grants, confine.Root) {
		p.Cage.ForgoRoot()
	}
}

// Refused is what the cage refused a's command, out of the end of what it printed on
// standard error; empty if it was not held or nothing was refused.
func Refused(a tools.Action, output string) string {
	if a.Wall == confine.None {
		return ""
	}
	return confine.Refusals(output)
}

// held is argv behind the wall that the action names. With the grant for root, that stands
// within each sudo of the command.
func held(ctx context.Context, p Place, a tools.Action, argv []string) ([]string, error) {
	if a.Wall == confine.None {
		return argv, nil
	}
	cage, err := standingCage(ctx, p, a)
	if err != nil {
		return nil, err
	}
	if grants, root := strings.CutSuffix(a.Grants, confine.Root); root {
		d, err := risk.ParseDialect(a.Dialect)
		look, ok := risk.LookAsRoot(a.Command, d)
		if err != nil || !ok {
			return nil, fmt.Errorf("guard: %w: %q is no look of root's", ErrMalformed, a.Command)
		}
		inside := look.Inside(cage.AsRoot(confine.Hold{Wall: a.Wall, Grants: grants, Limits: confine.Modest}))
		return execArgv(a.Dialect, confine.TrySudo+inside)
	}
	return cage.Wrap(argv, confine.Hold{Wall: a.Wall, Grants: a.Grants, Limits: confine.Modest}), nil
}

// standingCage is the cage of a place, if it still holds as the action says.
func standingCage(ctx context.Context, p Place, a tools.Action) (*confine.Cage, error) {
	there := confine.None
	if p.Cage != nil {
		cage, err := p.Cage.Cage(ctx)
		if err != nil {
			return nil, fmt.Errorf("guard: %w", err)
		}
		if there = cage.For(a.Grants); there == a.Wall {
			return cage, nil
		}
	}
	return nil, fmt.Errorf("guard: %w", &ChangedError{What: "what holds commands on " + a.Target, Was: a.Wall.String(), Is: there.String()})
}

// prefix is what stands before a held command in a pane; empty if it is not held. The
// helper was checked right before.
func (g *Guard) prefix(ctx context.Context, a tools.Action) (string, error) {
	if a.Wall == confine.None {
		return "", nil
	}
	p, err := g.place(a.Target)
	if err != nil {
		return "", fmt.Errorf("guard: %w", err)
	}
	if p.Cage != nil {
		if err := p.Cage.Verify(ctx); err != nil {
			return "", fmt.Errorf("guard: %w", err)
		}
	}
	cage, err := standingCage(ctx, p, a)
	if err != nil {
		return "", err
	}
	if prefix := cage.Prefix(a.Grants); prefix != "" {
		return prefix, nil
	}
	return "", fmt.Errorf("guard: %w", &ChangedError{What: "what holds commands on " + a.Target, Was: a.Wall.String(), Is: "in no folder"})
}

// heldLine is the line for a pane's shell: the command with the prefix in front, or for
// whatever needs a shell a shell of its own.
func heldLine(prefix string, a tools.Action) (string, error) {
	if prefix == "" || simple(a.Command, a.Dialect) {
		return prefix + a.Command, nil
	}
	argv, err := shellArgv(a.Dialect, a.Command)
	if err != nil {
		return "", fmt.Errorf("guard: %w: %w", ErrMalformed, err)
	}
	for i, word := range argv {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") != "" {
			argv[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return prefix + strings.Join(argv, " "), nil
}

// builtins answer differently from the programs of the same name.
var builtins = map[string]bool{"echo": true, "printf": true, "test": true, "[": true, "time": true, "true": true, "false": true, "pwd": true, "kill": true, ":": true, "read": true}

// simple reports whether a command is one program with words that the pane's own shell
// may expand before it runs: the words run nothing themselves.
func simple(command, dialect string) bool {
	d, err := risk.ParseDialect(dialect)
	if err != nil || strings.ContainsAny(command, "\n#") {
		return false
	}
	file, err := risk.Parse(command, d)
	if err != nil || len(file.Stmts) != 1 {
		return false
	}
	call, ok := bareCall(file.Stmts[0])
	if !ok {
		return false
	}
	if name := call.Args[0].Lit(); name == "" || strings.HasPrefix(name, "+") || builtins[name] {
		return false
	}
	plain := true
	syntax.Walk(call, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob:
			plain = false
		case *syntax.ParamExp:
			plain = plain && n.Short
		}
		return plain
	})
	return plain
}

// bareCall is a statement's call of a program, if there is nothing else in it.
func bareCall(s *syntax.Stmt) (call *syntax.CallExpr, ok bool) {
	if len(s.Redirs) > 0 || s.Negated || s.Background || s.Coprocess || s.Semicolon.IsValid() {
		return nil, false
	}
	call, ok = s.Cmd.(*syntax.CallExpr)
	return call, ok && len(call.Assigns) == 0 && len(call.Args) > 0
}
