package decision

import (
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/ui/screen"
)

// editor is a text being edited, drawn byte for byte like everything else.
type editor struct {
	text  string
	at    int  // the cursor, in bytes
	lines bool // may have several lines
}

func newEditor(text string, lines bool) *editor {
	return &editor{text: text, at: len(text), lines: lines}
}

// insert puts text at the cursor.
func (e *editor) insert(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if !e.lines {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.at += len(text)
}

// key takes a key; false if it means nothing here.
func (e *editor) key(ev *tcell.EventKey) bool {
	switch ev.Key() {
	case tcell.KeyRune:
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0 {
			return false
		}
		e.insert(string(ev.Rune()))
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		n := e.before()
		e.text = e.text[:e.at-n] + e.text[e.at:]
		e.at -= n
	case tcell.KeyDelete:
		e.text = e.text[:e.at] + e.text[e.at+e.after():]
	case tcell.KeyLeft:
		e.at -= e.before()
	case tcell.KeyRight:
		e.at += e.after()
	case tcell.KeyHome, tcell.KeyCtrlA:
		e.at = e.lineStart()
	case tcell.KeyEnd, tcell.KeyCtrlE:
		e.at = e.lineEnd()
	case tcell.KeyUp:
		e.vertical(-1)
	case tcell.KeyDown:
		e.vertical(1)
	case tcell.KeyCtrlU:
		start := e.lineStart()
		e.text, e.at = e.text[:start]+e.text[e.at:], start
	case tcell.KeyCtrlK:
		e.text = e.text[:e.at] + e.text[e.lineEnd():]
	default:
		return false
	}
	return true
}

// before and after are the lengths of the characters beside the cursor.
func (e *editor) before() int {
	_, n := utf8.DecodeLastRuneInString(e.text[:e.at])
	return n
}

func (e *editor) after() int {
	_, n := utf8.DecodeRuneInString(e.text[e.at:])
	return n
}

func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

// vertical moves to the line above or below and keeps the column, in
// characters.
func (e *editor) vertical(by int) {
	start := e.lineStart()
	column := utf8.RuneCountInString(e.text[start:e.at])
	switch {
	case by < 0 && start == 0:
		e.at = 0
		return
	case by < 0:
		e.at = start - 1
		e.at = e.lineStart()
	case e.lineEnd() == len(e.text):
		e.at = len(e.text)
		return
	default:
		e.at = e.lineEnd() + 1
	}
	for end := e.lineEnd(); column > 0 && e.at < end; column-- {
		e.at += e.after()
	}
}

// around is as much of a text of one line as fits that many cells, as it reads,
// and where the cursor is in it. A mark stands for what was cut off.
func (e *editor) around(width int) (shown string, x int) {
	before, after := screen.Clean(e.text[:e.at]), screen.Clean(e.text[e.at:])
	room := max(width-1, 1) // the last column is for a cursor behind the text
	if screen.Width(before) > room {
		for before != "" && screen.Width(before) > room-1 {
			_, before, _, _ = uniseg.FirstGraphemeClusterInString(before, -1)
		}
		before = "…" + before
	}
	x = screen.Width(before)
	return before + screen.Cut(after, width-x), x
}

// rows are the text in that many cells and where the cursor is in them.
func (e *editor) rows(width int) (rows []show.Row, x, y int) {
	rows = show.Rows(e.text, width-1) // the last column is for a cursor behind the text
	for i, r := range rows {
		if e.at < r.Start || e.at > r.End {
			continue
		}
		x, y = len(r.Cells), i
		for j, c := range r.Cells {
			if c.Offset >= e.at {
				x = j
				break
			}
		}
	}
	return rows, x, y
}
