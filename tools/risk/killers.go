package risk

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ShellKillers finds what would end or cripple the shell that reads the script,
// when that shell is shared: exit, logout, exec, set -e and its relatives. What
// runs in a shell of its own (a subshell, a substitution, bash -c '…', a part of
// a pipeline) does not count. A script that cannot be parsed is searched word by
// word.
func ShellKillers(script string, d Dialect) []Finding {
	if len(script) > maxText || nesting(script) > maxNest {
		return []Finding{{Rule: "shell.size", End: len(script), Why: "is too large to be checked for commands that end the shell"}}
	}
	file, err := parse(script, d.variant())
	if err != nil {
		return scanKillers(script)
	}
	k := &killers{dialect: d, text: script, functions: map[string]bool{}, work: &budget{left: maxWork}}
	k.stmts(file.Stmts)
	return k.found
}

type killers struct {
	dialect   Dialect
	text      string
	functions map[string]bool // functions with a killer in their body
	found     []Finding
	depth     int
	work      *budget
	fixed     *syntax.Word // inside eval: the word that holds the text
}

func (k *killers) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		k.stmt(s)
	}
}

func (k *killers) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Disown || s.Cmd == nil {
		return
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		k.call(c, s)
	case *syntax.BinaryCmd:
		k.binary(c)
	case *syntax.Block:
		k.stmts(c.Stmts)
	case *syntax.IfClause:
		for at := c; at != nil; at = at.Else {
			k.stmts(at.Cond)
			k.stmts(at.Then)
		}
	case *syntax.WhileClause:
		k.stmts(c.Cond)
		k.stmts(c.Do)
	case *syntax.ForClause:
		k.stmts(c.Do)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			k.stmts(item.Stmts)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			k.stmt(c.Stmt)
		}
	case *syntax.FuncDecl:
		k.function(c)
	}
}

// binary looks into a list, and into that part of a pipeline which may run in the shell
// itself.
func (k *killers) binary(c *syntax.BinaryCmd) {
	piped := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	if !piped {
		k.stmt(c.X)
	}
	if !piped || k.dialect == Zsh || k.dialect == Fish {
		k.stmt(c.Y)
	}
}

// function remembers a function with a killer in its body.
func (k *killers) function(c *syntax.FuncDecl) {
	body := &killers{dialect: k.dialect, text: k.text, functions: k.functions, depth: k.depth + 1, fixed: k.fixed, work: k.work}
	body.stmt(c.Body)
	if c.Name != nil && len(body.found) > 0 {
		k.functions[c.Name.Value] = true
	}
}

func (k *killers) call(c *syntax.CallExpr, s *syntax.Stmt) {
	quiet := &assessor{dialect: k.dialect, effect: Observe, work: k.work, shallow: true}
	args := bare(quiet.fields(c.Args))
	if len(args) == 0 {
		return
	}
	if rule, why := killing(args); rule != "" {
		k.add(c, rule, why)
		return
	}
	switch name := args[0].text; {
	case name == "exec" && len(args) == 1 && slices.ContainsFunc(s.Redirs, standard):
		k.add(c, "shell.exec", "redirects everything the shared shell reads or writes from now on")
	case name == "eval" && len(args) > 1:
		k.addInner(c, join(args[1:]).text, "evaluates a text that ends or cripples the shared shell")
	case name == "trap" && trapsSignal(args[1:]):
		k.addInner(c, args[1].text, "has a signal end or cripple the shared shell")
	case name == "kill" && namesItself(c):
		k.add(c, "shell.kill", "signals the shared shell")
	case k.functions[name]:
		k.add(c, "shell.function", "calls a function that ends or cripples the shared shell")
	}
}

// trapsSignal reports whether the arguments of trap set a command for something else than
// the shell's end.
func trapsSignal(args []word) bool {
	return len(args) > 1 && slices.ContainsFunc(args[1:], func(w word) bool { return w.text != "EXIT" && w.text != "0" })
}

// addInner adds a command that has the shell read a text, if that ends or cripples it.
func (k *killers) addInner(c *syntax.CallExpr, text, why string) {
	if rule := k.inner(text, c.Args[0]); rule != "" {
		k.add(c, rule, why)
	}
}

// bare is a command without the words that only say how it is looked up.
func bare(args []word) []word {
	for len(args) > 1 {
		switch args[0].text {
		case "builtin", "command", "noglob", "nocorrect", "time":
		default:
			return args
		}
		rest := args[1:]
		for len(rest) > 1 && (rest[0].text == "--" || rest[0].text == "-p") {
			rest = rest[1:]
		}
		if strings.HasPrefix(rest[0].text, "-") {
			return args // "command -v exit" only asks
		}
		args = rest
	}
	return args
}

// standard reports whether a redirection is of standard input, output or error.
// Behind an exec it holds for the shell itself; others do it no harm.
func standard(r *syntax.Redirect) bool {
	return r.N == nil || r.N.Value == "0" || r.N.Value == "1" || r.N.Value == "2"
}

// inner is the rule of the first thing in a text that ends or cripples the
// shell which evaluates it; empty if there is none.
func (k *killers) inner(text string, at *syntax.Word) string {
	if k.depth >= maxDepth {
		return ""
	}
	file, err := parse(text, k.dialect.variant())
	if err != nil {
		return ""
	}
	inner := &killers{dialect: k.dialect, text: k.text, functions: k.functions, depth: k.depth + 1, fixed: at, work: k.work}
	inner.stmts(file.Stmts)
	if len(inner.found) == 0 {
		return ""
	}
	return inner.found[0].Rule
}

// namesItself reports whether a command names the shell by its process id.
func namesItself(c *syntax.CallExpr) bool {
	found := false
	syntax.Walk(c, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && (p.Param.Value == "BASHPID" || p.Param.Value == "fish_pid") {
			found = true
		}
		return true
	})
	return found
}

// killing judges a simple command that the shell itself runs.
func killing(args []word) (rule, why string) {
	switch name := args[0].text; name {
	case "exit", "logout", "bye":
		return "shell.exit", "ends the shared shell"
	case "exec":
		if len(args) > 1 {
			return "shell.exec", "replaces the shared shell"
		}
	case "suspend":
		return "shell.stop", "stops the shared shell"
	case "set", "setopt", "shopt":
		return hardening(name, args[1:])
	case "kill":
		for _, w := range args[1:] {
			if w.text == "0" && w.quoted { // $$
				return "shell.kill", "signals the shared shell"
			}
		}
	}
	return "", ""
}

// hardening finds the options that make a shell end: at the first failure, or
// after the next command.
func hardening(name string, args []word) (rule, why string) {
	spelled := name == "setopt" // options are named without a letter before
	if name == "shopt" {
		if args, spelled = shoptNames(args); !spelled {
			return "", ""
		}
	}
	for i, w := range args {
		option := strings.ReplaceAll(strings.ToLower(w.text), "_", "")
		if option == "--" {
			return "", ""
		}
		letters := ""
		if strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") {
			letters = w.text
		}
		if !spelled && (i == 0 || !strings.HasPrefix(args[i-1].text, "-") || !strings.HasSuffix(args[i-1].text, "o")) {
			option = "" // no name follows here
		}
		switch {
		case option == "errexit", option == "errreturn", strings.Contains(letters, "e"):
			return "shell.errexit", "makes the shared shell end at the first failure"
		case option == "onecmd", option == "singlecommand", strings.Contains(letters, "t"):
			return "shell.onecmd", "makes the shared shell end after the next command"
		}
	}
	return "", ""
}

// shoptNames are the names that shopt is given; set if it turns on options of "set -o".
func shoptNames(args []word) (names []word, set bool) {
	flags := ""
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		flags += args[0].text[1:]
		args = args[1:]
	}
	return args, strings.Contains(flags, "s") && strings.Contains(flags, "o")
}

func (k *killers) add(c *syntax.CallExpr, rule, why string) {
	start, end := int(c.Pos().Offset()), int(c.End().Offset())
	line := 1
	if start <= len(k.text) {
		line += strings.Count(k.text[:start], "\n")
	}
	k.found = append(k.found, Finding{Rule: rule, Start: start, End: end, Why: fmt.Sprintf("line %d %s", line, why)})
}

// separators stand between the commands of a text.
const separators = "\n;&|(){}"

// masked is a text of the same length in which what stands in quotes separates
// nothing.
func masked(script string) string {
	text := []byte(script)
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote != 0 && strings.IndexByte(separators, c) >= 0:
			text[i] = '_'
		}
	}
	if quote != 0 {
		return script // not closed: then nothing is known to be quoted
	}
	return string(text)
}

// scanKillers looks for the words at the start of commands in a text that does
// not parse, fish's blocks for one.
func scanKillers(script string) []Finding {
	var found []Finding
	text := masked(script)
	at, end := 0, 0
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		at = end + strings.Index(text[end:], piece)
		end = at + len(piece)
		var args []word
		for _, f := range strings.Fields(piece) {
			if len(args) == 0 && (f == "and" || f == "or" || f == "not" || f == "begin" || f == "then" || f == "else" || f == "do" || f == "builtin" || f == "command") {
				continue
			}
			args = append(args, word{text: strings.Trim(f, `"'\`)})
		}
		if len(args) == 0 {
			continue
		}
		if rule, why := killing(args); rule != "" {
			line := 1 + strings.Count(script[:at], "\n")
			found = append(found, Finding{Rule: rule, Start: at, End: end, Why: fmt.Sprintf("line %d %s", line, why)})
		}
	}
	return found
}
