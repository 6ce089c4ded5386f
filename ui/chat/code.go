package chat

import (
	"strings"

	"github.com/nod-console/nod/ui/syntax"
)

// coding is how the next line of a block of code is read. Its zero value is a block in
// a language that is not known.
type coding struct {
	language *syntax.Language
	state    syntax.State
}

// codingOf is that of the first line, as the line that opens the block says.
func codingOf(src, fence string) coding {
	return coding{language: syntax.Of(strings.TrimSpace(strings.TrimLeft(src, " ")[len(fence):]))}
}

// pass reads a line that is over.
func (c *coding) pass(src string) {
	if c.language != nil {
		_, c.state = c.language.Line(preformatted(strings.TrimSuffix(src, "\n")), c.state)
	}
}

// looks are the parts of code. None is told by its colour alone: what is a comment is in
// italics, a word of the language is bold.
var looks = [...]span{
	syntax.Comment: {tone: comment, italic: true}, syntax.String: {tone: good}, syntax.Number: {tone: warn},
	syntax.Keyword: {tone: keyword, bold: true}, syntax.Name: {tone: code},
	syntax.Added: {tone: added}, syntax.Removed: {tone: removed}, syntax.Place: {tone: keyword},
}

// codeLines is a block of code, or a line of one, set in by two.
func codeLines(source string, c coding, width int) []line {
	in := span{text: "  "}
	if c.language == nil {
		return prefixed(verbatim(source, code, width-2), in, in)
	}
	var lines []line
	for src := range strings.SplitSeq(strings.TrimSuffix(source, "\n"), "\n") {
		var pieces []syntax.Piece
		pieces, c.state = c.language.Line(preformatted(src), c.state)
		var l line
		for _, p := range pieces {
			s := looks[p.Kind]
			s.text = p.Text
			l = append(l, s)
		}
		if l == nil {
			l = line{{}}
		}
		lines = append(lines, cutLine(l, width-2)...)
	}
	return prefixed(lines, in, in)
}
