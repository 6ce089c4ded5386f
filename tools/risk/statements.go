package risk

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

func (a *assessor) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		a.stmt(s)
	}
}

func (a *assessor) stmt(s *syntax.Stmt) {
	if !a.spend(costStep, a.at(s)) {
		return
	}
	if a.nest > maxNest {
		a.note(Mutate, Opaque, "text.size", "the text is too deeply nested to be read", a.at(s))
		return
	}
	a.nest++
	defer func() { a.nest-- }()
	if s.Background || s.Coprocess || s.Disown {
		a.unclear("shell.background", "goes on in the background", a.at(s))
	}
	saved, opened := a.feeding, a.opened
	idle := a.silent
	a.silent = writesNothing(s.Cmd)
	for _, r := range s.Redirs {
		a.redirect(r)
	}
	a.silent = idle
	if s.Cmd != nil {
		a.command(s.Cmd)
	} else if len(s.Redirs) > 0 && a.dialect == Zsh {
		a.unclear("shell.nullcmd", "zsh runs a program of its own for a bare redirection", a.at(s))
	}
	a.feeding, a.opened = saved, opened
}

func (a *assessor) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		a.call(c)
	case *syntax.BinaryCmd:
		a.binary(c)
	case *syntax.Block:
		a.stmts(c.Stmts)
	case *syntax.Subshell:
		a.inSubshell(func() { a.stmts(c.Stmts) })
	case *syntax.IfClause:
		a.ifClause(c)
	case *syntax.WhileClause:
		a.busyLoop(c)
		a.forgetAssigned(c.Cond)
		a.forgetAssigned(c.Do)
		a.perhaps(func() { a.stmts(c.Cond); a.stmts(c.Do) })
	case *syntax.ForClause:
		a.forClause(c)
	case *syntax.CaseClause:
		a.caseClause(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			a.stmt(c.Stmt)
		}
	case *syntax.TestClause:
		a.test(c.X)
	case *syntax.ArithmCmd:
		a.arithmetic(c.X)
	case *syntax.DeclClause:
		a.declare(c)
	case *syntax.LetClause:
		a.let(c)
	case *syntax.FuncDecl:
		a.function(c)
	default:
		a.construct(c)
	}
}

func (a *assessor) let(c *syntax.LetClause) {
	a.note(Mutate, Opaque, "shell.let", "sets variables by evaluating text", a.at(c))
	for _, x := range c.Exprs {
		a.arithmetic(x)
	}
	clear(a.scope.vars)
}

// construct judges what is not read: the statements in it, each by itself.
func (a *assessor) construct(c syntax.Command) {
	a.unread(Mutate, Opaque, "shell.construct", "a construct of the shell that is not read", a.at(c))
	syntax.Walk(c, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			a.stmt(s)
			return false
		}
		return true
	})
}

func (a *assessor) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		limited := a.limited
		a.limited = limited || bounded(c.Y)
		a.inSubshell(func() { a.stmt(c.X) })
		a.limited = limited
		saved := a.feeding
		a.feeding = a.output(c.X)
		a.feeding.tame = tamedBy(c.X, maxPipe) == names
		// The last part runs in the shell itself in zsh and with lastpipe.
		a.perhaps(func() { a.stmt(c.Y) })
		a.feeding = saved
	default:
		a.stmt(c.X)
		a.perhaps(func() { a.stmt(c.Y) })
		// "cd /etc && cat x": what the right side sees is what the left side
		// set; perhaps drops only what the right side changed.
	}
}

// function judges the definition of a function, and what its body does.
func (a *assessor) function(c *syntax.FuncDecl) {
	if a.ownFunction(c) {
		return
	}
	a.ofShell()
	a.unread(Mutate, Opaque, "shell.function", "defines a function, which can stand in for a program", a.at(c))
	a.inSubshell(func() { a.scope = scope{cwds: a.scope.cwds}; a.stmt(c.Body) })
}

// maxFunctions bounds how many functions of a text are followed.
const maxFunctions = 8

// ownFunction judges a function that the text defines for itself: its name is
// nobody's, and its body is judged once, with nothing known of its arguments.
// What it is called with later can then do no more.
func (a *assessor) ownFunction(c *syntax.FuncDecl) bool {
	if a.dialect == Fish || c.Name == nil || c.Body == nil || len(a.functions) >= maxFunctions {
		return false
	}
	name := c.Name.Value
	if !functionName().MatchString(name) || specials[name] != nil || specOf(name) != nil || a.functions[name] || leavesTraces(c.Body, name) {
		return false
	}
	quiet := a.quiet()
	quiet.plainText, quiet.functions = a.plainText, a.functions
	quiet.stmt(c.Body)
	if v := quiet.verdict(); !v.Plain {
		return false
	}
	a.reaches = append(a.reaches, quiet.reaches...)
	a.findings = append(a.findings, quiet.findings...)
	functions := maps.Clone(a.functions)
	if functions == nil {
		functions = map[string]bool{}
	}
	functions[name] = true
	a.functions = functions
	return true
}

var functionName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,15}$`) })

// leavesTraces reports whether a function's body may set a variable, go to
// another folder, or call the function itself: what is known of the shell would
// no longer hold behind a call.
func leavesTraces(s *syntax.Stmt, name string) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign, *syntax.WordIter, *syntax.CStyleLoop, *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause:
			found = true
		case *syntax.ArithmExp:
			found = found || assignsInside(n.X)
		case *syntax.ParamExp:
			found = found || n.Exp != nil
		case *syntax.CallExpr:
			for i, w := range n.Args {
				found = found || w.Lit() == name || i == 0 && (setsVariables(w.Lit()) || changesFolder(w.Lit()))
			}
		}
		return !found
	})
	return found
}

func changesFolder(program string) bool {
	switch program {
	case "cd", "pushd", "popd", "chdir", "set", "shift", "exit", "return":
		return true
	}
	return false
}

func (a *assessor) ifClause(c *syntax.IfClause) {
	for at := c; at != nil; at = at.Else {
		a.perhaps(func() { a.stmts(at.Cond) })
		a.perhaps(func() { a.stmts(at.Then) })
	}
}

func (a *assessor) forClause(c *syntax.ForClause) {
	a.forgetAssigned(c.Do)
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		name := loop.Name.Value
		if !plainVariable().MatchString(name) || specialVariables[name] {
			a.setVariable(name, word{text: string(hole)}, a.at(loop), true)
		}
		if c.Select {
			a.unclear("shell.select", "waits for a choice at the terminal", a.at(loop))
		}
		items := a.fields(loop.Items)
		if !loop.InPos.IsValid() || len(items) == 0 || len(items) > maxRound || c.Select {
			items = []word{{text: string(hole)}}
		}
		for _, item := range items {
			item.quoted = false
			a.perhaps(func() {
				a.scope.set(name, item)
				a.stmts(c.Do)
			})
		}
		delete(a.scope.vars, name)
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x != nil {
				a.arithmetic(x)
			}
		}
		a.perhaps(func() { a.stmts(c.Do) })
	}
}

func (a *assessor) caseClause(c *syntax.CaseClause) {
	a.expand(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			a.expand(p)
		}
		a.perhaps(func() { a.stmts(item.Stmts) })
	}
}

// test reads [[ … ]]. What it evaluates as arithmetic must be known.
func (a *assessor) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		a.expand(x)
	case *syntax.ParenTest:
		a.test(x.X)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsVarSet, syntax.TsRefVar, syntax.TsOptSet:
			a.unclear("test.variable", "the test evaluates a variable's name", a.at(x))
			if w, ok := x.X.(*syntax.Word); ok {
				a.evaluated(a.one(w))
			}
		}
		a.test(x.X)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					a.arithmetic(w)
				} else {
					a.unclear("test.arithmetic", "the test is not read", a.at(x))
				}
			}
			return
		}
		a.test(x.X)
		a.test(x.Y)
	default:
		a.unclear("test.unknown", "the test is not read", a.at(x))
	}
}

// showsFunctions reports whether a declaration only prints what functions of this shell do,
// as type does: declare -f NAME. Without a name it would print nod's own, too.
func showsFunctions(c *syntax.DeclClause) bool {
	if v := c.Variant.Value; v != "declare" && v != "typeset" {
		return false
	}
	if first := c.Args[0]; !first.Naked || first.Value == nil || first.Value.Lit() != "-f" {
		return false
	}
	return len(c.Args) > 1 && !slices.ContainsFunc(c.Args[1:], func(as *syntax.Assign) bool {
		return !as.Naked || as.Index != nil || as.Name == nil || strings.HasPrefix(as.Name.Value, ownVariables)
	})
}

// declare reads declare, export, local, readonly, typeset.
func (a *assessor) declare(c *syntax.DeclClause) {
	if len(c.Args) == 0 || len(c.Args) == 1 && c.Args[0].Naked && c.Args[0].Value != nil && c.Args[0].Value.Lit() == "-p" {
		a.note(Observe, Secret, "shell.variables", "prints variables, which may hold secrets", a.at(c))
		return
	}
	if showsFunctions(c) {
		a.ofShell()
		return
	}
	clear(a.scope.vars)
	a.ofShell()
	a.note(Mutate, 0, "shell."+c.Variant.Value, "changes or prints the shell's variables", a.at(c))
	for _, as := range c.Args {
		if as.Naked {
			if as.Value != nil {
				w := a.one(as.Value)
				a.evaluated(w)
				if strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "p") {
					a.note(Observe, Secret, "shell.variables", "prints variables, which may hold secrets", w)
				}
			}
			continue
		}
		a.assign(as, true)
	}
	clear(a.scope.vars)
}

// call assesses a simple command.
func (a *assessor) call(c *syntax.CallExpr) {
	a.assigns(c.Assigns, len(c.Args) == 0)
	if len(c.Args) == 0 {
		return
	}
	words := a.fields(c.Args)
	if len(words) == 0 {
		return
	}
	for _, w := range words {
		if strings.Contains(w.text, ownVariables) {
			a.note(Mutate, Opaque, "name.own", "names what nod tracks the pane's commands by: the end of one can be forged with it", w)
		}
	}
	if a.functions[words[0].text] && words[0].known() {
		return // judged where it is defined
	}
	a.run(words)
}
