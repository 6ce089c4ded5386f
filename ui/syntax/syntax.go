package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a piece of code is.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota
	Comment
	String
	Number
	Keyword // a word of the language
	Name    // a variable, a key, something that the language brings
	Added   // of a diff
	Removed
	Place // where a part of a diff belongs
)

// Piece is a part of a line.
type Piece struct {
	Text string
	Kind Kind
}

// State is what a line leaves to the next one. The zero value is the beginning.
type State struct {
	until   string // ends what has begun in a line before; empty if nothing has
	kind    Kind   // of that
	literal bool   // a backslash there means nothing
}

// Line is a line, without its end, in pieces, and the state behind it.
func (l *Language) Line(line string, s State) ([]Piece, State) {
	if l.diff {
		return diffLine(line), State{}
	}
	r := reader{language: l, line: line, state: s}
	for r.at < len(line) {
		r.step()
	}
	return r.pieces, r.state
}

// reader goes through a line.
type reader struct {
	language *Language
	line     string
	at       int
	state    State
	pieces   []Piece
}

// take makes the next n bytes a piece, or a part of the last one.
func (r *reader) take(n int, kind Kind) {
	text := r.line[r.at : r.at+n]
	r.at += n
	if last := len(r.pieces) - 1; last >= 0 && r.pieces[last].Kind == kind {
		r.pieces[last].Text += text
		return
	}
	r.pieces = append(r.pieces, Piece{text, kind})
}

func (r *reader) step() {
	rest := r.line[r.at:]
	switch {
	case r.state.until != "":
		r.goOn(rest)
	case r.comments(rest):
		r.take(len(rest), Comment)
	case r.opens(rest):
	case r.variable(rest) > 1:
		r.take(r.variable(rest), Name)
	case isDigit(rest[0]) && !r.inWord():
		r.take(wordLen(rest, ".xX_"), Number)
	default:
		r.word(rest)
	}
}

// goOn takes what belongs to a comment or a string that has begun.
func (r *reader) goOn(rest string) {
	s := r.state
	for i := 0; i < len(rest); i++ {
		if rest[i] == '\\' && !s.literal {
			i++
			continue
		}
		if strings.HasPrefix(rest[i:], s.until) {
			r.state = State{}
			r.take(i+len(s.until), s.kind)
			return
		}
	}
	r.take(len(rest), s.kind)
}

// comments reports whether the rest of the line is a comment. One that begins with a
// sign of words as well, as # does, begins behind a blank.
func (r *reader) comments(rest string) bool {
	for _, mark := range r.language.Comments {
		if strings.HasPrefix(rest, mark) && (mark != "#" && mark != ";" || r.at == 0 || strings.ContainsRune(" \t", rune(r.line[r.at-1]))) {
			return true
		}
	}
	return false
}

// opens takes the beginning of a comment or a string that has an end.
func (r *reader) opens(rest string) bool {
	l := r.language
	for _, pair := range l.Block {
		if strings.HasPrefix(rest, pair[0]) {
			r.begin(pair[0], State{pair[1], Comment, true})
			return true
		}
	}
	for _, mark := range l.Long {
		if strings.HasPrefix(rest, mark) {
			r.begin(mark, State{mark, String, l.literal(mark)})
			return true
		}
	}
	for _, mark := range l.Strings {
		if strings.HasPrefix(rest, mark) && !(mark == "'" && r.inWord()) {
			r.begin(mark, State{mark, String, l.literal(mark)})
			r.goOn(r.line[r.at:])
			r.state = State{} // it ends with the line, whatever the line says
			return true
		}
	}
	return false
}

func (r *reader) begin(mark string, s State) {
	r.take(len(mark), s.kind)
	r.state = s
}

// variable is how many bytes a variable has that begins here; 0 if none does.
func (r *reader) variable(rest string) int {
	sigil := r.language.Sigil
	if sigil == "" || !strings.Contains(sigil, rest[:1]) {
		return 0
	}
	if strings.HasPrefix(rest[1:], "{") {
		if end := strings.IndexByte(rest, '}'); end > 0 {
			return end + 1
		}
	}
	return 1 + wordLen(rest[1:], "_")
}

// word takes a word, or a single other character.
func (r *reader) word(rest string) {
	n := wordLen(rest, "_"+r.language.Letters)
	if n == 0 {
		_, n = utf8.DecodeRuneInString(rest)
		r.take(n, Plain)
		return
	}
	r.take(n, r.language.kindOf(rest[:n], rest[n:]))
}

// inWord reports whether a word ends right before the place.
func (r *reader) inWord() bool {
	if r.at == 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(r.line[:r.at])
	return before == '_' || unicode.IsLetter(before) || unicode.IsDigit(before)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordLen is how many bytes of a text are letters, digits or among others.
func wordLen(text, others string) int {
	for i, c := range text {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(others, c) {
			return i
		}
	}
	return len(text)
}

// diffLine is a line of a diff: its first characters say what it is.
func diffLine(line string) []Piece {
	kind := Plain
	switch {
	case line == "":
		return nil
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		kind = Place
	case line[0] == '+':
		kind = Added
	case line[0] == '-':
		kind = Removed
	}
	return []Piece{{line, kind}}
}
