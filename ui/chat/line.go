package chat

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/ui/screen"
)

// tone is what a span means; the styles say what it looks like.
type tone uint8

const (
	plain tone = iota
	muted
	accent
	good
	warn
	danger
	heading
	code
	link
	comment
	keyword
	added
	removed
)

// span is text in one style.
type span struct {
	text                 string
	tone                 tone
	bold, italic, strike bool
	around               bool  // it is not a part of the text: what is copied leaves it out
	joins                joins // only of the first span of a line that is no prefix
}

// joins says how a line goes on with the one before it.
type joins uint8

const (
	joinsNot   joins = iota
	joinsBlank       // it broke at a blank
	joinsWord        // it broke where nothing stands
)

// line is one line on the screen.
type line []span

func (s span) style(styles *screen.Styles) tcell.Style {
	style := [...]tcell.Style{
		plain: styles.Text, muted: styles.Muted, accent: styles.Accent, good: styles.OK,
		warn: styles.Warn, danger: styles.Danger, heading: styles.Heading,
		code: styles.Code, link: styles.Link,
		comment: styles.Muted, keyword: styles.Accent, added: styles.DiffAdd, removed: styles.DiffRemove,
	}[s.tone]
	if s.bold {
		style = style.Bold(true)
	}
	if s.italic {
		style = style.Italic(true)
	}
	if s.strike {
		style = style.StrikeThrough(true)
	}
	return style
}

func (l line) draw(s tcell.Screen, x, y, width int, styles *screen.Styles) {
	for _, sp := range l {
		n := screen.Draw(s, x, y, width, sp.text, sp.style(styles))
		x, width = x+n, width-n
	}
}

func (l line) text() string {
	var b strings.Builder
	for _, sp := range l {
		b.WriteString(sp.text)
	}
	return b.String()
}

// prefixed puts first in front of the first line and rest in front of the
// others. Neither is a part of the text.
func prefixed(lines []line, first, rest span) []line {
	first.around, rest.around = true, true
	for i, l := range lines {
		p := rest
		if i == 0 {
			p = first
		}
		lines[i] = append(line{p}, l...)
	}
	return lines
}

// wrap breaks spans into lines of at most width cells: where a line may break
// (UAX 14, but not within a path or code), else within a word. A newline always breaks. There is at least one
// line.
func wrap(spans []span, width int) []line {
	w := wrapper{spans: clean(spans), width: max(width, 1)}
	for _, s := range w.spans {
		w.text += s.text
	}
	w.run()
	return w.lines
}

func clean(spans []span) []span {
	out := make([]span, len(spans))
	for i, s := range spans {
		parts := strings.Split(s.text, "\n")
		for j := range parts {
			parts[j] = screen.Clean(parts[j])
		}
		s.text = strings.Join(parts, "\n")
		out[i] = s
	}
	return out
}

type wrapper struct {
	spans []span
	text  string
	width int
	lines []line

	span, offset int   // where the next line starts: in spans
	start        int   // the same in text
	joins        joins // how it goes on with the line before it
}

func (w *wrapper) run() {
	at, used := 0, 0            // the end of what was looked at; cells since start
	breakAt, breakUsed := -1, 0 // the last place where the line may break
	rest, state := w.text, -1
	for rest != "" {
		cluster, next, boundaries, newState := uniseg.StepString(rest, state)
		rest, state = next, newState
		cells := boundaries >> uniseg.ShiftWidth
		if cluster == "\n" || cluster == "\r\n" {
			w.cut(at, at+len(cluster))
			at += len(cluster)
			used, breakAt = 0, -1
			continue
		}
		if used+cells > w.width && cluster != " " && at > w.start {
			if breakAt > w.start {
				w.cut(breakAt, breakAt)
				used -= breakUsed
			} else {
				w.cut(at, at)
				used = 0
			}
			breakAt = -1
		}
		at += len(cluster)
		used += cells
		can := boundaries&uniseg.MaskLine == uniseg.LineCanBreak
		if cluster == " " {
			can = can || strings.HasPrefix(rest, "/") // UAX 14 keeps a slash with what is before it
		} else {
			can = can && !w.solid(at)
		}
		if can {
			breakAt, breakUsed = at, used
		}
	}
	w.cut(at, at)
}

// solid reports whether the text before an offset should stay together: a
// path, an option, an address is hard to read and to copy in two pieces.
func (w *wrapper) solid(offset int) bool {
	if w.text[offset-1] == '/' {
		return true
	}
	start := w.start - w.offset
	for _, s := range w.spans[w.span:] {
		if start += len(s.text); start >= offset {
			return s.tone == code || s.tone == link
		}
	}
	return false
}

// cut ends a line at an offset of the text; the next one starts at next.
func (w *wrapper) cut(end, next int) {
	var l line
	for w.start < next {
		s := w.spans[w.span]
		n := min(len(s.text)-w.offset, next-w.start)
		if keep := min(n, end-w.start); keep > 0 {
			part := s
			part.text = s.text[w.offset : w.offset+keep]
			if len(l) == 0 {
				part.joins = w.joins
			}
			l = append(l, part)
		}
		w.start, w.offset = w.start+n, w.offset+n
		if w.offset == len(s.text) {
			w.span, w.offset = w.span+1, 0
		}
	}
	switch {
	case next > end:
		w.joins = joinsNot
	case end > 0 && w.text[end-1] == ' ':
		w.joins = joinsBlank
	default:
		w.joins = joinsWord
	}
	for len(l) > 0 { // blanks at the end take no room
		last := &l[len(l)-1]
		last.text = strings.TrimRight(last.text, " ")
		if last.text != "" {
			break
		}
		l = l[:len(l)-1]
	}
	w.lines = append(w.lines, l)
}

// verbatim breaks preformatted text into lines: every character is kept, tabs
// are expanded, long lines go on in the next one.
func verbatim(text string, t tone, width int) []line {
	var lines []line
	for _, src := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		lines = append(lines, cutLine(line{{text: preformatted(src), tone: t}}, width)...)
	}
	return lines
}

// preformatted is a line of preformatted text as it is drawn.
func preformatted(src string) string { return screen.Clean(expandTabs(strings.TrimSuffix(src, "\r"))) }

// cutLine cuts a line into several of at most width cells, and of one character at
// least.
func cutLine(l line, width int) []line {
	width = max(width, 2)
	lines, room := []line{nil}, width
	for _, s := range l {
		for rest := s.text; ; {
			head, tail := splitAt(rest, room)
			if at := len(lines) - 1; len(lines[at]) > 0 && screen.Width(head) > room {
				lines, room = append(lines, line{}), width
				continue
			}
			s.text, s.joins = head, joinsNot
			if at := len(lines) - 1; at > 0 && len(lines[at]) == 0 {
				s.joins = joinsWord
			}
			lines[len(lines)-1] = append(lines[len(lines)-1], s)
			room -= screen.Width(head)
			if tail == "" {
				break
			}
			lines, rest, room = append(lines, line{}), tail, width
		}
	}
	return lines
}

// splitAt cuts text after at most width cells, and after one character at
// least.
func splitAt(text string, width int) (head, tail string) {
	if len(text) <= width {
		return text, ""
	}
	used, rest, state := 0, text, -1
	for rest != "" {
		_, next, cells, newState := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+cells > width && used > 0 {
			break
		}
		used, rest, state = used+cells, next, newState
	}
	return text[:len(text)-len(rest)], rest
}

const tabStop = 8

func expandTabs(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(text, "\t") {
		if i > 0 {
			n := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", n))
			col += n
		}
		b.WriteString(part)
		col += screen.Width(part)
	}
	return b.String()
}
