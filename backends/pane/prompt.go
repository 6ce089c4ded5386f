package pane

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

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

// likely is where a prompt that nobody saw coming up has ended: on the cursor's
// row, behind what the prompt before it ended with, or at the cursor if what is
// there looks like a prompt. It is not known otherwise.
func (p promptSpot) likely(s *vt.Snapshot) promptSpot {
	at := spotAtCursor(s)
	switch {
	case p.line != "" && p.col <= at.col && textUpTo(s, at.row, p.col) == p.line:
		at.col, at.line, at.afterward = p.col, p.line, 1
	case !looksLikePrompt(s):
		return promptSpot{}
	}
	return at
}

// promptEnds are the characters with which prompts for commands end.
const promptEnds = "$#%>❯➜»λ"

// looksLikePrompt reports whether the cursor stands one blank behind a
// character that ends prompts, and nothing behind it.
func looksLikePrompt(s *vt.Snapshot) bool {
	row := s.Scrolled + s.Cursor.Row
	line := textUpTo(s, row, s.Cursor.Col)
	end, _ := utf8.DecodeLastRuneInString(line)
	return strings.ContainsRune(promptEnds, end) && line == strings.TrimRight(s.LineText(row), " ") &&
		textUpTo(s, row, s.Cursor.Col-1) == line && textUpTo(s, row, s.Cursor.Col-2) != line
}

// textUpTo is the text of a row up to a column, without the blanks at its end.
func textUpTo(s *vt.Snapshot, row, col int) string {
	cells := s.Line(row)
	return strings.TrimRight(s.TextOf(cells[:max(0, min(col, len(cells)))]), " ")
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
		cells := p.typedIn(s, i)
		b.WriteString(s.TextOf(cells))
		// Some shells break a line that is too long by themselves.
		full := len(cells) > 0 && strings.TrimSpace(s.TextOf(cells[len(cells)-1:])) != ""
		if full || s.LineWrapped(i) {
			continue
		}
		if i >= cursor && p.shell.Decorates() {
			break // what is below is the editor's own: completions, hints
		}
		b.WriteByte('\n')
	}
	line := strings.TrimSpace(b.String())
	if terminalAnswers().MatchString(line) {
		return "" // it is cleared before a command is typed
	}
	if p.shell == Fish && fishOnAJob().MatchString(line) {
		return ""
	}
	return line
}

// typedIn are the cells of a row at or below that of the prompt which may have been typed.
// p.mu is held.
func (p *Pane) typedIn(s *vt.Snapshot, row int) []vt.Cell {
	cells := s.Line(row)
	if row == s.Scrolled+s.Cursor.Row {
		if p.shell.Decorates() {
			cells = undecorated(s, cells)
		}
		if p.shell == Fish && (row > p.prompt.row || s.Cursor.Col > p.prompt.col) {
			cells = cells[:min(s.Cursor.Col, len(cells))] // what follows may be no more than a suggestion
		}
	}
	if row == p.prompt.row {
		cells = cells[min(p.prompt.col, len(cells)):]
	}
	return cells
}

// terminalAnswers is what line editors show of a terminal's answers to questions of
// which the program that has asked did not read them: what it is, how it does, where the
// cursor stands (ESC [ ? 1 ; 2 c and the like), or the end of some, or the beginning of one
// that is on its way. Nobody types that.
var terminalAnswers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\^\[?>;Rcn]*\d[\^\[?>;\dRcn]*[Rcn]|(?:\^\[)?\[[?>]?\d[\d;]*)$`)
})

// fishOnAJob is what fish (3.6) writes behind its prompt when a job has ended or
// stopped meanwhile. It does not always draw the prompt anew.
var fishOnAJob = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^fish: Job \d+, .* has\s+(?:ended|stopped)$`) })

// speaks reports whether what stands behind the prompt seems to be the line
// editor's own word, such as that a job has ended, for which it has left the
// prompt's row as it is. It draws the prompt anew behind that. p.mu is held.
func (p *Pane) speaks() bool {
	if p.pendingLine() == "" {
		return false
	}
	s := p.term.Snapshot()
	cells := s.Line(p.prompt.row)
	return s.Scrolled+s.Cursor.Row > p.prompt.row && strings.TrimSpace(s.TextOf(cells[min(p.prompt.col, len(cells)):])) == ""
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
