package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// Input is where the operator writes: several lines, with a history. Make one
// with NewInput.
type Input struct {
	styles *screen.Styles

	lines  []string // without newlines; never empty
	row    int      // of the cursor, in lines
	offset int      // of the cursor, in bytes
	goal   int      // the column that up and down keep to; -1: the cursor's own

	history []string
	at      int    // in history; len(history) is the draft
	draft   string // what was written before going back in history

	undos    undos
	cutText  string // what was cut last
	cutLines bool   // it is whole lines
	vi       vi

	width int // of the last Height or Draw
}

const (
	mark   = "> "
	indent = "  "
)

// NewInput returns an empty input with earlier prompts, oldest first.
func NewInput(styles *screen.Styles, history []string) *Input {
	in := &Input{styles: styles, lines: []string{""}, goal: -1, width: 80}
	in.history = append(in.history, history...)
	in.at = len(in.history)
	return in
}

// History are the earlier prompts, oldest first.
func (in *Input) History() []string { return in.history }

// Text is what is written.
func (in *Input) Text() string { return strings.Join(in.lines, "\n") }

// Empty reports whether nothing is written.
func (in *Input) Empty() bool { return len(in.lines) == 1 && in.lines[0] == "" }

// Set replaces what is written.
func (in *Input) Set(text string) {
	in.undos = undos{}
	in.lines = strings.Split(text, "\n")
	in.row = len(in.lines) - 1
	in.offset, in.goal = len(in.lines[in.row]), -1
}

// Take empties the input, remembers what was written and returns it.
func (in *Input) Take() string {
	text := in.Text()
	if text != "" && (len(in.history) == 0 || in.history[len(in.history)-1] != text) {
		in.history = append(in.history, text)
	}
	in.at, in.draft = len(in.history), ""
	in.Set("")
	in.vi.normal = false
	in.vi.reset()
	return text
}

// newlines makes all ends of lines the same.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Insert puts text at the cursor. It may have several lines.
func (in *Input) Insert(text string) {
	if text == "" {
		return
	}
	in.change(utf8.RuneCountInString(text) == 1)
	parts := strings.Split(newlines.Replace(text), "\n")
	before, after := in.lines[in.row][:in.offset], in.lines[in.row][in.offset:]
	if len(parts) == 1 {
		in.lines[in.row] = before + parts[0] + after
		in.offset += len(parts[0])
		in.goal = -1
		return
	}
	last := len(parts) - 1
	in.offset = len(parts[last])
	parts[0] = before + parts[0]
	parts[last] += after
	in.lines = append(in.lines[:in.row:in.row], append(parts, in.lines[in.row+1:]...)...)
	in.row += last
	in.goal = -1
}

// Before is what stands before the cursor in its line, the number of that line, and
// whether it is the only one.
func (in *Input) Before() (text string, row int, only bool) {
	return in.line()[:in.offset], in.row, len(in.lines) == 1
}

// Begins reports whether what is written begins with a text.
func (in *Input) Begins(with string) bool { return strings.HasPrefix(in.lines[0], with) }

// Replace puts text in the place of what stands before the cursor from a byte of
// its line on.
func (in *Input) Replace(from int, text string) {
	in.remove(in.row, min(from, in.offset), in.row, in.offset)
	in.Insert(text)
}

// Do carries out one of the table's commands for writing. It reports whether it
// could.
func (in *Input) Do(id keys.ID) bool {
	switch id {
	case keys.Newline:
		in.Insert("\n")
	case keys.Earlier:
		return in.vertical(-1)
	case keys.Later:
		return in.vertical(1)
	case keys.LineStart:
		in.moveTo(in.row, 0)
	case keys.LineEnd:
		in.moveTo(in.row, len(in.line()))
	case keys.CharLeft:
		in.moveTo(in.left())
	case keys.CharRight:
		in.moveTo(in.right())
	case keys.WordLeft:
		in.moveTo(in.wordLeft())
	case keys.WordRight:
		in.moveTo(in.wordRight())
	case keys.DeleteWord:
		row, offset := in.wordLeft()
		in.cut(row, offset, in.row, in.offset)
	case keys.DeleteWordAfter:
		row, offset := in.wordRight()
		in.cut(in.row, in.offset, row, offset)
	case keys.DeleteBefore:
		in.cut(in.row, 0, in.row, in.offset)
	case keys.DeleteAfter:
		in.cut(in.row, in.offset, in.row, len(in.line()))
	case keys.Yank:
		in.together(func() { in.Insert(in.cutText) })
	case keys.UndoEdit:
		return in.undo()
	default:
		return false
	}
	return true
}

// Key handles the keys that are no command of the table: those that type, and
// those that delete and move by one character.
func (in *Input) Key(ev *tcell.EventKey) bool {
	switch keys.Name(ev) {
	case "Backspace":
		row, offset := in.left()
		in.remove(row, offset, in.row, in.offset)
	case "Delete":
		row, offset := in.right()
		in.remove(in.row, in.offset, row, offset)
	case "Left":
		in.moveTo(in.left())
	case "Right":
		in.moveTo(in.right())
	default:
		text := keys.Text(ev)
		in.Insert(text)
		return text != ""
	}
	return true
}

func (in *Input) line() string { return in.lines[in.row] }

func (in *Input) moveTo(row, offset int) {
	in.row, in.offset, in.goal = row, offset, -1
	in.undos.typing = false
}

// left is the place one character before the cursor.
func (in *Input) left() (row, offset int) {
	if in.offset == 0 {
		if in.row == 0 {
			return 0, 0
		}
		return in.row - 1, len(in.lines[in.row-1])
	}
	// A cluster is looked for from a place where one surely begins.
	start := in.offset
	for start > 0 && in.offset-start < 64 {
		_, n := utf8.DecodeLastRuneInString(in.line()[:start])
		start -= n
		if start < in.offset-1 && in.line()[start] < 0x80 {
			break
		}
	}
	last := start
	for rest, state := in.line()[start:in.offset], -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		last = in.offset - len(rest) - len(cluster)
	}
	return in.row, last
}

// right is the place one character after the cursor.
func (in *Input) right() (row, offset int) {
	if in.offset == len(in.line()) {
		if in.row == len(in.lines)-1 {
			return in.row, in.offset
		}
		return in.row + 1, 0
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(in.line()[in.offset:], -1)
	return in.row, in.offset + len(cluster)
}

func (in *Input) wordLeft() (row, offset int) {
	if in.offset == 0 {
		return in.left()
	}
	before := strings.TrimRightFunc(in.line()[:in.offset], isGap)
	before = strings.TrimRightFunc(before, func(r rune) bool { return !isGap(r) })
	return in.row, len(before)
}

func (in *Input) wordRight() (row, offset int) {
	if in.offset == len(in.line()) {
		return in.right()
	}
	after := strings.TrimLeftFunc(in.line()[in.offset:], isGap)
	after = strings.TrimLeftFunc(after, func(r rune) bool { return !isGap(r) })
	return in.row, len(in.line()) - len(after)
}

func isGap(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

// remove deletes from one place to another and leaves the cursor there.
func (in *Input) remove(fromRow, from, toRow, to int) {
	in.change(false)
	joined := in.lines[fromRow][:from] + in.lines[toRow][to:]
	in.lines = append(in.lines[:fromRow], in.lines[toRow:]...)
	in.lines[fromRow] = joined
	in.moveTo(fromRow, from)
}

// vertical moves by a row on the screen, and on into the history.
func (in *Input) vertical(step int) bool {
	starts := rows(in.line(), in.width)
	row := rowAt(starts, in.offset)
	if in.goal < 0 {
		in.goal = screen.Width(in.line()[starts[row]:in.offset])
	}
	goal := in.goal
	switch {
	case row+step >= 0 && row+step < len(starts):
		in.offset = offsetAt(in.line(), starts, row+step, goal)
	case in.row+step >= 0 && in.row+step < len(in.lines):
		in.row += step
		starts = rows(in.line(), in.width)
		row = 0
		if step < 0 {
			row = len(starts) - 1
		}
		in.offset = offsetAt(in.line(), starts, row, goal)
	default:
		return in.recall(step)
	}
	in.goal = goal
	return true
}

// recall goes back and forth in the history.
func (in *Input) recall(step int) bool {
	at := in.at + step
	if at < 0 || at > len(in.history) {
		return false
	}
	if in.at == len(in.history) {
		in.draft = in.Text()
	}
	in.at = at
	text := in.draft
	if at < len(in.history) {
		text = in.history[at]
	}
	in.Set(text)
	return true
}

// Height is the number of rows that the input needs in the given width, at
// most limit.
func (in *Input) Height(width, limit int) int {
	in.width = max(width-len(mark), 1)
	n := 0
	for _, l := range in.lines {
		if n += len(rows(l, in.width)); n >= limit {
			return limit
		}
	}
	return n
}

// Draw draws the rows around the cursor. With hint, it is shown while nothing
// is written.
func (in *Input) Draw(s tcell.Screen, x, y, width, height int, active bool, hint string) {
	in.width = max(width-len(mark), 1)
	style := in.styles.Muted
	if active {
		style = in.styles.Focus
	}
	all, cursor := in.around(height)
	for i, text := range all {
		prefix := indent
		if i == 0 {
			prefix = mark
		}
		screen.Draw(s, x, y+i, width, prefix, style)
		screen.Draw(s, x+len(mark), y+i, in.width, text, in.styles.Text)
	}
	if in.Empty() && hint != "" {
		screen.Draw(s, x+len(mark), y, in.width, screen.Cut(hint, in.width), in.styles.Muted)
	}
	if active && len(all) > 0 {
		starts := rows(in.line(), in.width)
		col := screen.Width(in.line()[starts[rowAt(starts, in.offset)]:in.offset])
		s.ShowCursor(x+len(mark)+min(col, in.width-1), y+cursor)
	}
}

// around is up to height rows with the cursor's among them, and which one that
// is.
func (in *Input) around(height int) (all []string, cursor int) {
	if height <= 0 {
		return nil, 0
	}
	own := split(in.line(), in.width)
	cursor = rowAt(rows(in.line(), in.width), in.offset)
	all = own
	for i := in.row - 1; i >= 0 && cursor < height; i-- {
		above := split(in.lines[i], in.width)
		all = append(above, all...)
		cursor += len(above)
	}
	for i := in.row + 1; i < len(in.lines) && len(all) < cursor+height; i++ {
		all = append(all[:len(all):len(all)], split(in.lines[i], in.width)...)
	}
	top := max(min(cursor-height/2, len(all)-height), 0)
	all = all[top:]
	return all[:min(len(all), height)], cursor - top
}

func split(l string, width int) []string {
	starts := rows(l, width)
	parts := make([]string, len(starts))
	for i, start := range starts {
		end := len(l)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		parts[i] = l[start:end]
	}
	return parts
}

// rows are the offsets at which the rows of a line begin. A line that exactly
// fills its last row has an empty one more, for the cursor.
func rows(l string, width int) []int {
	starts := []int{0}
	if isASCII(l) {
		for n := width; n <= len(l); n += width {
			starts = append(starts, n)
		}
		return starts
	}
	used := 0
	for rest, state := l, -1; rest != ""; {
		var cluster string
		offset := len(l) - len(rest)
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		cells := screen.Width(cluster)
		if used+cells > width && used > 0 {
			starts, used = append(starts, offset), 0
		}
		used += cells
	}
	if used >= width {
		starts = append(starts, len(l))
	}
	return starts
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// rowAt is the row that an offset is in.
func rowAt(starts []int, offset int) int {
	for i := len(starts) - 1; i > 0; i-- {
		if starts[i] <= offset {
			return i
		}
	}
	return 0
}

// offsetAt is the offset of a column in a row.
func offsetAt(l string, starts []int, row, col int) int {
	end := len(l)
	if row+1 < len(starts) {
		end = starts[row+1]
	}
	offset := starts[row]
	for used, rest, state := 0, l[offset:end], -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		used += screen.Width(cluster)
		if used > col {
			break
		}
		offset += len(cluster)
	}
	if row+1 < len(starts) && offset == end && end > starts[row] {
		// The end of a row that goes on is the start of the next one.
		_, n := utf8.DecodeLastRuneInString(l[:end])
		offset -= n
	}
	return offset
}
