package risk

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

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
	if !ok || len(call.Args) == 0 {
		return &stdin{piped: true}
	}
	name := call.Args[0].Lit()
	switch {
	case name == "cat" && len(call.Args) == 1 && len(s.Redirs) == 1 && isDocument(s.Redirs[0]):
		saved := a.feeding
		a.redirect(s.Redirs[0])
		fed := a.feeding
		a.feeding = saved
		return fed
	case len(s.Redirs) == 0 && (name == "echo" || name == "printf"):
		return &stdin{piped: true, known: true, text: a.printedBy(name, call.Args[1:], a.at(s))}
	}
	return &stdin{piped: true}
}

// isDocument reports whether a redirection is of a text that follows.
func isDocument(r *syntax.Redirect) bool { return r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc }

// printedBy is what echo or printf makes of words.
func (a *assessor) printedBy(name string, words []*syntax.Word, at word) word {
	quiet := a.quiet() // what stands in the words is judged where they are
	quiet.scope, quiet.shallow = a.scope.clone(), true
	var text []string
	for _, w := range quiet.fields(words) {
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
	return at
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
		return len(args) > 0 && (args[0].Lit() == "-c0" || args[0].Lit() == "-n0") || len(args) > 1 && args[0].Lit()+args[1].Lit() == "-c0"
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
