package risk

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// hole stands for a piece of a word that cannot be known by reading. Texts that
// hold this byte themselves are never read as commands.
const hole = '\x00'

// maxExpansion bounds what one brace expansion may yield.
const maxExpansion = 64

// word is one argument as a program would get it.
type word struct {
	text       string
	start, end int  // span in the assessed text
	glob       bool // has an unquoted wildcard: stands for any number of words
	tree       bool // stands for some path at or below text
	quoted     bool // some of it was quoted or escaped
	tame       bool // what is not known of it are names as in tame.go, begun by a letter or a digit
	wild       bool // something else of it is not known either
	single     bool // all of it stands in one pair of quotes: whatever it holds is one word
}

// known reports whether the program gets exactly text.
func (w word) known() bool {
	return !w.glob && !w.tree && strings.IndexByte(w.text, hole) < 0
}

// mayBeOption reports whether a part that is not known could turn the word into
// an option.
func (w word) mayBeOption() bool {
	if w.text == "" {
		return false
	}
	if w.text[0] == hole {
		return true
	}
	return w.glob && strings.IndexByte("*?[-+@!(", w.text[0]) >= 0
}

// fields expands words as the shell would, braces included.
func (a *assessor) fields(words []*syntax.Word) []word {
	out := make([]word, 0, len(words))
	for _, w := range words {
		out = append(out, a.expand(w)...)
	}
	return out
}

// expand returns the words that one word of the text becomes.
func (a *assessor) expand(w *syntax.Word) []word {
	start, end := a.span(w)
	if lit := w.Lit(); lit != "" && plainLiteral(lit) {
		return []word{{text: lit, start: start, end: end}}
	}
	if a.dialect != Fish && slices.ContainsFunc(w.Parts, opensBrace) {
		if braces(w) > maxBraces {
			at := word{text: string(hole), start: start, end: end}
			a.unclear("brace.large", "a brace expansion is too large to be read", at)
			return []word{at}
		}
		w = &syntax.Word{Parts: slices.Clone(w.Parts)} // the tree stays as it was read
		syntax.SplitBraces(w)
	}
	partial := []word{{start: start, end: end}}
	partial = a.parts(partial, w.Parts, false)
	var out []word
	for _, one := range partial {
		one.tame = one.tame && !one.wild
		out = append(out, splitUnknown(one)...)
	}
	return out
}

// maxBraces bounds how many braces a word may open.
const maxBraces = 32

func braces(w *syntax.Word) int {
	n := 0
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			n += strings.Count(lit.Value, "{")
		}
	}
	return n
}

func opensBrace(part syntax.WordPart) bool {
	lit, ok := part.(*syntax.Lit)
	return ok && strings.IndexByte(lit.Value, '{') >= 0
}

// one expands a word that stands where no splitting happens (a redirection, an
// assignment); the result is unknown when it is more than one.
func (a *assessor) one(w *syntax.Word) word {
	all := a.expand(w)
	if len(all) == 1 {
		return all[0]
	}
	start, end := a.span(w)
	return word{text: string(hole), start: start, end: end}
}

func plainLiteral(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("/._-,:=%+", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// ifsMark stands for an unquoted $IFS, which separates words.
const ifsMark = "\x00\x01"

// splitUnknown cuts a word at an unquoted $IFS, so that rm$IFS-rf is seen.
func splitUnknown(w word) []word {
	if !strings.Contains(w.text, ifsMark) {
		return []word{w}
	}
	var out []word
	for _, piece := range strings.Split(w.text, ifsMark) {
		if piece == "" {
			continue
		}
		one := w
		one.text = piece
		out = append(out, one)
	}
	return out
}

func (a *assessor) parts(in []word, parts []syntax.WordPart, quoted bool) []word {
	for i, part := range parts {
		if brace, ok := part.(*syntax.BraceExp); ok {
			in = a.brace(in, brace)
			continue
		}
		if lit, ok := part.(*syntax.Lit); ok && i+1 < len(parts) && strings.HasSuffix(lit.Value, "!") {
			a.history(lit, "!!", false) // !$name and the like
		}
		add := a.part(part, quoted, in[0].text == "")
		if !a.spend(costStep+len(in)*(len(in[0].text)+len(add.text))/costByte, in[0]) {
			return []word{{text: string(hole), start: in[0].start, end: in[0].end}}
		}
		for n := range in {
			if in[n].extend(add); len(in[n].text) > maxWord {
				in[n].text = string(hole)
				a.unclear("word.large", "a word is too long to be read", in[n])
			}
		}
	}
	return in
}

// extend adds a part to a word that has begun.
func (w *word) extend(add word) {
	w.single = add.single && w.text == ""
	w.text += add.text
	if strings.IndexByte(add.text, hole) >= 0 {
		w.tame, w.wild = w.tame || add.tame, w.wild || add.wild || !add.tame
	}
	w.glob = w.glob || add.glob
	w.tree = w.tree || add.tree
	w.quoted = w.quoted || add.quoted
}

func (a *assessor) brace(in []word, b *syntax.BraceExp) []word {
	var tails []word
	if b.Sequence {
		if tails = sequence(b); tails[0].text == string(hole) {
			a.unclear("brace.sequence", "a brace expansion is too large or too unusual to be read", in[0])
		}
	} else {
		for _, elem := range b.Elems {
			tails = append(tails, a.parts([]word{{}}, elem.Parts, false)...)
		}
	}
	if len(in)*len(tails) > maxExpansion {
		a.unclear("brace.large", "a brace expansion is too large to be read", in[0])
		tails = []word{{text: string(hole)}}
	}
	var out []word
	for _, head := range in {
		for _, tail := range tails {
			one := head
			one.text += tail.text
			one.glob = head.glob || tail.glob
			one.quoted = head.quoted || tail.quoted
			out = append(out, one)
		}
	}
	if len(out) == 0 {
		return []word{{text: string(hole)}}
	}
	return out
}

// sequence expands {1..5} and {a..e}; anything unusual stays unknown.
func sequence(b *syntax.BraceExp) []word {
	from, to, letters, ok := bounds(b)
	step := 1
	if to < from {
		step = -1
	}
	if !ok || (to-from)*step >= maxExpansion || (to-from)*step < 0 {
		return []word{{text: string(hole)}}
	}
	var out []word
	for n := from; ; n += step {
		text := strconv.Itoa(n)
		if letters {
			text = string(rune(n))
		}
		out = append(out, word{text: text})
		if n == to {
			return out
		}
	}
}

// bounds are the numbers, or the letters, that a sequence goes from and to.
func bounds(b *syntax.BraceExp) (from, to int, letters, ok bool) {
	if len(b.Elems) != 2 {
		return 0, 0, false, false
	}
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	switch {
	case errFrom != nil && errTo != nil && len(first) == 1 && len(last) == 1:
		return int(first[0]), int(last[0]), true, true
	case errFrom != nil || errTo != nil:
		return 0, 0, false, false
	}
	return from, to, false, first[0] != '0' && last[0] != '0'
}

// part expands one part of a word.
func (a *assessor) part(part syntax.WordPart, quoted, first bool) word {
	switch p := part.(type) {
	case *syntax.Lit:
		return a.literal(p, quoted, first)
	case *syntax.SglQuoted:
		a.history(p, p.Value, !strings.Contains(p.Value, "\n"))
		if !p.Dollar {
			return word{text: p.Value, quoted: true}
		}
		text := decodeANSI(p.Value)
		if strings.IndexByte(text, hole) >= 0 {
			a.unclear("quote.escape", "an escape in the quoted text is not read", a.at(p))
		}
		return word{text: text, quoted: true}
	case *syntax.DblQuoted:
		w := a.parts([]word{{}}, p.Parts, true)[0]
		if p.Dollar {
			w.text = string(hole) // translated text
		}
		w.quoted, w.single = true, true
		return w
	case *syntax.ParamExp:
		return a.parameter(p, quoted)
	case *syntax.CmdSubst:
		if a.shallow {
			return word{text: string(hole)}
		}
		a.inSubshell(func() { a.stmts(p.Stmts) })
		a.remember(p)
		return word{text: string(hole), tame: tamed(p.Stmts) == names}
	case *syntax.ProcSubst:
		if a.shallow {
			return word{text: "/dev/fd/63"}
		}
		a.inSubshell(func() { a.stmts(p.Stmts) })
		if p.Op != syntax.CmdIn {
			a.unclear("process.substitution", "a process substitution takes a program's output", a.at(p))
		}
		return word{text: "/dev/fd/63"}
	case *syntax.ArithmExp:
		a.arithmetic(p.X)
		return word{text: "0", quoted: true}
	default: // an extended glob, or a node that a later parser adds
		a.unclear("pattern.extended", "an extended pattern is not read", a.at(part))
		return word{text: string(hole), glob: true}
	}
}

// literal removes quoting and marks wildcards.
func (a *assessor) literal(l *syntax.Lit, quoted, first bool) word {
	a.history(l, l.Value, false)
	s := l.Value
	if quoted {
		if strings.IndexByte(s, '\\') >= 0 {
			s = unescapeDouble(s)
		}
		return word{text: s}
	}
	if first && len(s) > 1 && s[0] == '~' && strings.IndexByte("+-0123456789[", s[1]) >= 0 {
		s = string(hole) + s[1:]
	}
	if !strings.ContainsAny(s, `\*?[(`) {
		return word{text: s}
	}
	return a.unquoted(s, l)
}

// unquoted is a text without its backslashes, with its wildcards marked.
func (a *assessor) unquoted(s string, at *syntax.Lit) word {
	w := word{}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			w.quoted = true
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '(':
			a.unclear("glob.qualifier", "a glob qualifier can run code", a.at(at))
		case '*', '?', '[':
			w.glob = true
		}
		b.WriteByte(s[i])
	}
	w.text = b.String()
	if w.text == "[" || w.text == "[[" { // the program, not a pattern
		w.glob = false
	}
	return w
}

func unescapeDouble(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// history reports an exclamation mark that an interactive shell would replace
// by an earlier command.
func (a *assessor) history(n syntax.Node, s string, safe bool) {
	if safe || a.plainText || a.dialect == Fish {
		return
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '!' && strings.IndexByte(" \t\n=(\"", s[i+1]) < 0 && (i == 0 || s[i-1] != '\\') {
			a.note(Mutate, Opaque, "history.expansion", "an interactive shell would put an earlier command here", a.at(n))
			return
		}
	}
}

// decodeANSI reads the escapes of $'…'; what would cut the string is unknown.
func decodeANSI(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`abefnrtvE\'"?`, s[i]); at >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\x1b\\'\"?"[at])
			continue
		}
		text, length := decodeNumber(s[i:])
		b.WriteString(text)
		i += length - 1
	}
	return b.String()
}

// decodeNumber reads what stands behind a backslash: the number of a byte (x41, 101) or of
// a character (u0041). text is what it stands for, and a hole for anything else.
func decodeNumber(s string) (text string, length int) {
	start, most, base := 1, 0, 16
	switch c := s[0]; {
	case c == 'x':
		most = 2
	case c == 'u':
		most = 4
	case c == 'U':
		most = 8
	case c >= '0' && c <= '7':
		start, most, base = 0, 3, 8
	default: // \c and whatever else
		return string(hole), 1
	}
	end := start
	for end < len(s) && end < start+most && isDigit(s[end], base) {
		end++
	}
	v, err := strconv.ParseUint(s[start:end], base, 32)
	switch {
	case err != nil || v == 0:
		return string(hole), end
	case s[0] == 'u' || s[0] == 'U':
		return string(utf8.AppendRune(nil, rune(v))), end
	}
	return string([]byte{byte(v)}), end
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
