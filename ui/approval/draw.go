package approval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/typeahead"
)

// The least size in which a question can be asked. Below it the dialog says so,
// and nothing can be approved.
const (
	minWidth  = 30
	minHeight = 8
	minBody   = 3 // rows for what would run
)

// line is one line of the part that does not scroll.
type line struct {
	text  string
	style tcell.Style
	more  bool // it goes on with what the line before says
}

// Draw implements tview.Primitive.
func (d *Dialog) Draw(s tcell.Screen) {
	x, y, width, height := d.GetRect()
	if width <= 0 || height <= 0 {
		return
	}
	if width != d.width || height != d.height {
		d.width, d.height, d.rows = width, height, nil
		d.Rearm()
	}
	screen.Fill(s, x, y, width, height, " ", d.styles.Text)
	d.guard.Paint(d.now())
	d.noteReady()
	if d.small = width < minWidth || height < minHeight; d.small {
		screen.Draw(s, x, y, width, "too small to ask: n denies", d.styles.Warn)
		return
	}
	d.frame(s, x, y, width, height)
	inner := width - 4
	foot := d.foot(inner, min(height-3-minBody, height/2))
	d.page = height - 3 - len(foot)
	if d.mode == editing {
		d.drawEditor(s, x+2, y+1, inner, d.page)
	} else {
		d.drawBody(s, x+2, y+1, inner)
		if d.keep.shown && len(foot) > 0 {
			foot[0] = d.state() // which the body has just decided
		}
	}
	at := y + 1 + d.page
	d.rule(s, x, at, width)
	for i, l := range foot {
		screen.Draw(s, x+2, at+1+i, inner, l.text, l.style)
	}
	if d.mode == naming || d.mode == reasoning {
		d.drawField(s, x+2, at+1, inner)
	}
	if d.mode == asking {
		s.HideCursor()
	}
}

// frame draws the border with the place in it, and how much there is to read.
func (d *Dialog) frame(s tcell.Screen, x, y, width, height int) {
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
	if cut := screen.Width(title)+2 > room; cut != d.titleCut {
		d.titleCut, d.rows = cut, nil
	}
	screen.Draw(s, x+1, y, room+2, " "+screen.Cut(title, room)+" ", style.Bold(true))
}

func (d *Dialog) rule(s tcell.Screen, x, y, width int) {
	screen.Fill(s, x+1, y, width-2, 1, "─", d.styles.Border)
	s.Put(x, y, "├", d.styles.Frame)
	s.Put(x+width-1, y, "┤", d.styles.Frame)
	if more := len(d.rows) - d.top - d.page; more > 0 && d.mode != editing {
		text := fmt.Sprintf(" %d more below ", more)
		screen.Draw(s, x+width-2-screen.Width(text), y, screen.Width(text), text, d.styles.Warn)
	}
}

// size says how much there is to read: "214 B · 3 lines · 9f2c1a2b".
func (d *Dialog) size() string {
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
func (d *Dialog) drawBody(s tcell.Screen, x, y, width int) {
	if d.rows == nil {
		switch {
		case d.keep.shown:
			d.rows = d.keepRows(width)
		case d.explains:
			d.rows = d.explanation(width)
		default:
			d.rows = d.body(width)
			d.must = len(d.rows)
			d.rows = d.looked(d.rows, width)
			if d.look != nil && !d.look.shown {
				d.look.shown, d.top = true, d.must
			}
		}
	}
	d.scroll(0)
	for i := range min(d.page, len(d.rows)-d.top) {
		r := d.rows[d.top+i]
		if r.cells == nil && r.note != "" {
			screen.Draw(s, x, y+i, width, r.note, r.style)
			continue
		}
		used := screen.Draw(s, x, y+i, width, r.gutter, d.styles.Muted)
		d.drawCells(s, x+used, y+i, r.cells, r.style)
	}
	switch {
	case d.keep.shown:
		d.keep.seen = d.unread.see(d.rowsOf(width), d.top, d.page, len(d.rows)) || d.keep.seen
	case !d.explains:
		d.seen = d.unread.see(d.rowsOf(width), d.top, d.page, d.must) || d.seen
	}
}

// drawCells draws exact text; what is not printable stands out, but blanks do not.
func (d *Dialog) drawCells(s tcell.Screen, x, y int, cells []show.Cell, plain tcell.Style) {
	for i, c := range cells {
		style := plain
		switch {
		case c.Sign:
			style = d.styles.Danger
		case c.Blank:
			style = d.styles.Muted
		}
		s.SetContent(x+i, y, c.Rune, nil, style)
	}
}

// drawEditor draws the command that is edited, around the cursor.
func (d *Dialog) drawEditor(s tcell.Screen, x, y, width, height int) {
	rows, cx, cy := d.field.rows(width)
	top := max(0, min(cy-height/2, len(rows)-height))
	for i := range min(height, len(rows)-top) {
		d.drawCells(s, x, y+i, rows[top+i].Cells, d.styles.Text)
	}
	s.ShowCursor(x+cx, y+cy-top)
}

// drawField draws the one line that is written, over the state line.
func (d *Dialog) drawField(s tcell.Screen, x, y, width int) {
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
		d.drawCells(s, x+used, y, rows[cy].Cells, d.styles.Text)
	}
	s.ShowCursor(x+used+cx, y)
}

// foot is what does not scroll, at most that many lines: first the state, last
// the keys, and between them the most important there is room for.
func (d *Dialog) foot(width, limit int) []line {
	state, keys := []line{d.state()}, d.keys(width)
	if d.void != "" && d.mode != editing && !d.explains {
		state = d.voided(width, max(1, limit-len(keys)))
	}
	room := limit - len(state) - len(keys)
	if d.link != "" && d.void == "" && d.mode == asking && !d.explains && room < 2 { // behind what nod says
		state = []line{{text: screen.Cut("! "+show.Text(d.link), width), style: d.styles.Warn.Bold(true)}}
	}
	said := d.opinions(width)
	fit := min(len(said), max(0, room))
	for fit > 0 && fit < len(said) && said[fit].more { // what is said stays in one piece
		fit--
	}
	if d.mode == asking && !d.explains {
		d.leave(said[fit:])
	}
	return append(append(state, said[:fit]...), keys...)
}

// leave puts what there is no room for below what would run: it is read before
// anything is approved.
func (d *Dialog) leave(rest []line) {
	if slices.Equal(rest, d.rest) {
		return
	}
	d.rest, d.rows, d.seen, d.unread = rest, nil, false, rowSet{}
}

// voided says why there is nothing to approve any more.
func (d *Dialog) voided(width, limit int) []line {
	style := d.styles.Danger.Bold(true)
	if all := folded("void: ", show.Text(d.void), width, style); len(all) <= limit {
		return all
	}
	return []line{{text: screen.Cut("void: "+show.Text(d.void), width), style: style}}
}

// opinions are what nod and the model say. The disagreement comes before what the
// model says; what is cut, x shows.
func (d *Dialog) opinions(width int) []line {
	r := d.request
	all := []line{{text: "nod says    " + verdictText(r.Verdict), style: d.level(r.Verdict.Level).Bold(true)}}
	if screen.Width(all[0].text) > width {
		all = folded("nod says    ", verdictText(r.Verdict), width, all[0].style)
	}
	if d.link != "" {
		all = append(all, folded("! ", show.Text(d.link)+"; while it is so, nothing can run there", width, d.styles.Warn.Bold(true))...)
	}
	if r.Hasty != "" {
		all = append(all, folded("! ", r.Hasty, width, d.styles.Danger.Bold(true))...)
	}
	all = append(all, d.wayBack(width)...)
	if !r.Operator {
		model, disagreement := d.styles.Text, d.styles.Warn
		if r.Understated {
			model, disagreement = d.styles.Warn, d.styles.Danger
		}
		if r.Disagreement != "" {
			all = append(all, folded("! ", r.Disagreement, width, disagreement.Bold(true))...)
		}
		all = append(all, folded("model says  ", policy.ClaimText(r), width, model)...)
	}
	return all
}

// mostOpinion is how many lines one opinion takes of those for what would run.
const mostOpinion = 4

// folded is a text in as many lines as it needs and may take, with a label
// before the first.
func folded(label, text string, width int, style tcell.Style) []line {
	indent, words := screen.Width(label), label != "! " // a warning's first line is better than none
	rows := screen.Fold(text, width-indent)
	if len(rows) > mostOpinion {
		rows[mostOpinion-1] = screen.Cut(rows[mostOpinion-1]+" "+rows[mostOpinion], width-indent)
		rows = rows[:mostOpinion]
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		lines[i] = line{label + row, style, i > 0 && words}
		label = strings.Repeat(" ", indent)
	}
	return lines
}

// state says what a key is about to do, or what is missing for an approval, and that
// keys were thrown away, in the longest words that there is room for.
func (d *Dialog) state() line {
	if part, deciding := d.guard.Filled(d.now()); deciding && d.mode == asking && d.pressed != "" {
		text := d.pressed + " " + typeahead.Bar(part)
		return line{text: fitting(d.width-4, []string{text + " any other key cancels", text}), style: d.styles.Accent.Bold(true)}
	}
	words, style := d.missing()
	if d.guard.Burst() && d.mode == asking {
		style = d.styles.Warn.Bold(true)
		brief := "no answer · " + words[len(words)-1]
		for i, text := range words {
			words[i] = typeahead.NoAnswer + " · " + text
		}
		words = append(words, brief)
	}
	return line{text: fitting(d.width-4, words), style: style}
}

// fitting is the first of texts that fits a width, or the last.
func fitting(width int, texts []string) string {
	for _, text := range texts {
		if screen.Width(text) <= width {
			return text
		}
	}
	return texts[len(texts)-1]
}

// missing says what is missing for an approval, at length and in brief.
func (d *Dialog) missing() ([]string, tcell.Style) {
	s := &d.styles
	switch {
	case d.mode == editing:
		return []string{"Enter proposes it anew · Alt-Enter new line · Esc back", "Enter ok · ^J new line · Esc back", "Enter ok · Esc back"}, s.Accent
	case d.keep.shown:
		return d.keepState()
	case d.explains:
		return []string{"x or Esc: back to what would run", "x or Esc: back"}, s.Accent
	case d.guard.Approves(d.now()) > 0:
		return []string{"read first: keys count in a moment", "read first: a moment"}, s.Muted
	case !d.seen:
		key, left := d.whither(d.must)
		return []string{"to approve, see all of it (" + key + ", " + left + ")", "to approve: " + key + ", " + left, key + ", " + left}, s.Warn
	case d.request.Confirm != "" && !d.named:
		name := show.Text(d.request.Confirm)
		return []string{"to approve, press y and type " + name, "y, then type " + name, "y, then type the name"}, s.Warn
	case d.request.Confirm != "":
		return []string{"the name is typed: y approves", "named: y approves"}, s.Warn
	case !d.request.Verdict.Level.AtLeast(risk.Medium):
		return []string{"y approves"}, s.Muted
	}
	return []string{"y approves"}, s.Text
}

// roomy is the width from which the keys are named in full.
const roomy = 60

// keys are the keys that do something now, in as many lines as they need. Deny
// has the focus.
func (d *Dialog) keys(width int) []line {
	name := func(full, brief string) string {
		if width < roomy {
			return brief
		}
		return full
	}
	if d.mode != asking { // letters are text
		text := "Enter takes it · Esc back"
		if d.mode == editing {
			text = "what you type goes into the text"
		}
		return []line{{text: screen.Cut(text, width), style: d.styles.Accent}}
	}
	var words []string
	if d.void == "" && !d.explains {
		words = append(words, name("y approve", "y yes"))
		if d.offers(policy.Conversation) {
			words = append(words, name("c approve, also again", "c again"))
		}
		if d.offers(policy.Always) {
			words = append(words, "a always")
		}
	}
	if d.void == "" && d.request.Revert != nil && !d.explains {
		words = append(words, name("r approve with a revert", "r revert"))
	}
	words = append(words, name("[n deny]", "[n no]"))
	if _, ok := d.editable(); ok {
		words = append(words, "e edit")
	}
	words = append(words, name("d deny with reason", "d why"))
	if d.explains {
		words = append(words, "x back")
	} else {
		words = append(words, name("x explain", "x more"))
	}
	if d.looker != nil && d.look == nil {
		words = append(words, name("p preview", "p look"))
	}
	gap := name("   ", " ")
	var lines []line
	text := ""
	for _, w := range words {
		if text != "" && len(text)+len(gap)+len(w) > width {
			lines = append(lines, line{text: text, style: d.styles.Accent})
			text = ""
		}
		if text != "" {
			text += gap
		}
		text += w
	}
	return append(lines, line{text: text, style: d.styles.Accent})
}
