package approval

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/screen"
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
}

// Draw implements tview.Primitive.
func (d *Dialog) Draw(s tcell.Screen) {
	x, y, width, height := d.GetRect()
	if width <= 0 || height <= 0 {
		return
	}
	if width != d.width || height != d.height {
		d.width, d.height, d.rows = width, height, nil
		d.guard.rearm()
	}
	screen.Fill(s, x, y, width, height, " ", d.styles.Text)
	d.guard.paint(d.now())
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

// drawBody draws the rows that scroll and notes whether the last one of what
// would run has been seen.
func (d *Dialog) drawBody(s tcell.Screen, x, y, width int) {
	if d.rows == nil {
		if d.explains {
			d.rows = d.explanation(width)
		} else {
			d.rows = d.body(width)
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
		drawCells(s, x+used, y+i, r.cells, r.style, d.styles.Danger)
	}
	if !d.explains && d.top+d.page >= len(d.rows) {
		d.seen = true
	}
}

// drawCells draws exact text; its signs stand out.
func drawCells(s tcell.Screen, x, y int, cells []show.Cell, plain, sign tcell.Style) {
	for i, c := range cells {
		style := plain
		if c.Sign {
			style = sign
		}
		s.SetContent(x+i, y, c.Rune, nil, style)
	}
}

// drawEditor draws the command that is edited, around the cursor.
func (d *Dialog) drawEditor(s tcell.Screen, x, y, width, height int) {
	rows, cx, cy := d.field.rows(width)
	top := max(0, min(cy-height/2, len(rows)-height))
	for i := range min(height, len(rows)-top) {
		drawCells(s, x, y+i, rows[top+i].Cells, d.styles.Text, d.styles.Danger)
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
	rows, cx, cy := d.field.rows(width - used)
	if len(rows) > 0 {
		drawCells(s, x+used, y, rows[cy].Cells, d.styles.Text, d.styles.Danger)
	}
	s.ShowCursor(x+used+cx, y)
}

// foot is what does not scroll, at most that many lines: first the state, last
// the keys, and between them the most important there is room for.
func (d *Dialog) foot(width, limit int) []line {
	state, keys := d.state(), d.keys(width)
	room := limit - 1 - len(keys)
	lines := append([]line{state}, d.opinions(width, max(0, room))...)
	return append(lines, keys...)
}

// opinions are what nod and the model say, at most that many lines. The
// disagreement comes before what the model says; what is cut, x shows.
func (d *Dialog) opinions(width, room int) []line {
	r := d.request
	all := []line{{"nod says    " + verdictText(r.Verdict), d.level(r.Verdict.Level).Bold(true)}}
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
	return all[:min(len(all), room)]
}

// mostOpinion is how many lines one opinion takes of those for what would run.
const mostOpinion = 4

// folded is a text in as many lines as it needs and may take, with a label
// before the first.
func folded(label, text string, width int, style tcell.Style) []line {
	indent := screen.Width(label)
	rows := screen.Fold(text, width-indent)
	if len(rows) > mostOpinion {
		rows[mostOpinion-1] = screen.Cut(rows[mostOpinion-1]+" "+rows[mostOpinion], width-indent)
		rows = rows[:mostOpinion]
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		lines[i] = line{label + row, style}
		label = strings.Repeat(" ", indent)
	}
	return lines
}

// state says what is missing for an approval.
func (d *Dialog) state() line {
	switch {
	case d.mode == editing:
		return line{"Enter proposes it anew · Alt-Enter new line · Esc back", d.styles.Accent}
	case d.explains:
		return line{"x or Esc: back to what would run", d.styles.Accent}
	case d.guard.approves(d.now()) > 0:
		return line{"read first: keys count in a moment", d.styles.Muted}
	case !d.seen:
		return line{"to approve, scroll to the last line (PgDn)", d.styles.Warn}
	case d.request.Confirm != "" && !d.named:
		return line{"to approve, press y and type " + show.Text(d.request.Confirm), d.styles.Warn}
	case d.request.Confirm != "":
		return line{"the name is typed: y approves", d.styles.Warn}
	case !d.request.Verdict.Level.AtLeast(risk.Medium):
		return line{"y approves", d.styles.Muted}
	}
	return line{"y approves", d.styles.Text}
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
	words := []string{name("y approve", "y yes")}
	if d.offers(policy.Conversation) {
		words = append(words, name("c approve, also again", "c again"))
	}
	words = append(words, name("[n deny]", "[n no]"))
	if _, ok := d.editable(); ok {
		words = append(words, "e edit")
	}
	words = append(words, name("d deny with reason", "d why"), name("x explain", "x more"))
	gap := name("   ", " ")
	var lines []line
	text := ""
	for _, w := range words {
		if text != "" && len(text)+len(gap)+len(w) > width {
			lines = append(lines, line{text, d.styles.Accent})
			text = ""
		}
		if text != "" {
			text += gap
		}
		text += w
	}
	return append(lines, line{text, d.styles.Accent})
}
