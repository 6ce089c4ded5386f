package risk

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds on what is read. Beyond them a text is opaque.
const (
	maxText  = 64 << 10 // bytes of one text
	maxDepth = 12       // texts within texts, and wrappers within wrappers
	maxNest  = 64       // shell constructs within constructs
	maxSteps = 20000    // commands assessed in all, loops unrolled
	maxRound = 16       // loop items assessed one by one
)

// assessor gathers a verdict while it walks a text.
type assessor struct {
	dialect   Dialect
	scope     scope
	effect    Effect
	flags     Flags
	murky     bool // something was not understood
	findings  []Finding
	depth     int
	nest      int
	steps     int
	fixed     *word // inside a nested text: the span of the word that holds it
	feeding   *stdin
	plainText bool // no shell reads the text: no history expansion
}

// stdin is what a command's standard input is connected to.
type stdin struct {
	piped bool
	known bool
	text  word // the text, when known
}

// Command assesses a shell command line or a script in the target's dialect.
func Command(text string, d Dialect) Verdict {
	a := &assessor{dialect: d, effect: Observe}
	a.script(text)
	return a.verdict()
}

// Argv assesses a program that is run without a shell. Offsets of findings
// count in the arguments joined by single spaces.
func Argv(argv []string) Verdict {
	a := &assessor{effect: Observe, plainText: true}
	words := make([]word, 0, len(argv))
	at := 0
	for _, arg := range argv {
		words = append(words, word{text: arg, start: at, end: at + len(arg), quoted: true})
		at += len(arg) + 1
		if strings.IndexByte(arg, hole) >= 0 || !utf8.ValidString(arg) {
			a.note(Mutate, Opaque, "text.control", "an argument holds bytes that a program cannot get", words[len(words)-1])
		}
	}
	if at > maxText || len(words) == 0 {
		a.note(Mutate, Opaque, "text.size", "there is no command, or it is too long to be read", word{end: at})
	} else {
		a.run(words)
	}
	return a.verdict()
}

func (a *assessor) verdict() Verdict {
	v := Verdict{
		Effect:   a.effect,
		Flags:    a.flags,
		Mutation: a.effect.AtLeast(Mutate),
		Privesc:  a.flags.Has(Privesc),
		Level:    levelOf(a.effect, a.flags),
		Findings: a.findings,
	}
	v.Auto = a.effect == Observe && a.flags == 0 && !a.murky
	if v.Findings == nil {
		v.Findings = []Finding{}
	}
	return v
}

// note records one reason.
func (a *assessor) note(e Effect, f Flags, rule, why string, at word) {
	a.effect = max(a.effect, e)
	a.flags |= f
	a.murky = a.murky || e.AtLeast(Mutate) || f != 0
	start, end := at.start, at.end
	if a.fixed != nil {
		start, end = a.fixed.start, a.fixed.end
	}
	found := Finding{Rule: rule, Start: min(start, end), End: max(start, end), Why: why}
	for _, old := range a.findings {
		if old == found {
			return
		}
	}
	if len(a.findings) < 200 {
		a.findings = append(a.findings, found)
	}
}

// unclear records something harmless as far as it is understood.
func (a *assessor) unclear(rule, why string, at word) {
	a.note(Observe, 0, rule, why, at)
	a.murky = true
}

func (a *assessor) span(n syntax.Node) (int, int) {
	return int(n.Pos().Offset()), int(n.End().Offset())
}

// at is an empty word with the span of a node.
func (a *assessor) at(n syntax.Node) word {
	start, end := a.span(n)
	return word{start: start, end: end}
}

var parsers = [...]sync.Pool{
	{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)) }},
	{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangZsh), syntax.KeepComments(true)) }},
	{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangPOSIX), syntax.KeepComments(true)) }},
}

func parse(text string, variant syntax.LangVariant) (*syntax.File, error) {
	at := 0
	switch variant {
	case syntax.LangZsh:
		at = 1
	case syntax.LangPOSIX:
		at = 2
	}
	p := parsers[at].Get().(*syntax.Parser)
	defer parsers[at].Put(p)
	return p.Parse(strings.NewReader(text), "")
}

// script reads a text and walks it.
func (a *assessor) script(text string) {
	whole := word{end: len(text)}
	if len(text) > maxText || nesting(text) > maxNest {
		a.note(Mutate, Opaque, "text.size", "the text is too long or too deeply nested to be read", whole)
		return
	}
	a.control(text)
	if tail := len(text) - len(strings.TrimRight(text, `\`)); tail%2 == 1 {
		a.note(Mutate, Opaque, "text.continued", "the text goes on with whatever is typed next", whole)
	}
	file, err := parse(text, a.dialect.variant())
	if err != nil {
		a.note(Mutate, Opaque, "text.unparsable", "the text cannot be read as a command", whole)
		a.salvage(text)
		return
	}
	switch a.dialect {
	case POSIX:
		a.posix(text)
	case Fish:
		a.fish(text, whole)
	case Zsh:
		a.comments(file)
	}
	a.stmts(file.Stmts)
}

// posix reads the text a second time as a plain sh would: sh is bash on some
// hosts and dash on others, and the worse reading counts.
func (a *assessor) posix(text string) {
	file, err := parse(text, syntax.LangPOSIX)
	if err != nil {
		a.note(Mutate, Opaque, "text.dialect", "not every sh reads this text the same way", word{end: len(text)})
		return
	}
	a.inSubshell(func() { a.stmts(file.Stmts) })
}

// fish accepts only what fish and bash read alike.
func (a *assessor) fish(text string, whole word) {
	if i := strings.IndexAny(text, "\\(){}$^!`%"); i >= 0 || strings.Contains(text, "<<") || strings.Contains(text, "[[") {
		a.note(Mutate, Opaque, "text.fish", "fish reads this text differently from other shells", whole)
	}
}

// comments assesses what follows a # in zsh, which runs it unless the option
// interactive_comments is set.
func (a *assessor) comments(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			a.unclear("text.comment", "zsh may run a comment as a command", a.at(c))
			a.nested(word{text: c.Text, start: int(c.Pos().Offset()), end: int(c.End().Offset())})
		}
		return true
	})
}

// salvage looks for what can still be recognised in a text that does not parse,
// line by line and cut at separators, so that loss is not missed.
func (a *assessor) salvage(text string) {
	if len(text) > 4<<10 || a.depth >= maxDepth {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	at := 0
	plain := strings.NewReplacer("'", " ", `"`, " ", "`", ";", "\\", " ").Replace(text)
	if plain != text {
		a.nested(word{text: plain, end: len(text)})
		return
	}
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;&|()`", r) }) {
		at = strings.Index(text[at:], piece) + at
		if trimmed := strings.Trim(piece, " \t\"'{}$"); trimmed != "" && trimmed != text {
			a.nested(word{text: trimmed, start: at, end: at + len(piece)})
		}
	}
}

// nesting counts how deep brackets of any sort are opened, quotes ignored: an
// upper bound for how deep the parser would go.
func nesting(text string) int {
	depth, deepest, keywords := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '`', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	for _, field := range strings.Fields(text) {
		switch field {
		case "if", "while", "until", "for", "case", "do", "then", "!", "time":
			keywords++
		}
	}
	return max(deepest, keywords/4)
}

// control refuses bytes that a terminal or a reader would take for something
// else than they are.
func (a *assessor) control(text string) {
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t':
			continue
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
		case r >= 0x80 && unicode.IsPrint(r):
			continue
		case r >= ' ' && r < 0x7f:
			continue
		}
		a.note(Mutate, Opaque, "text.control", "the text holds invisible or control characters", word{start: i, end: i + width(text[i:])})
		return
	}
}

func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// nested assesses a text that a word holds, as a shell would read it.
func (a *assessor) nested(w word) {
	if a.depth >= maxDepth {
		a.note(Mutate, Opaque, "text.depth", "commands are nested too deeply to be read", w)
		return
	}
	text := w.text
	if !w.known() {
		a.note(Mutate, Opaque, "text.dynamic", "a shell runs a text that is put together on the way", w)
		text = strings.ReplaceAll(strings.ReplaceAll(text, ifsMark, " "), string(hole), "$_")
	}
	savedFixed, savedScope, savedPlain, savedDialect := a.fixed, a.scope, a.plainText, a.dialect
	if a.fixed == nil {
		a.fixed = &word{start: w.start, end: w.end}
	}
	a.depth++
	a.scope, a.plainText = scope{}, true
	if a.dialect == Fish {
		a.dialect = Bash
	}
	a.script(text)
	a.depth--
	a.fixed, a.scope, a.plainText, a.dialect = savedFixed, savedScope, savedPlain, savedDialect
}

func (a *assessor) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		a.stmt(s)
	}
}

func (a *assessor) stmt(s *syntax.Stmt) {
	if a.steps++; a.steps > maxSteps || a.nest > maxNest {
		a.note(Mutate, Opaque, "text.size", "the text is too large to be read", a.at(s))
		return
	}
	a.nest++
	defer func() { a.nest-- }()
	if s.Background || s.Coprocess || s.Disown {
		a.unclear("shell.background", "goes on in the background", a.at(s))
	}
	saved := a.feeding
	for _, r := range s.Redirs {
		a.redirect(r)
	}
	if s.Cmd != nil {
		a.command(s.Cmd)
	} else if len(s.Redirs) > 0 && a.dialect == Zsh {
		a.unclear("shell.nullcmd", "zsh runs a program of its own for a bare redirection", a.at(s))
	}
	a.feeding = saved
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
	case *syntax.FuncDecl:
		a.note(Mutate, Opaque, "shell.function", "defines a function, which can stand in for a program", a.at(c))
		a.inSubshell(func() { a.scope = scope{}; a.stmt(c.Body) })
	default:
		a.note(Mutate, Opaque, "shell.construct", "a construct of the shell that is not read", a.at(c))
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
		a.inSubshell(func() { a.stmt(c.X) })
		saved := a.feeding
		a.feeding = a.output(c.X)
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

// output is what a statement writes, when that can be read off: echo TEXT.
func (a *assessor) output(s *syntax.Stmt) *stdin {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if ok && len(call.Args) == 1 && call.Args[0].Lit() == "cat" && len(s.Redirs) == 1 && (s.Redirs[0].Op == syntax.Hdoc || s.Redirs[0].Op == syntax.DashHdoc) {
		saved := a.feeding
		a.redirect(s.Redirs[0])
		fed := a.feeding
		a.feeding = saved
		return fed
	}
	if !ok || len(call.Args) < 2 || len(s.Redirs) > 0 {
		return &stdin{piped: true}
	}
	name := call.Args[0].Lit()
	if name != "echo" && name != "printf" {
		return &stdin{piped: true}
	}
	quiet := &assessor{dialect: a.dialect, effect: Observe, scope: a.scope.clone()}
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
	return &stdin{piped: true, known: true, text: at}
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
		if !plainVariable.MatchString(name) || specialVariables[name] {
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
	a.note(Mutate, 0, "shell."+c.Variant.Value, "changes or prints the shell's variables", a.at(c))
	for _, as := range c.Args {
		if as.Naked {
			if as.Value != nil {
				w := a.one(as.Value)
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
	switch r.Op {
	case syntax.RdrIn:
		a.feeding = &stdin{piped: true}
		a.readPath(w, kindReads)
	case syntax.DplIn, syntax.DplOut:
		if w.known() && strings.Trim(w.text, "0123456789-") == "" {
			return
		}
		a.writePath(w, at)
	default: // >, >>, >|, <>, &>, &>> and whatever a later parser adds
		a.writePath(w, at)
		if (r.Op == syntax.RdrOut || r.Op == syntax.RdrClob || r.Op == syntax.RdrAll) && isLog(w.text) {
			a.note(Destroy, 0, "redirect.log", "empties a log", at)
		}
	}
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
	a.run(words)
}
