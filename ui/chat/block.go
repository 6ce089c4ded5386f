package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/ui/screen"
)

// block is an entry of the transcript.
type block interface {
	// layout sets the block in lines of at most width cells and returns their
	// number. It is quick if nothing changed since the last time.
	layout(width int, now time.Time) int
	// line is a line of the last layout.
	line(i int) line
	// raw is what copying the block gives.
	raw() string
	// fold opens or closes the block; false if there is nothing to open.
	fold() bool
}

// What stands in the gutter, which is two cells wide: whose a block is.
const (
	you    = "> " // as in the line that is written in
	nod    = "◆ "
	margin = "  "

	gutter = 2
)

// fixed holds what a block was set to, for one width.
type fixed struct {
	lines []line
	width int
	valid bool
}

func (f *fixed) line(i int) line { return f.lines[i] }

func (f *fixed) stale() { f.valid = false }

// set runs make if the lines are not those for width.
func (f *fixed) set(width int, make func() []line) int {
	if !f.valid || f.width != width {
		f.lines, f.width, f.valid = make(), width, true
	}
	return len(f.lines)
}

// said is a prompt of the operator.
type said struct {
	fixed
	text   string
	queued bool
}

func (b *said) layout(width int, _ time.Time) int {
	return b.set(width, func() []line {
		spans := []span{{text: b.text, bold: true}}
		first := span{text: you, tone: accent, bold: true}
		if b.queued {
			spans = append(spans, span{text: "  (waits)", tone: muted})
		}
		return prefixed(wrap(spans, width-gutter), first, span{text: margin})
	})
}
func (b *said) raw() string { return b.text }
func (b *said) fold() bool  { return false }

// answer is a piece of the model's answer.
type answer struct {
	prose
	gap   bool // an empty line above it
	label bool
}

func (b *answer) layout(width int, _ time.Time) int {
	n := b.prose.layout(width - gutter)
	if b.gap {
		n++
	}
	return n
}

func (b *answer) line(i int) line {
	if b.gap {
		if i == 0 {
			return nil
		}
		i--
	}
	first := span{text: margin, around: true}
	if i == 0 && b.label {
		first = span{text: nod, tone: accent, bold: true, around: true}
	}
	return append(line{first}, b.prose.line(i)...)
}
func (b *answer) raw() string { return b.source.String() }
func (b *answer) fold() bool  { return false }

// thought is a piece of the model's reasoning, folded unless opened.
type thought struct {
	fixed
	text  strings.Builder
	words int
	open  bool
	done  bool
}

func (b *thought) add(text string) {
	b.text.WriteString(text)
	b.words += len(strings.Fields(text))
	b.stale()
}

func (b *thought) layout(width int, _ time.Time) int {
	return b.set(width, func() []line {
		word := "thinking"
		if b.done {
			word = "thought"
		}
		count := fmt.Sprintf("%d words", b.words)
		if b.words == 1 {
			count = "1 word"
		}
		lines := []line{{{text: sign(b.open), tone: muted, around: true}, {text: word + " · " + count, tone: muted, italic: true}}}
		if b.open {
			in := span{text: margin}
			body := wrap([]span{{text: strings.TrimSpace(b.text.String()), tone: muted}}, width-gutter)
			lines = append(lines, prefixed(body, in, in)...)
		}
		return lines
	})
}
func (b *thought) raw() string { return b.text.String() }
func (b *thought) fold() bool  { b.open = !b.open; b.stale(); return true }

// sign says whether a block is open.
func sign(open bool) string {
	if open {
		return "▾ "
	}
	return "▸ "
}

// remark is a line of nod itself: a notice, a fault, an answer to a slash
// command.
type remark struct {
	fixed
	text, hint string
	tone       tone
	mark       string
}

func (b *remark) layout(width int, _ time.Time) int {
	return b.set(width, func() []line {
		spans := []span{{text: b.text, tone: b.tone}}
		if b.hint != "" {
			spans = append(spans, span{text: "\n" + b.hint, tone: muted})
		}
		cells := screen.Width(b.mark)
		return prefixed(wrap(spans, width-cells), span{text: b.mark, tone: b.tone}, span{text: strings.Repeat(" ", cells)})
	})
}
func (b *remark) raw() string { return strings.TrimSpace(b.text + "\n" + b.hint) }
func (b *remark) fold() bool  { return false }

// space is an empty line.
type space struct{}

func (space) layout(int, time.Time) int { return 1 }
func (space) line(int) line             { return nil }
func (space) raw() string               { return "" }
func (space) fold() bool                { return false }
