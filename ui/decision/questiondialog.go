package decision

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// maxEntry bounds what can be typed or pasted, in bytes.
const maxEntry = 16 << 10

// QuestionDialog asks one question. Make one with NewQuestion.
type QuestionDialog struct {
	guarded
	question Question
	done     func(Answer)

	entry  string
	marked int // the option that Enter takes; -1 before the arrows have been used
	top    int // the first row of the text that is shown
	page   int // rows of text that are shown
	rows   []textRow
	moved  bool // the arrows have marked another option
	width  int  // for which rows are
	height int
}

var _ Dialog = (*QuestionDialog)(nil)

// NewQuestion returns a dialog that calls done with the answer, once. It takes input
// some time after its first Draw; see Wake.
func NewQuestion(styles Styles, q Question, now func() time.Time, done func(Answer)) *QuestionDialog {
	d := &QuestionDialog{guarded: newGuarded(styles, now), question: q, done: done, marked: -1}
	d.takeKey, d.takePaste, d.scroll = d.key, d.pasted, d.scrollBy
	return d
}

// pasted takes a paste: it goes into a line, and answers nothing.
func (d *QuestionDialog) pasted(text string) {
	if d.Writing() {
		line, _, _ := strings.Cut(strings.ReplaceAll(text, "\r", "\n"), "\n")
		d.insert(line)
	}
}

// Writing implements [Dialog]: the answer is written.
func (d *QuestionDialog) Writing() bool { return d.question.Kind == Secret || d.question.Kind == Line }

func (d *QuestionDialog) key(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		d.answer(Answer{})
		return
	case tcell.KeyPgUp:
		d.scroll(-max(1, d.page-1))
		return
	case tcell.KeyPgDn:
		d.scroll(max(1, d.page-1))
		return
	}
	switch d.question.Kind {
	case Secret, Line:
		d.entryKey(ev)
	case Choice:
		d.choiceKey(ev)
	default:
		d.confirmKey(ev)
	}
}

// confirmKey takes a key of a question for yes or no. One that answers stands
// alone.
func (d *QuestionDialog) confirmKey(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyUp:
		d.scroll(-1)
	case tcell.KeyDown:
		d.scroll(1)
	default:
		yes, no := letter(ev) == 'y' && d.seen(), letter(ev) == 'n' || ev.Key() == tcell.KeyEnter
		meaning := ""
		switch {
		case yes:
			meaning = "y yes"
		case no:
			meaning = "n no"
		}
		d.decide(meaning, func() {
			if no || yes && d.guard.Calm() {
				d.answer(Answer{Given: yes})
			}
		})
	}
}

// choiceKey takes a key of a choice. One that answers stands alone.
func (d *QuestionDialog) choiceKey(ev *tcell.EventKey) {
	n := len(d.question.Options)
	switch ev.Key() {
	case tcell.KeyUp:
		d.marked, d.moved = max(d.marked-1, 0), true
	case tcell.KeyDown:
		d.marked, d.moved = min(d.marked+1, n-1), true
	default:
		chosen := -1
		for i := range n {
			if letter(ev) == rune('1'+i) || ev.Key() == tcell.KeyEnter && d.marked == i {
				chosen = i
			}
		}
		meaning := ""
		if chosen >= 0 {
			meaning = strconv.Itoa(chosen + 1)
		}
		d.decide(meaning, func() {
			if chosen >= 0 && d.guard.Calm() {
				d.answer(Answer{Given: true, Option: chosen})
			}
		})
	}
}

func (d *QuestionDialog) entryKey(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEnter:
		if d.guard.Calm() {
			d.answer(Answer{Given: true, Text: d.entry})
		}
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(d.entry)
		d.entry = d.entry[:len(d.entry)-n]
	case tcell.KeyCtrlU:
		d.entry = ""
	case tcell.KeyRune:
		if r := letter(ev); r != 0 {
			d.insert(string(r))
		}
	}
}

func (d *QuestionDialog) insert(text string) {
	if len(d.entry)+len(text) <= maxEntry {
		d.entry += text
	}
}

func (d *QuestionDialog) scrollBy(by int) { d.top = max(0, min(d.top+by, len(d.rows)-d.page)) }

// seen reports whether the last line of the text is or was on the screen.
func (d *QuestionDialog) seen() bool { return len(d.rows) > 0 && d.top+d.page >= len(d.rows) }

// answer ends the dialog.
func (d *QuestionDialog) answer(a Answer) {
	d.answered = true
	d.entry = ""
	d.done(a)
}
