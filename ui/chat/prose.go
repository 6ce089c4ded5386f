package chat

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"
)

// longSegment is the size in bytes at which an open piece of Markdown is closed
// at the next end of a line or a word, whatever it is: the open piece is read
// anew with each addition.
const longSegment = 4 << 10

// prose is Markdown that arrives piece by piece. It is cut into segments where
// that does not change what it means: before a paragraph, and around blocks of
// code, whose lines are segments of their own. All segments but the last are
// final.
type prose struct {
	parser func() parser.Parser

	source strings.Builder // all of it, as it came
	closed []segment
	open   []byte // the source of the last segment
	start  int    // offset in open of the line that is not complete yet
	blank  bool   // the last complete line of open is blank
	fence  string // inside a block of code: what ends it
	fresh  bool   // no line of that block was closed yet
	code   coding // inside a block of code: how its next line is read

	width   int
	lines   []line // of the first done segments of closed
	done    int
	last    []line // of the open segment
	lastFor int    // its length when last was made
}

// segment is a final piece of the source.
type segment struct {
	source string
	code   *coding // a line of code, and how it is read; nil: it is none
	first  bool    // an empty line comes before it
}

// add takes the next piece.
func (p *prose) add(text string) {
	p.source.WriteString(text)
	p.open = append(p.open, text...)
	for {
		line := p.open[p.start:]
		n := bytes.IndexByte(line, '\n')
		if len(line) > longSegment && (n < 0 || n > longSegment) { // the parser takes long for such a line
			p.close(p.start + wordEnd(line[:longSegment]))
			continue
		}
		if n < 0 {
			break
		}
		p.complete(p.start, p.start+n+1)
	}
}

// wordEnd is where the last whole word of a text ends, with its blank; where there is none,
// the last whole character.
func wordEnd(text []byte) int {
	if n := bytes.LastIndexByte(text, ' ') + 1; n > 0 {
		return n
	}
	for n := len(text) - 1; n > 0 && n >= len(text)-utf8.UTFMax; n-- {
		if utf8.RuneStart(text[n]) && !utf8.FullRune(text[n:]) {
			return n
		}
	}
	return len(text)
}

// complete looks at the line open[start:end], which has come to its end.
func (p *prose) complete(start, end int) {
	src := string(p.open[start:end])
	switch {
	case p.fence != "":
		if isFenceEnd(src, p.fence) {
			p.fence = ""
			p.open, p.start = p.open[end:], 0
		} else {
			p.close(end)
		}
	case fenceOf(src) != "":
		p.close(start)
		p.fence, p.fresh = fenceOf(src), true
		p.code = codingOf(src, p.fence)
		p.open, p.start = p.open[end-start:], 0
	default:
		if start > 0 && (p.blank && startsAnew(src) || start > longSegment) {
			p.close(start)
			end -= start
		}
		p.blank = strings.TrimSpace(src) == ""
		p.start = end
	}
}

// close makes the first n bytes of open a segment.
func (p *prose) close(n int) {
	src := string(p.open[:n])
	p.open, p.start, p.blank = p.open[n:], 0, false
	if p.fence != "" {
		read := p.code
		p.closed = append(p.closed, segment{src, &read, p.fresh})
		p.code.pass(src)
		p.fresh = false
	} else if strings.TrimSpace(src) != "" {
		p.closed = append(p.closed, segment{source: src, first: true})
	}
}

// startsAnew reports whether a line after a blank one has nothing to do with
// what came before it: it is not set in, and no item of a list.
func startsAnew(src string) bool {
	c := src[0]
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
		return false
	}
	digits := strings.TrimLeft(src, "0123456789")
	isItem := strings.HasPrefix(src, "- ") || strings.HasPrefix(src, "* ") || strings.HasPrefix(src, "+ ") ||
		len(digits) < len(src) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
	return !isItem
}

// fenceOf is the run of backticks or tildes that opens a block of code, or "".
func fenceOf(src string) string {
	t := strings.TrimLeft(src, " ")
	if len(src)-len(t) > 3 || t == "" || t[0] != '`' && t[0] != '~' {
		return ""
	}
	n := len(t) - len(strings.TrimLeft(t, t[:1]))
	if n < 3 || t[0] == '`' && strings.Contains(t[n:], "`") {
		return ""
	}
	return t[:n]
}

func isFenceEnd(src, fence string) bool {
	end := fenceOf(src)
	return len(end) >= len(fence) && end[0] == fence[0] && strings.TrimSpace(src) == end
}

// layout sets the prose in lines of at most width cells and returns their
// number.
func (p *prose) layout(width int) int {
	if width != p.width {
		p.width, p.lines, p.done, p.lastFor = width, nil, 0, -1
	}
	for ; p.done < len(p.closed); p.done++ {
		s := p.closed[p.done]
		if s.first && len(p.lines) > 0 {
			p.lines = append(p.lines, nil)
		}
		p.lines = append(p.lines, p.set(s.source, s.code)...)
		p.lastFor = -1
	}
	if p.lastFor != len(p.open) {
		p.lastFor, p.last = len(p.open), nil
		src := string(p.open)
		if strings.TrimSpace(src) != "" && (p.fence == "" || !isFenceEnd(src, p.fence)) {
			if len(p.lines) > 0 && (p.fence == "" || p.fresh) {
				p.last = []line{nil}
			}
			var read *coding
			if p.fence != "" {
				read = &p.code
			}
			p.last = append(p.last, p.set(src, read)...)
		}
	}
	return len(p.lines) + len(p.last)
}

func (p *prose) set(source string, code *coding) []line {
	if code != nil {
		return codeLines(source, *code, p.width)
	}
	return markdown(p.parser(), source, p.width)
}

// line is line i of the last layout.
func (p *prose) line(i int) line {
	if i < len(p.lines) {
		return p.lines[i]
	}
	return p.last[i-len(p.lines)]
}
