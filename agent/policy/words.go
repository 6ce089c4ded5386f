package policy

import (
	"path"
	"slices"
	"strings"

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
	// folders are those that commands of it go to.
	folders []string
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
		r.script(a.Literal+keyed(a.Keys)+a.Pending, dialect, 0)
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
		return a.Pending + a.Literal + keyed(a.Keys), dialect
	}
	return "", dialect
}

// keyed is what keys put on the line; a key that does something else ends it.
func keyed(keys []string) string {
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

// reader gathers a reading.
type reader struct {
	reading
	values values
	prose  []string // quoted texts of prosaic commands
	outer  Span     // the word whose text is read; zero for the text itself
	loops  int
}

// script gathers what a text holds, texts within it included.
func (r *reader) script(text string, dialect risk.Dialect, depth int) {
	if depth > maxDepth || len(r.words) > maxWords {
		return
	}
	if !risk.Readable(text) {
		if depth == 0 {
			r.broken = text[:min(len(text), maxBroken)]
			r.words = append(r.words, distinct(strings.FieldsFunc(r.broken, separates))...)
		}
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
	r.walk(file, dialect, depth)
}

// distinct are the words of a long list, each once.
func distinct(words []string) []string {
	seen := make(map[string]bool, len(words))
	return slices.DeleteFunc(words, func(w string) bool {
		there := seen[w]
		seen[w] = true
		return there
	})
}

// walk gathers what a node holds. Assignments and changes of the folder count in
// the order in which they stand; a loop over a few fixed words is gone through
// with each of them.
func (r *reader) walk(node syntax.Node, dialect risk.Dialect, depth int) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ForClause:
			return !r.loop(n, dialect, depth)
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				for _, as := range n.Assigns {
					r.assign(as)
				}
			}
			r.call(n, dialect, depth)
		case *syntax.DeclClause:
			for _, as := range n.Args {
				r.assign(as)
			}
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

// maxBroken bounds how much of a text that is too large to be read is searched
// for words.
const maxBroken = 256 << 10

// maxRound bounds how many words of a loop are tried, maxValue the length of a
// variable's value.
const (
	maxRound = 16
	maxValue = 4 << 10
)

// loop goes through a loop over fixed words; false if it is another one.
func (r *reader) loop(n *syntax.ForClause, dialect risk.Dialect, depth int) bool {
	iter, ok := n.Loop.(*syntax.WordIter)
	if !ok || len(iter.Items) == 0 || len(iter.Items) > maxRound || len(r.words) > maxWords || r.loops > maxLoops {
		return false
	}
	r.loose(iter.Items, dialect, depth)
	for _, item := range iter.Items {
		for _, text := range r.values.of(item) {
			r.loops++
			r.values[iter.Name.Value] = text
			for _, stmt := range n.Do {
				r.walk(stmt, dialect, depth)
			}
		}
	}
	return true
}

// maxLoops bounds how often bodies of loops are gone through.
const maxLoops = 64

// assign remembers a variable's value as far as it is spelled out.
func (r *reader) assign(as *syntax.Assign) {
	if as.Name == nil || as.Value == nil || as.Name.Value == "HOME" || as.Name.Value == "PWD" {
		return
	}
	text := r.values.text(as.Value.Parts)
	if as.Append {
		text = r.values[as.Name.Value] + text
	}
	r.values[as.Name.Value] = text[:min(len(text), maxValue)]
}

// enter follows a change of the folder.
func (r *reader) enter(to string) {
	if to == "" || to == "-" || len(r.folders) > maxRound {
		return
	}
	if !path.IsAbs(to) {
		for _, from := range r.folders {
			r.folders = append(r.folders, path.Join(from, to))
		}
		if dir := r.values["PWD"]; path.IsAbs(dir) {
			r.folders = append(r.folders, path.Join(dir, to))
		}
		return
	}
	r.folders = append(r.folders, path.Clean(to))
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
	if words[0] == "" && len(words) > 1 { // the program's name is put together by something that is not read
		words, spans = words[1:], spans[1:]
	}
	r.entered(words)
	r.commands, r.spots = append(r.commands, words), append(r.spots, r.span(n))
	if prosaic(words) {
		r.texts(words)
	} else {
		for i, w := range words {
			r.argument(i, w, spans[i], dialect, depth)
		}
	}
	if len(words) > 2 && path.Base(words[0]) == "eval" {
		r.script(strings.Join(words[1:], " "), dialect, depth+1)
	}
}

// entered takes in the folders that a command goes to.
func (r *reader) entered(words []string) {
	for i, w := range words[:len(words)-1] {
		switch {
		case i == 0 && (w == "cd" || w == "pushd" || w == "chdir"), w == "-C", w == "--chdir", w == "--directory":
			r.enter(words[i+1])
		}
	}
}

// argument takes in word i of a command, and what it holds if that could be a script.
func (r *reader) argument(i int, w string, at Span, dialect risk.Dialect, depth int) {
	saved := r.outer
	r.outer = at
	if i > 0 || strings.Contains(w, "/") { // a program's bare name is no file of the folder
		r.words = append(r.words, w)
	}
	r.within(w, dialect, depth)
	r.outer = saved
}

// texts takes in the words of a command whose arguments are texts: none is a script.
func (r *reader) texts(words []string) {
	for _, w := range words {
		switch {
		case scripted(w):
			r.prose = append(r.prose, w)
		case !strings.Contains(w, "\\"): // a regular expression is no path
			r.words = append(r.words, w)
		}
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

// paths are the clean paths that a word may stand for: seen from the folder that
// the action is in, and from those that the text goes to. ok is false for one
// that is seen from a folder which is not known.
func (s subject) paths(word string) (all []string, ok bool) {
	p, ok := clean(word, s.action.Dir)
	if p == "" {
		return nil, false
	}
	all = append(all, p)
	if path.IsAbs(word) {
		return all, ok
	}
	for _, dir := range s.reading.folders {
		all = append(all, path.Join(dir, word))
	}
	return all, ok
}
