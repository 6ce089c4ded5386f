package decision

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// The least size in which a question can be asked.
const (
	leastWidth  = 24
	leastHeight = 6
)

// Height is how many rows the dialog needs in a width, at most so many.
func (d *QuestionDialog) Height(width, most int) int {
	if width < leastWidth || most < leastHeight {
		return most
	}
	d.renew()
	return min(max(len(d.body(width-4))+3+len(d.foot(width-4)), leastHeight), most)
}

// Draw implements tview.Primitive. The dialog takes as many rows of its
// rectangle as it needs, at the bottom.
func (d *QuestionDialog) Draw(s tcell.Screen) {
	x, y, width, height := d.GetRect()
	if width <= 0 || height <= 0 {
		return
	}
	if width < leastWidth || height < leastHeight {
		screen.Fill(s, x, y, width, height, " ", d.styles.Text)
		screen.Draw(s, x, y, width, "too small to ask", d.styles.Warn)
		d.guard.Rearm() // nothing may be answered that cannot be read
		return
	}
	d.renew()
	d.resized(width, height)
	foot := d.foot(width - 4)
	body := min(len(d.rows), height-3-len(foot))
	d.page = max(body, 1)
	d.scroll(0)
	if d.moved {
		d.moved = false
		d.showMarked()
	}
	used := d.page + 3 + len(foot)
	y, used = y+max(0, height-used), min(used, height)
	screen.Fill(s, x, y, width, used, " ", d.styles.Text)
	screen.Frame(s, x, y, width, used, screen.Cut(screen.Clean(d.question.Title), width-6), d.more(), d.styles.Frame)
	d.bodyAt, d.hintAt = y+1, y+1+d.page+len(foot)
	d.drawBody(s, x+2, y+1, width-4)
	for i, l := range foot {
		screen.Draw(s, x+2, y+2+d.page+i, width-4, l.text, l.style)
		if l.entry {
			s.ShowCursor(x+2+screen.Width(l.text), y+2+d.page+i)
		}
	}
	d.guard.Paint(d.now())
}

// renew takes over what stands below the text at the moment. That it is higher for it is no
// reason to have the operator wait again.
func (d *QuestionDialog) renew() {
	if d.question.More == nil {
		return
	}
	if now := d.question.More(); now != d.below {
		d.grown = d.width > 0
		d.below, d.width = now, 0
	}
}

// resized takes note of the size in which the dialog is drawn. A new one rearms it, but
// where what is written has made it higher.
func (d *QuestionDialog) resized(width, height int) {
	if width != d.width || height != d.height {
		d.width, d.height = width, height
		d.rows = d.body(width - 4)
		if !d.grown {
			d.guard.Rearm()
		}
	}
	d.grown = false
}

// showMarked scrolls to the option that the arrows mark.
func (d *QuestionDialog) showMarked() {
	for i, r := range d.rows {
		if r.option == d.marked+1 {
			d.top = max(min(d.top, i), i-d.page+1)
		}
	}
}

// drawBody draws the rows that scroll.
func (d *QuestionDialog) drawBody(s tcell.Screen, x, y, width int) {
	for i := range min(d.page, len(d.rows)-d.top) {
		r := d.rows[d.top+i]
		style, text := d.styles.Text, r.text
		if r.option > 0 && r.option == d.marked+1 {
			style = d.styles.Accent.Bold(true)
			if d.rows[d.top+i-1].option != r.option { // its first row; the text stands before it
				text = strings.Replace(text, " ", "›", 1)
			}
		}
		screen.Draw(s, x, y+i, width, text, style)
	}
}

// textRow is a row of the part that scrolls.
type textRow struct {
	text   string
	option int // it belongs to this one, counted from 1; 0: to the text
}

// body is the text in rows of a width, line by line, and behind it the options.
func (d *QuestionDialog) body(width int) []textRow {
	var rows []textRow
	said := strings.TrimRight(d.question.Text, "\n")
	if d.below != "" {
		said += "\n" + d.below
	}
	for line := range strings.SplitSeq(said, "\n") {
		for _, text := range screen.Fold(screen.Clean(line), width) {
			rows = append(rows, textRow{text: text})
		}
	}
	if d.question.Kind != Choice {
		return rows
	}
	options := d.question.Options[:min(len(d.question.Options), MaxOptions)]
	if d.question.Free {
		options = append(slices.Clone(options), "something else: write your own answer")
	}
	for i, o := range options {
		if i == 0 {
			rows = append(rows, textRow{})
		}
		label := fmt.Sprintf("  %s  ", d.digit(i))
		for _, text := range screen.Fold(screen.Clean(o), width-len(label)) {
			rows = append(rows, textRow{label + text, i + 1})
			label = strings.Repeat(" ", len(label))
		}
	}
	return rows
}

// more says how much of the text is below.
func (d *QuestionDialog) more() string {
	if below := len(d.rows) - d.top - d.page; below > 0 {
		return fmt.Sprintf("%d more below", below)
	}
	return ""
}

// footRow is a row under the text.
type footRow struct {
	text  string
	style tcell.Style
	entry bool // the cursor stands behind it
}

// foot are the rows under the text: what is written, and the keys.
func (d *QuestionDialog) foot(width int) []footRow {
	var rows []footRow
	switch {
	case d.question.Kind == Secret:
		n := min(utf8.RuneCountInString(d.entry), width-3)
		rows = append(rows, footRow{"> " + strings.Repeat("•", n), d.styles.Accent, true})
	case d.Writing():
		rows = append(rows, footRow{"> " + tail(screen.Clean(d.entry), width-3), d.styles.Accent, true})
	}
	return append(rows, footRow{text: screen.Cut(d.hint(), width), style: d.styles.Muted})
}

// tail is the end of a text that fits a width.
func tail(text string, width int) string {
	for screen.Width(text) > width {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	return text
}

// hint names the keys that do something now, and says that keys were thrown away.
func (d *QuestionDialog) hint() string {
	if text := d.deciding(d.width - 4); text != "" {
		return text
	}
	if d.guard.Burst() {
		return NoAnswer + " · " + d.keys()
	}
	return d.keys()
}

func (d *QuestionDialog) keys() string {
	switch {
	case d.guard.Approves(d.now()) > 0:
		return "read first: keys count in a moment"
	case d.own:
		return "Enter sends it   Esc back to the options"
	case d.Writing():
		return "Enter sends it   Esc gives up"
	case d.question.Kind == Choice && d.marked >= 0:
		return "Enter takes it   a digit chooses   Esc"
	case d.question.Kind == Choice && len(d.rows) > d.page:
		return "a digit chooses   PgDn more   Esc"
	case d.question.Kind == Choice:
		return "a digit chooses   Esc gives up"
	case !d.seen():
		return "scroll to the last line: PgDn   " + noWord
	}
	return "y yes   " + noWord
}
