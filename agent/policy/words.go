package policy

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Bounds of what is looked at within texts that are handed to shells.
const (
	maxDepth = 6
	maxWords = 20000
)

// reading is a command line taken apart in both ways.
type reading struct {
	// plain is the one command that the text is; nil if it is anything else.
	plain []string
	// commands are all commands anywhere in it, words as far as they are known.
	commands [][]string
	// spots are where the commands stand in the text; one in a text within it is
	// where the word that holds it stands.
	spots []Span
	// words are all words anywhere, also of redirections.
	words []string
	// broken is the text if it does not parse.
	broken string
}

// Span is a part of a text, in bytes. The zero value is no part.
type Span struct{ Start, End int }

// read takes the text that an action makes a shell read.
func read(a tools.Action, home string) reading {
	text, dialect := commandText(a)
	r := reader{values: values{"HOME": home, "PWD": a.Dir}}
	if text == "" {
		return r.reading
	}
	r.script(text, dialect, 0)
	if a.Kind == tools.Type && a.Pending != "" {
		// The cursor may have stood before what was on the line.
		r.script(a.Literal+typed(a.Keys)+a.Pending, dialect, 0)
	}
	r.plain = plain(text, dialect)
	if slices.ContainsFunc(shells, func(sh string) bool { return r.runs(sh, nil) }) {
		r.outer = Span{0, len(text)}
		for _, text := range append(r.prose, string(a.Stdin)) {
			r.script(text, dialect, 1)
		}
	}
	return r.reading
}

// shells read what is printed or piped into them.
var shells = []string{"sh", "bash", "dash", "ash", "ksh", "zsh", "fish", "busybox", "ssh", "su", "eval", "source", "."}

// prosaic reports whether a command's arguments are texts and no scripts.
func prosaic(words []string) bool {
	switch words[0] {
	case "echo", "printf", "logger", "grep", "egrep", "fgrep", "rg":
		return true
	case "git":
		return len(words) > 1 && (words[1] == "commit" || words[1] == "tag")
	}
	return false
}

// commandText is what a shell reads when a runs, "" if no shell does.
func commandText(a tools.Action) (string, risk.Dialect) {
	dialect, err := risk.ParseDialect(a.Dialect)
	if err != nil {
		dialect = risk.Bash
	}
	switch a.Kind {
	case tools.Exec, tools.Run:
		return a.Command, dialect
	case tools.Type:
		return a.Pending + a.Literal + typed(a.Keys), dialect
	}
	return "", dialect
}

// typed is what keys put on the line; a key that does something else ends it.
func typed(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		switch {
		case len(k) == 1:
			b.WriteString(k)
		case k == "Space":
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// plain returns the words of text if it is exactly one simple command that every
// shell reads alike: nothing is expanded, redirected, assigned or chained.
func plain(text string, dialect risk.Dialect) []string {
	if dialect == risk.Fish && strings.ContainsAny(text, "\\\"'()#^%") {
		return nil
	}
	if strings.ContainsFunc(text, unseen) || !utf8.ValidString(text) {
		return nil // the parser passes over some of these, and shells do as they like
	}
	file, err := risk.Parse(text, dialect)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil
	}
	if len(call.Args) == 0 || call.Args[0].Lit() == "" {
		return nil // nobody quotes a program's name who wants it read
	}
	words := make([]string, 0, len(call.Args))
	for _, w := range call.Args {
		text, ok := fixed(w)
		if !ok {
			return nil
		}
		words = append(words, text)
	}
	return words
}

// unseen reports control characters that are no space.
func unseen(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// fixed is a word that no shell changes.
func fixed(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[]{}~!^=#") && !option(p.Value) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || p.Dollar || strings.ContainsAny(lit.Value, "\\!") {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// option is a word such as --lines=20, whose "=" expands nothing.
func option(s string) bool {
	return strings.HasPrefix(s, "-") && !strings.ContainsAny(s, "\\*?[]{}~!^#")
}

// reader gathers a reading.
type reader struct {
	reading
	values values
	prose  []string // quoted texts of prosaic commands
	outer  Span     // the word whose text is read; zero for the text itself
}

// script gathers what a text holds, texts within it included.
func (r *reader) script(text string, dialect risk.Dialect, depth int) {
	if depth > maxDepth || len(r.words) > maxWords {
		return
	}
	file, err := risk.Parse(text, dialect)
	if err != nil {
		if depth == 0 {
			r.broken = text
			r.words = append(r.words, strings.FieldsFunc(text, separates)...)
		}
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			r.call(n, dialect, depth)
		case *syntax.Redirect:
			r.loose([]*syntax.Word{n.Word, n.Hdoc}, dialect, depth)
		case *syntax.Assign:
			r.loose([]*syntax.Word{n.Value}, dialect, depth)
		case *syntax.ArrayElem:
			r.loose([]*syntax.Word{n.Value}, dialect, depth)
		case *syntax.WordIter:
			r.loose(n.Items, dialect, depth)
		}
		return true
	})
}

// loose takes in words that belong to no command; some may be nil.
func (r *reader) loose(words []*syntax.Word, dialect risk.Dialect, depth int) {
	for _, w := range words {
		if w != nil {
			for _, text := range r.values.of(w) {
				r.word(text, dialect, depth)
			}
		}
	}
}

func separates(c rune) bool { return strings.ContainsRune(" \t\n;|&<>()'\"`$=,:", c) }

func (r *reader) call(n *syntax.CallExpr, dialect risk.Dialect, depth int) {
	var words []string
	var spans []Span
	for _, w := range n.Args {
		for _, text := range r.values.of(w) {
			words, spans = append(words, text), append(spans, r.span(w))
		}
	}
	if len(words) == 0 {
		return
	}
	r.commands, r.spots = append(r.commands, words), append(r.spots, r.span(n))
	for i, w := range words {
		switch {
		case !prosaic(words):
			saved := r.outer
			r.outer = spans[i]
			if i > 0 || strings.Contains(w, "/") { // a program's bare name is no file of the folder
				r.words = append(r.words, w)
			}
			r.within(w, dialect, depth)
			r.outer = saved
		case scripted(w):
			r.prose = append(r.prose, w)
		case !strings.Contains(w, "\\"): // a regular expression is no path
			r.words = append(r.words, w)
		}
	}
	if len(words) > 2 && path.Base(words[0]) == "eval" {
		r.script(strings.Join(words[1:], " "), dialect, depth+1)
	}
}

// span is where a node stands, or the word that holds the text it stands in.
func (r *reader) span(n syntax.Node) Span {
	if r.outer != (Span{}) {
		return r.outer
	}
	return Span{int(n.Pos().Offset()), int(n.End().Offset())}
}

// word takes one word in, and the commands in it if it could be a script.
func (r *reader) word(text string, dialect risk.Dialect, depth int) {
	r.words = append(r.words, text)
	r.within(text, dialect, depth)
}

// within gathers the commands in a word if it could be a script.
func (r *reader) within(text string, dialect risk.Dialect, depth int) {
	if scripted(text) {
		r.script(text, dialect, depth+1)
	}
}

// scripted reports whether a word could be more than one.
func scripted(text string) bool { return strings.ContainsAny(text, " \t\n;|&<>") }

// runs reports whether any command anywhere runs program with arguments that
// start as argv does. It looks behind wrappers: the program may be any word.
func (r reading) runs(program string, argv []string) bool {
	base := path.Base(program)
	if _, ok := r.where(program, argv); ok {
		return true
	}
	for _, w := range strings.FieldsFunc(r.broken, separates) {
		if path.Base(w) == base {
			return true
		}
	}
	return false
}

// where is the first command anywhere that runs program, as in runs.
func (r reading) where(program string, argv []string) (Span, bool) {
	base := path.Base(program)
	for n, words := range r.commands {
		for i, w := range words {
			if path.Base(w) == base && startsWith(words[i+1:], argv) {
				return r.spots[n], true
			}
		}
	}
	return Span{}, false
}

func startsWith(words, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i, p := range prefix {
		if words[i] != p {
			return false
		}
	}
	return true
}

// mentioned returns every text in the words that could be a path: each word,
// what follows "=", ":", "," or "@" in it, and what follows an option's letter.
func (r reading) mentioned() []string {
	var all []string
	for _, w := range r.words {
		all = append(all, w)
		if len(w) > 2 && w[0] == '-' && w[1] != '-' {
			all = append(all, w[2:])
		}
		for rest := w; ; {
			i := strings.IndexAny(rest, "=:,@|()")
			if i < 0 {
				break
			}
			all = append(all, rest[:i], rest[i+1:])
			rest = rest[i+1:]
		}
	}
	return all
}
