package chat

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/syntax"
)

// newParser makes the Markdown parser on its first use, so that it costs the
// first frame nothing.
func newParser() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
}

// markdown renders a piece of Markdown in lines of at most width cells.
func markdown(p parser.Parser, source string, width int) []line {
	src := []byte(source)
	m := render{src: src}
	return m.blocks(p.Parse(text.NewReader(src)), max(width, 8), false)
}

type render struct{ src []byte }

// blocks renders a node's children one below the other.
func (m render) blocks(parent ast.Node, width int, tight bool) []line {
	var lines []line
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if len(lines) > 0 && !tight {
			lines = append(lines, nil)
		}
		lines = append(lines, m.block(n, width)...)
	}
	return lines
}

func (m render) block(n ast.Node, width int) []line {
	switch n := n.(type) {
	case *ast.Heading:
		return wrap(m.inlines(n, span{tone: heading, bold: true}), width)
	case *ast.List:
		return m.list(n, width)
	case *ast.Blockquote:
		bar := span{text: "│ ", tone: muted}
		return prefixed(m.blocks(n, width-2, false), bar, bar)
	case *ast.FencedCodeBlock:
		return codeLines(m.raw(n), coding{language: syntax.Of(string(n.Language(m.src)))}, width)
	case *ast.CodeBlock:
		return codeLines(m.raw(n), coding{}, width)
	case *ast.HTMLBlock:
		raw := m.raw(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(m.src))
		}
		return verbatim(raw, plain, width)
	case *ast.ThematicBreak:
		return []line{{{text: strings.Repeat("─", min(width, 24)), tone: muted}}}
	case *extast.Table:
		return m.table(n, width)
	}
	return wrap(m.inlines(n, span{}), width)
}

// raw is a block's own text.
func (m render) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(m.src))
	}
	return b.String()
}

func (m render) list(l *ast.List, width int) []line {
	var lines []line
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		if len(lines) > 0 && !l.IsTight {
			lines = append(lines, nil)
		}
		marker := "• "
		if l.IsOrdered() {
			marker = strconv.Itoa(number) + string(l.Marker) + " "
			number++
		}
		cells := screen.Width(marker)
		body := m.blocks(item, max(width-cells, 4), l.IsTight)
		if len(body) == 0 {
			body = []line{nil}
		}
		set := prefixed(body, span{text: marker, tone: accent}, span{text: strings.Repeat(" ", cells)})
		set[0][0].around = false
		lines = append(lines, set...)
	}
	return lines
}

// table is set in columns if it fits, else row by row with the names of the
// columns, so that nothing is cut off.
func (m render) table(t *extast.Table, width int) []line {
	var rows [][][]span
	for r := t.FirstChild(); r != nil; r = r.NextSibling() {
		var cells [][]span
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, clean(m.inlines(c, span{bold: len(rows) == 0})))
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(t.Alignments))
	total := 3 * (len(widths) - 1)
	for i := range widths {
		for _, cells := range rows {
			if i < len(cells) {
				widths[i] = max(widths[i], spansWidth(cells[i]))
			}
		}
		total += widths[i]
	}
	if total > width {
		return records(rows, width)
	}
	var lines []line
	for i, cells := range rows {
		var l line
		for col, cell := range cells {
			if col > 0 {
				l = append(l, span{text: " │ ", tone: muted})
			}
			pad := span{text: strings.Repeat(" ", max(widths[col]-spansWidth(cell), 0))}
			if t.Alignments[col] == extast.AlignRight {
				l = append(append(l, pad), cell...)
			} else {
				l = append(append(l, cell...), pad)
			}
		}
		lines = append(lines, l)
		if i == 0 {
			lines = append(lines, line{{text: strings.Repeat("─", total), tone: muted}})
		}
	}
	return lines
}

// records is a table as "name: value" lines.
func records(rows [][][]span, width int) []line {
	var lines []line
	for i, cells := range rows[1:] {
		if i > 0 {
			lines = append(lines, nil)
		}
		for col, cell := range cells {
			var spans []span
			if col < len(rows[0]) {
				spans = append(append(spans, rows[0][col]...), span{text: ": ", tone: muted})
			}
			lines = append(lines, wrap(append(spans, cell...), width)...)
		}
	}
	return lines
}

func spansWidth(spans []span) int {
	n := 0
	for _, s := range spans {
		n += screen.Width(s.text)
	}
	return n
}

// inlines are a node's text in the style of base and what it adds to it.
func (m render) inlines(parent ast.Node, base span) []span {
	var spans []span
	add := func(s span, text string) {
		if text != "" {
			s.text = text
			spans = append(spans, s)
		}
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		styled := base
		switch n := n.(type) {
		case *ast.Text:
			add(base, string(n.Segment.Value(m.src)))
			if n.HardLineBreak() {
				add(base, "\n")
			} else if n.SoftLineBreak() {
				add(base, " ")
			}
		case *ast.String:
			add(base, string(n.Value))
		case *ast.CodeSpan:
			styled.tone = code
			spans = append(spans, m.inlines(n, styled)...)
		case *ast.Emphasis:
			styled.italic = styled.italic || n.Level == 1
			styled.bold = styled.bold || n.Level == 2
			spans = append(spans, m.inlines(n, styled)...)
		case *extast.Strikethrough:
			styled.strike = true
			spans = append(spans, m.inlines(n, styled)...)
		case *extast.TaskCheckBox:
			box := "☐ "
			if n.IsChecked {
				box = "☑ "
			}
			add(base, box)
		case *ast.AutoLink:
			styled.tone = link
			add(styled, string(n.URL(m.src)))
		case *ast.Link:
			spans = append(spans, m.address(m.inlines(n, base), string(n.Destination))...)
		case *ast.Image:
			spans = append(spans, m.address(m.inlines(n, base), string(n.Destination))...)
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				add(base, string(segment.Value(m.src)))
			}
		default:
			spans = append(spans, m.inlines(n, base)...)
		}
	}
	return spans
}

// address shows where a link leads, unless its text says that already.
func (m render) address(label []span, destination string) []span {
	said := ""
	for i := range label {
		said += label[i].text
		label[i].tone = link
	}
	if said == destination {
		return label
	}
	return append(label, span{text: " <" + destination + ">", tone: muted})
}
