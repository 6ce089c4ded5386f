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

	below  string // what question.More has said last
	entry  string
	own    bool // the answer is written in the operator's own words
	grown  bool // that has changed how high the dialog is
	marked int  // the option that Enter takes; -1 before the arrows have been used
	top    int  // the first row of the text that is shown
	page   int  // rows of text that are shown
	rows   []textRow
	moved  bool // the arrows have marked another option
	width  int  // for which rows are
	height int
	bodyAt int // where the text and the keys stood at the last Draw
	hintAt int
}

var _ Dialog = (*QuestionDialog)(nil)

// NewQuestion returns a dialog that calls done with the answer, once. It takes input
// some time after its first Draw; see Wake.
func NewQuestion(styles Styles, q Question, now func() time.Time, done func(Answer)) *QuestionDialog {
	d := &QuestionDialog{guarded: newGuarded(styles, now), question: q, done: done, marked: -1}
	d.takeKey, d.takePaste, d.scroll, d.click = d.key, d.pasted, d.scrollBy, d.clicked
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
func (d *QuestionDialog) Writing() bool {
	return d.question.Kind == Secret || d.question.Kind == Line || d.own
}

// write begins or ends an answer in the operator's own words.
func (d *QuestionDialog) write(begin bool) { d.own, d.grown, d.entry = begin, true, "" }

func (d *QuestionDialog) key(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		if d.own { // back to the options
			d.write(false)
			return
		}
		d.answer(Answer{})
		return
	case tcell.KeyPgUp:
		d.scroll(-max(1, d.page-1))
		return
	case tcell.KeyPgDn:
		d.scroll(max(1, d.page-1))
		return
	}
	switch {
	case d.Writing():
		d.entryKey(ev)
	case d.question.Kind == Choice:
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
	n := d.options()
	switch ev.Key() {
	case tcell.KeyUp:
		d.marked, d.moved = max(d.marked-1, 0), true
	case tcell.KeyDown:
		d.marked, d.moved = min(d.marked+1, n-1), true
	default:
		chosen := -1
		for i := range n {
			if string(letter(ev)) == d.digit(i) || ev.Key() == tcell.KeyEnter && d.marked == i {
				chosen = i
			}
		}
		meaning := ""
		if chosen >= 0 {
			meaning = d.digit(chosen)
		}
		d.decide(meaning, func() {
			switch {
			case chosen < 0 || !d.guard.Calm():
			case chosen == len(d.question.Options):
				d.write(true)
			default:
				d.answer(Answer{Given: true, Option: chosen})
			}
		})
	}
}

// options is how many ways to answer a choice has.
func (d *QuestionDialog) options() int {
	n := len(d.question.Options)
	if d.question.Free {
		n++
	}
	return n
}

// digit is the key of an option: that of the operator's own words is a letter.
func (d *QuestionDialog) digit(i int) string {
	if i == len(d.question.Options) {
		return ownKey
	}
	return strconv.Itoa(i + 1)
}

// ownKey begins an answer in the operator's own words.
const ownKey = "w"

func (d *QuestionDialog) entryKey(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEnter:
		if d.guard.Calm() && (!d.own || strings.TrimSpace(d.entry) != "") {
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
