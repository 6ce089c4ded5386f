package risk

import (
	"fmt"
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
		return []Finding{{Rule: "shell.size", End: len(script), Why: "the script is too large to be checked for commands that end the shell"}}
	}
	file, err := parse(script, d.variant())
	if err != nil {
		return scanKillers(script)
	}
	k := &killers{dialect: d, text: script, functions: map[string]bool{}}
	k.stmts(file.Stmts)
	return k.found
}

type killers struct {
	dialect   Dialect
	text      string
	functions map[string]bool // functions with a killer in their body
	found     []Finding
	depth     int
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
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			if k.dialect == Zsh || k.dialect == Fish {
				k.stmt(c.Y) // the last part runs in the shell itself
			}
			return
		}
		k.stmt(c.X)
		k.stmt(c.Y)
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
		body := &killers{dialect: k.dialect, text: k.text, functions: k.functions, depth: k.depth + 1, fixed: k.fixed}
		body.stmt(c.Body)
		if c.Name != nil && len(body.found) > 0 {
			k.functions[c.Name.Value] = true
		}
	}
}

func (k *killers) call(c *syntax.CallExpr, s *syntax.Stmt) {
	quiet := &assessor{dialect: k.dialect, effect: Observe}
	args := quiet.fields(c.Args)
	for len(args) > 1 && (args[0].text == "builtin" || args[0].text == "command" || args[0].text == "noglob" || args[0].text == "time") && !strings.HasPrefix(args[1].text, "-") {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name := args[0].text
	switch rule, why := killing(args); {
	case rule != "":
		k.add(c, rule, why)
	case name == "exec" && len(args) == 1 && len(s.Redirs) > 0:
		k.add(c, "shell.exec", "redirects everything the shared shell reads or writes from now on")
	case name == "eval" && k.depth < maxDepth && len(args) > 1:
		text := join(args[1:])
		if file, err := parse(text.text, k.dialect.variant()); err == nil {
			inner := &killers{dialect: k.dialect, text: k.text, functions: k.functions, depth: k.depth + 1, fixed: c.Args[0]}
			inner.stmts(file.Stmts)
			if len(inner.found) > 0 {
				k.add(c, inner.found[0].Rule, "evaluates a text that ends or cripples the shared shell")
			}
		}
	case k.functions[name]:
		k.add(c, "shell.function", "calls a function that ends or cripples the shared shell")
	}
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
	case "set", "setopt":
		for i, w := range args[1:] {
			option := strings.ReplaceAll(strings.ToLower(w.text), "_", "")
			switch {
			case option == "--":
				return "", ""
			case option == "errexit" || option == "errreturn":
				if name == "setopt" || i > 0 && strings.HasPrefix(args[i].text, "-") && strings.HasSuffix(args[i].text, "o") {
					return "shell.errexit", "makes the shared shell end at the first failure"
				}
			case strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "e"):
				return "shell.errexit", "makes the shared shell end at the first failure"
			}
		}
	case "kill":
		for _, w := range args[1:] {
			if w.text == "0" && w.quoted { // $$
				return "shell.kill", "signals the shared shell"
			}
		}
	}
	return "", ""
}

func (k *killers) add(c *syntax.CallExpr, rule, why string) {
	start, end := int(c.Pos().Offset()), int(c.End().Offset())
	line := 1
	if start <= len(k.text) {
		line += strings.Count(k.text[:start], "\n")
	}
	k.found = append(k.found, Finding{Rule: rule, Start: start, End: end, Why: fmt.Sprintf("line %d %s", line, why)})
}

// scanKillers looks for the words at the start of commands in a text that does
// not parse, fish's blocks for one.
func scanKillers(script string) []Finding {
	var found []Finding
	at := 0
	for _, piece := range strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune("\n;&|(){}", r) }) {
		at += strings.Index(script[at:], piece)
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
			found = append(found, Finding{Rule: rule, Start: at, End: at + len(piece), Why: fmt.Sprintf("line %d %s", line, why)})
		}
	}
	return found
}
