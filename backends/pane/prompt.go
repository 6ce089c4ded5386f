package pane

import (
	"strings"

	"github.com/nod-console/nod/backends/vt"
)

// promptSpot is where a prompt ended on the screen.
type promptSpot struct {
	known     bool
	row, col  int    // row counted with the scrollback
	afterward int    // bytes of output since
	line      string // the prompt's last line, by which it is found again
}

// spotAtCursor is the spot of a prompt that has just been written.
func spotAtCursor(s *vt.Snapshot) promptSpot {
	row := s.Scrolled + s.Cursor.Row
	return promptSpot{known: true, row: row, col: s.Cursor.Col, line: textUpTo(s, row, s.Cursor.Col)}
}

// typedRows bounds how many rows what was typed behind a prompt may take for
// the prompt to be found again.
const typedRows = 10

// foundIn is the spot on a screen that was taken anew: the nearest row at or above
// the cursor that begins as the prompt's last line did. It is not known if
// there is none, or if the prompt itself was wrapped.
func (p promptSpot) foundIn(s *vt.Snapshot) promptSpot {
	found := promptSpot{line: p.line, col: p.col, afterward: p.afterward + 1} // read the screen: something may be typed
	if p.line == "" || p.col >= s.Size.Cols {
		return found
	}
	cursor := s.Scrolled + s.Cursor.Row
	for row := cursor; row >= max(0, cursor-typedRows); row-- {
		if textUpTo(s, row, p.col) == p.line {
			found.known, found.row = true, row
			return found
		}
	}
	return found
}

// textUpTo is the text of a row up to a column, without the blanks at its end.
func textUpTo(s *vt.Snapshot, row, col int) string {
	cells := s.Line(row)
	return strings.TrimRight(s.TextOf(cells[:min(col, len(cells))]), " ")
}

// AtPrompt reports whether the shell is known to wait for a command.
func (p *Pane) AtPrompt() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.phase == atPrompt && p.prompt.known
}

// PendingLine is what stands behind the prompt: what the operator, or an
// earlier Type, has typed but not entered. It is read off the screen.
func (p *Pane) PendingLine() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pendingLine()
}

// pendingLine is PendingLine with p.mu held.
func (p *Pane) pendingLine() string {
	if p.phase != atPrompt || !p.prompt.known || p.prompt.afterward == 0 {
		return ""
	}
	s := p.term.Snapshot()
	cursor := s.Scrolled + s.Cursor.Row
	var b strings.Builder
	for i := p.prompt.row; i < s.Lines(); i++ {
		cells := s.Line(i)
		if i == cursor && p.shell.decorates() {
			cells = undecorated(s, cells)
		}
		if i == cursor && p.shell == Fish && (i > p.prompt.row || s.Cursor.Col > p.prompt.col) {
			cells = cells[:min(s.Cursor.Col, len(cells))] // what follows may be no more than a suggestion
		}
		if i == p.prompt.row {
			cells = cells[min(p.prompt.col, len(cells)):]
		}
		b.WriteString(s.TextOf(cells))
		// Some shells break a line that is too long by themselves.
		full := len(cells) > 0 && strings.TrimSpace(s.TextOf(cells[len(cells)-1:])) != ""
		if full || s.LineWrapped(i) {
			continue
		}
		if i >= cursor && p.shell.decorates() {
			break // what is below is the editor's own: completions, hints
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// undecorated is the cursor's row without what the line editor shows at the
// right edge, which two blanks or more part from what is typed.
func undecorated(s *vt.Snapshot, cells []vt.Cell) []vt.Cell {
	blank := func(i int) bool { return i >= len(cells) || strings.TrimSpace(s.TextOf(cells[i:i+1])) == "" }
	for i := s.Cursor.Col; i < len(cells); i++ {
		if blank(i) && blank(i+1) {
			return cells[:i]
		}
	}
	return cells
}
