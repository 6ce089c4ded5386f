package decision

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/ui/screen"
)

// The least size in which a question can be asked. Below it the dialog says so,
// and nothing can be approved.
const (
	minWidth  = 30
	minHeight = 8
	minBody   = 2 // rows for what would run
)

// Draw implements tview.Primitive.
func (d *Approval) Draw(s tcell.Screen) {
	x, y, width, height := d.GetRect()
	if width <= 0 || height <= 0 {
		return
	}
	d.resized(width, height)
	screen.Fill(s, x, y, width, height, " ", d.styles.Text)
	d.guard.Paint(d.now())
	d.noteReady()
	if d.small = width < minWidth || height < minHeight; d.small {
		screen.Draw(s, x, y, width, "too small to ask: n denies", d.styles.Warn)
		return
	}
	d.frame(s, x, y, width, height)
	inner := width - 4
	foot, state := d.foot(inner, d.footLimit(height))
	d.page = height - 3 - len(foot)
	if d.mode == editing {
		d.drawEditor(s, x+2, y+1, inner, d.page)
	} else {
		d.drawBody(s, x+2, y+1, inner)
		if d.keep.shown && len(foot) > 0 {
			foot[state] = d.state() // which the body has just decided
		}
	}
	at := y + 1 + d.page
	d.rule(s, x, at, width)
	d.drawFoot(s, x+2, at+1, inner, foot)
	switch d.mode {
	case naming, reasoning:
		d.drawField(s, x+2, at+1+state, inner)
	case asking:
		s.HideCursor()
	}
}

// resized takes note of the size in which the dialog is drawn. A new one rearms it.
func (d *Approval) resized(width, height int) {
	if width != d.width || height != d.height {
		if !d.own || width != d.width { // the operator's own key has made it higher or lower
			d.Rearm()
		}
		d.width, d.height, d.rows = width, height, nil
	}
	d.own = false
}

// drawFoot draws the lines below what scrolls, and takes note of the keys in them.
func (d *Approval) drawFoot(s tcell.Screen, x, y, width int, foot []line) {
	d.spots = d.spots[:0]
	for i, l := range foot {
		l.draw(s, x, y+i, width)
		d.noteKeys(l, x, y+i)
	}
}

// frame draws the border with the place in it, and how much there is to read.
func (d *Approval) frame(s tcell.Screen, x, y, width, height int) {
	style := d.styles.Frame
	screen.Fill(s, x+1, y, width-2, 1, "─", style)
	screen.Fill(s, x+1, y+height-1, width-2, 1, "─", style)
	screen.Fill(s, x, y+1, 1, height-2, "│", style)
	screen.Fill(s, x+width-1, y+1, 1, height-2, "│", style)
	for _, c := range []struct {
		x, y int
		sign string
	}{{x, y, "┌"}, {x + width - 1, y, "┐"}, {x, y + height - 1, "└"}, {x + width - 1, y + height - 1, "┘"}} {
		s.Put(c.x, c.y, c.sign, style)
	}
	title, size := policy.Title(d.request), d.size()
	room := width - 4
	if screen.Width(title)+screen.Width(size)+4 <= room {
		screen.Draw(s, x+width-3-screen.Width(size), y, room, " "+size+" ", style)
	}
	if cut := d.cutTitle(width); cut != d.titleCut {
		d.titleCut, d.rows = cut, nil
	}
	screen.Draw(s, x+1, y, room+2, " "+screen.Cut(title, room)+" ", style.Bold(true))
}

func (d *Approval) rule(s tcell.Screen, x, y, width int) {
	screen.Fill(s, x+1, y, width-2, 1, "─", d.styles.Border)
	s.Put(x, y, "├", d.styles.Frame)
	s.Put(x+width-1, y, "┤", d.styles.Frame)
	if more := len(d.rows) - d.top - d.page; more > 0 && d.mode != editing {
		text := fmt.Sprintf(" %d more below ", more)
		screen.Draw(s, x+width-2-screen.Width(text), y, screen.Width(text), text, d.styles.Warn)
	}
}

// size says how much there is to read: "214 B · 3 lines · 9f2c1a2b".
func (d *Approval) size() string {
	bytes, lines := 0, 0
	for _, s := range d.request.Sections() {
		bytes += len(s.Text)
		lines += strings.Count(s.Text, "\n") + 1
	}
	word := "lines"
	if lines == 1 {
		word = "line"
	}
	return fmt.Sprintf("%d B · %d %s · %s", bytes, lines, word, d.request.Action.Digest().Short())
}

// drawBody draws the rows that scroll and notes which of what would run have
// been seen.
func (d *Approval) drawBody(s tcell.Screen, x, y, width int) {
	if d.rows == nil {
		d.rows = d.compose(width)
	}
	d.scroll(0)
	for i := range min(d.page, len(d.rows)-d.top) {
		r := d.rows[d.top+i]
		if r.cells == nil && r.note != "" {
			line{text: r.note, style: r.style, parts: r.parts}.draw(s, x, y+i, width)
			continue
		}
		used := screen.Draw(s, x, y+i, width, r.gutter, d.styles.Muted)
		d.drawCells(s, x+used, y+i, r)
		if r.note != "" { // in the margin
			used += len(r.cells) + marginGap
			screen.Draw(s, x+used, y+i, width-used, r.note, d.styles.Warn)
		}
	}
	switch {
	case d.keep.shown:
		d.keep.seen = d.unread.see(d.rowsOf(width), d.onScreen(), len(d.rows)) || d.keep.seen
	case !d.explains:
		d.seen = d.unread.see(d.rowsOf(width), d.onScreen(), d.must) || d.seen
	}
}

// onScreen are the rows that are drawn.
func (d *Approval) onScreen() []row {
	return d.rows[min(d.top, len(d.rows)):max(min(d.top+d.page, len(d.rows)), min(d.top, len(d.rows)))]
}

// drawCells draws exact text; what is not printable stands out, but blanks do not.
// What is marked is underlined.
func (d *Approval) drawCells(s tcell.Screen, x, y int, r row) {
	for i, c := range r.cells {
		style := r.style
		switch {
		case c.Sign:
			style = d.styles.Danger
		case c.Blank:
			style = d.styles.Muted
		}
		if c.Offset >= r.from && c.Offset < r.to {
			style = style.Underline(true).Bold(true)
		}
		s.SetContent(x+i, y, c.Rune, nil, style)
	}
}

// drawEditor draws the command that is edited, around the cursor.
func (d *Approval) drawEditor(s tcell.Screen, x, y, width, height int) {
	rows, cx, cy := d.field.rows(width)
	top := max(0, min(cy-height/2, len(rows)-height))
	for i := range min(height, len(rows)-top) {
		d.drawCells(s, x, y+i, row{cells: rows[top+i].Cells, style: d.styles.Text})
	}
	s.ShowCursor(x+cx, y+cy-top)
}

// drawField draws the one line that is written, over the state line.
func (d *Approval) drawField(s tcell.Screen, x, y, width int) {
	label := "reason: "
	if d.mode == naming {
		label = "type " + show.Text(d.request.Confirm) + ", then Enter: "
		if screen.Width(label) > width-show.MinWidth {
			label = "name: "
		}
	}
	screen.Fill(s, x, y, width, 1, " ", d.styles.Text)
	used := screen.Draw(s, x, y, width, label, d.styles.Accent)
	if d.mode == reasoning { // in the operator's own script: nothing runs it
		text, cx := d.field.around(width - used)
		screen.Draw(s, x+used, y, width-used, text, d.styles.Text)
		s.ShowCursor(x+used+cx, y)
		return
	}
	rows, cx, cy := d.field.rows(width - used)
	if len(rows) > 0 {
		d.drawCells(s, x+used, y, row{cells: rows[cy].Cells, style: d.styles.Text})
	}
	s.ShowCursor(x+used+cx, y)
}

// Height is how many rows the dialog needs to show everything, at most so many, in a
// width.
func (d *Approval) Height(width, most int) int {
	inner := width - 4
	if width < minWidth || most < minHeight {
		return most
	}
	of := shape{inner, d.mode == editing, d.keep.shown, d.explains, d.folded, d.look.state(), d.trial.state(), d.void, d.link}
	if d.wanted.shape != of || d.wanted.rows == 0 {
		try := *d // as it would be with all the rows that it wants
		try.rest, try.titleCut, try.look, try.trial = nil, d.cutTitle(width), d.look.copy(), d.trial.copy()
		rows := len(try.compose(inner))
		if of.editing {
			lines, _, _ := d.field.rows(inner)
			rows = max(rows, len(lines)+1)
		}
		try.mode, try.explains = asking, false // fields need no more than the keys
		rows += len(try.opinions(inner)) + len(try.keys(inner)) + 1
		if d.void != "" {
			rows += len(d.voided(inner, mostOpinion)) - 1
		}
		d.wanted = wanted{of, rows + 3}
	}
	return min(max(d.wanted.rows, minHeight), most)
}

// shape is what the height depends on.
type shape struct {
	width                      int
	editing, keeping, explains bool
	folded                     bool
	look, trial                lookState
	void, link                 string
}

// wanted is how many rows a shape of the dialog needs.
type wanted struct {
	shape
	rows int
}

// cutTitle reports whether the frame has no room for all of the title.
func (d *Approval) cutTitle(width int) bool {
	return screen.Width(policy.Title(d.request)) > width-4
}
