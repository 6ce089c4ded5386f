package risk

import (
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

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
		a.note(Mutate, Opaque, "shell.let", "sets variables by evaluating text", a.at(c))
		for _, x := range c.Exprs {
			a.arithmetic(x)
		}
		clear(a.scope.vars)
	case *syntax.FuncDecl:
		if a.ownFunction(c) {
			break
		}
		a.ofShell()
		a.unread(Mutate, Opaque, "shell.function", "defines a function, which can stand in for a program", a.at(c))
		a.inSubshell(func() { a.scope = scope{cwds: a.scope.cwds}; a.stmt(c.Body) })
	default:
		a.unread(Mutate, Opaque, "shell.construct", "a construct of the shell that is not read", a.at(c))
		syntax.Walk(c, func(n syntax.Node) bool {
			if s, ok := n.(*syntax.Stmt); ok {
				a.stmt(s)
				return false
			}
			return true
		})
	}
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

// output is what a statement writes, when that can be read off: echo TEXT.
func (a *assessor) output(s *syntax.Stmt) *stdin {
	if decoded := a.decoded(s); decoded != nil {
		return decoded
	}
	if len(s.Redirs) == 0 && s.Cmd != nil && writesNothing(s.Cmd) {
		return &stdin{piped: true, known: true, text: a.at(s)}
	}
	if several := a.outputs(s); several != nil {
		return several
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if ok && len(call.Args) == 1 && call.Args[0].Lit() == "cat" && len(s.Redirs) == 1 && (s.Redirs[0].Op == syntax.Hdoc || s.Redirs[0].Op == syntax.DashHdoc) {
		saved := a.feeding
		a.redirect(s.Redirs[0])
		fed := a.feeding
		a.feeding = saved
		return fed
	}
	if !ok || len(call.Args) == 0 || len(s.Redirs) > 0 {
		return &stdin{piped: true}
	}
	name := call.Args[0].Lit()
	if name != "echo" && name != "printf" {
		return &stdin{piped: true}
	}
	quiet := a.quiet() // what stands in the words is judged where they are
	quiet.scope, quiet.shallow = a.scope.clone(), true
	var text []string
	at := a.at(s)
	for _, w := range quiet.fields(call.Args[1:]) {
		if name == "echo" && (w.text == "-e" || w.text == "-n") {
			continue
		}
		at.glob = at.glob || w.glob
		text = append(text, w.text)
	}
	at.text = strings.ReplaceAll(strings.Join(text, " "), `\n`, "\n")
	if name == "printf" && len(text) > 1 {
		at.text = formatted(text[0], text[1:])
	}
	return &stdin{piped: true, known: true, text: at}
}

// outputs is what a block of statements writes, with a hole for what is not known of it;
// nil for anything else.
func (a *assessor) outputs(s *syntax.Stmt) *stdin {
	var list []*syntax.Stmt
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		list = c.Stmts
	case *syntax.Subshell:
		list = c.Stmts
	}
	if len(list) == 0 || len(list) > maxPipe || len(s.Redirs) > 0 {
		return nil
	}
	all, texts := a.at(s), make([]string, 0, len(list))
	for _, part := range list {
		out := a.output(part)
		if !out.known {
			out.text.text = string(hole)
		}
		all.glob = all.glob || out.text.glob
		texts = append(texts, out.text.text)
	}
	all.text = strings.Join(texts, "\n")
	if strings.Trim(all.text, string(hole)+"\n") == "" {
		return nil
	}
	return &stdin{piped: true, known: true, text: all}
}

// substituted is what <(…) writes; nil for any other word.
func (a *assessor) substituted(w *syntax.Word) *stdin {
	if len(w.Parts) != 1 {
		return nil
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	if !ok || p.Op != syntax.CmdIn || len(p.Stmts) != 1 {
		return nil
	}
	if out := a.output(p.Stmts[0]); out.known {
		return out
	}
	return nil
}

// formatted is what printf makes of texts, for %s alone.
func formatted(format string, texts []string) string {
	parts := strings.Split(format, "%s")
	if len(parts) == 1 {
		return strings.ReplaceAll(format, `\n`, "\n")
	}
	var b strings.Builder
	for len(texts) > 0 && b.Len() < maxWord {
		for i, part := range parts {
			b.WriteString(part)
			if i < len(parts)-1 && len(texts) > 0 {
				b.WriteString(texts[0])
				texts = texts[1:]
			}
		}
	}
	return strings.ReplaceAll(b.String(), `\n`, "\n")
}

// decoded is what "echo TEXT | base64 -d" writes; nil for anything else.
func (a *assessor) decoded(s *syntax.Stmt) *stdin {
	pipe, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || pipe.Op != syntax.Pipe || len(s.Redirs) > 0 {
		return nil
	}
	call, ok := pipe.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 || call.Args[0].Lit() != "base64" || len(pipe.Y.Redirs) > 0 {
		return nil
	}
	if option := call.Args[1].Lit(); option != "-d" && option != "--decode" && option != "-D" {
		return nil
	}
	from := a.output(pipe.X)
	if !from.known || !from.text.known() {
		return nil
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(from.text.text))
	if err != nil || !utf8.Valid(text) {
		return nil
	}
	from.text.text, from.coded = string(text), true
	return from
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

// declare reads declare, export, local, readonly, typeset.
func (a *assessor) declare(c *syntax.DeclClause) {
	if len(c.Args) == 0 || len(c.Args) == 1 && c.Args[0].Naked && c.Args[0].Value != nil && c.Args[0].Value.Lit() == "-p" {
		a.note(Observe, Secret, "shell.variables", "prints variables, which may hold secrets", a.at(c))
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

// redirect assesses one redirection and remembers what feeds the command.
func (a *assessor) redirect(r *syntax.Redirect) {
	at := a.at(r)
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		a.unclear("redirect.variable", "the redirection sets a variable", at)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text := word{start: at.start, end: at.end}
		if r.Hdoc != nil {
			if raw := r.Hdoc.Lit(); raw != "" && !plainLiteral(r.Word.Lit()) {
				text.text = raw // a quoted delimiter: nothing is expanded
			} else {
				text = a.parts([]word{{}}, r.Hdoc.Parts, true)[0]
			}
			text.start, text.end = a.span(r.Hdoc)
		}
		a.feeding = &stdin{piped: true, known: true, text: text}
		return
	case syntax.WordHdoc:
		w := a.one(r.Word)
		a.feeding = &stdin{piped: true, known: true, text: w}
		return
	}
	w := a.one(r.Word)
	if r.N != nil && len(r.N.Value) == 1 {
		defer func() { a.opened |= 1 << (r.N.Value[0] - '0') }()
	}
	switch r.Op {
	case syntax.RdrIn:
		a.feeding = &stdin{piped: true, known: w.known() && w.text == "/dev/null", text: word{start: at.start, end: at.end}}
		if w.known() && endless(w.text) {
			a.feeding.device = w
		}
		if from := a.substituted(r.Word); from != nil {
			a.feeding = from
		}
		a.readPath(w, kindReads)
	case syntax.DplIn, syntax.DplOut:
		if w.known() && strings.Trim(w.text, "0123456789-") == "" {
			a.descriptor(w.text, r.Op == syntax.DplOut, at)
			return
		}
		a.writePath(w, at)
	default: // >, >>, >|, <>, &>, &>> and whatever a later parser adds
		a.writePath(w, at)
		if r.Op == syntax.RdrOut || r.Op == syntax.RdrClob || r.Op == syntax.RdrAll {
			a.emptied(w, at)
		}
	}
}

// descriptor judges writing to a descriptor by its number: what stands behind one
// that the text has not opened itself nobody knows.
func (a *assessor) descriptor(number string, writes bool, at word) {
	if !writes || len(number) == 1 && (number <= "2" || number == "-" || a.opened&(1<<(number[0]-'0')) != 0) {
		return
	}
	if number = strings.TrimSuffix(number, "-"); number <= "2" && len(number) <= 1 {
		return
	}
	a.note(Mutate, 0, "redirect.descriptor", "writes to whatever the descriptor "+shown(number)+" is connected to", at)
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

// emptied judges a file that a redirection cuts off: a log loses what was in it
// whatever follows, any other file if nothing follows.
func (a *assessor) emptied(w word, at word) {
	switch {
	case a.isLog(w.text):
		a.note(Destroy, 0, "redirect.log", "empties a log", at)
	case a.silent && !quietDevice(w.text) && !isNetwork(w.text):
		a.note(Destroy, 0, "redirect.empties", "empties "+shown(w.text), at)
	}
}

// writesNothing reports whether a command has no output: none at all, ":" and
// the like, or cat of the empty device.
func writesNothing(c syntax.Command) bool {
	if c == nil {
		return true
	}
	call, ok := c.(*syntax.CallExpr)
	if !ok {
		return false
	}
	if len(call.Args) == 0 {
		return true
	}
	args := call.Args[1:]
	switch call.Args[0].Lit() {
	case ":", "true", "false":
		return true
	case "cat":
		return len(args) == 1 && args[0].Lit() == "/dev/null"
	case "echo":
		return !slices.ContainsFunc(args, func(w *syntax.Word) bool { return w.Lit() != "-n" && !nothing(w) })
	case "printf":
		return len(args) == 1 && nothing(args[0])
	case "head", "tail":
		return len(args) > 0 && (args[0].Lit() == "-c0" || args[0].Lit() == "-n0" || len(args) > 1 && (args[0].Lit() == "-c" || args[0].Lit() == "-n") && args[1].Lit() == "0")
	}
	return false
}

// nothing reports whether a word is an empty text in quotes.
func nothing(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	switch q := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return q.Value == ""
	case *syntax.DblQuoted:
		return len(q.Parts) == 0
	}
	return false
}
