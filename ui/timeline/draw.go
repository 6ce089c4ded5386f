package timeline

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/result"
	"github.com/nod-console/nod/ui/screen"
)

// Most cells that the names of targets get, and those of a bar that its command needs.
const (
	mostNames = 24
	leastText = 8
	tail      = 2 // cells behind the command, so that the end of the bar is seen
)

// Draw draws the timeline into a rectangle, with its own frame.
func (t *Timeline) Draw(s tcell.Screen, x, y, width, height int, now time.Time, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	title := "timeline"
	if n := len(t.runs); n > 0 {
		title = fmt.Sprintf("timeline · %d of %d", t.at()+1, n)
		if t.zoom > 0 {
			title += fmt.Sprintf(" · ×%d", 1<<t.zoom)
		}
	}
	screen.Frame(s, x, y, width, height, title, "Esc closes", styles.Focus)
	x, y, width, height = x+2, y+1, width-4, height-2
	t.bars, t.page = nil, 0
	if width < 8 || height < 1 {
		return
	}
	if len(t.runs) == 0 {
		text := nothing
		if !t.asked {
			text = "looking at the record"
		}
		screen.Draw(s, x, y, width, screen.Cut(text, width), styles.Muted)
		return
	}
	below := min(2, height-1) // about the run with the cursor
	t.drawAbout(s, x, y+height-below, width, below, now, styles)
	names := t.namesWidth(width)
	w := t.window(width-names, now)
	if height-below < 2 {
		return
	}
	drawAxis(s, x+names, y, w, styles)
	t.drawRows(s, x, y+1, names, height-below-1, w, now, styles)
}

// namesWidth is how many cells the names of the targets get, with a blank behind.
func (t *Timeline) namesWidth(width int) int {
	longest := 0
	for _, r := range t.runs {
		longest = max(longest, screen.Width(screen.Clean(r.Target)))
	}
	return min(longest, mostNames, width/3) + 1
}

// drawRows draws as many rows as there is room for, the cursor's among them.
func (t *Timeline) drawRows(s tcell.Screen, x, y, names, height int, w window, now time.Time, styles *screen.Styles) {
	bars, rows := t.layOut(w, now)
	at := 0
	for _, b := range bars {
		if b.run == t.at() {
			at = b.row
		}
	}
	t.page = height
	t.top = max(min(t.top, at, len(rows)-height), at-height+1, 0)
	for i := 0; i < height && t.top+i < len(rows); i++ {
		if r := rows[t.top+i]; r.first || i == 0 {
			screen.Draw(s, x, y+i, names-1, screen.Cut(screen.Clean(r.target), names-1), styles.Heading)
		}
	}
	for i := range bars {
		b := &bars[i]
		if b.row < t.top || b.row >= t.top+height {
			continue
		}
		from, to := max(b.from, 0), min(b.to, w.cells-1)
		b.x, b.y, b.width = x+names+from, y+b.row-t.top, to-from+1
		drawBar(s, *b, t.runs[b.run], b.run == t.at(), styles)
	}
	t.bars = bars
	if more := len(rows) - t.top - height; more > 0 && height > 0 {
		text := fmt.Sprintf("%d more below", more)
		screen.Draw(s, x, y+height-1, names-1, screen.Cut(text, names-1), styles.Warn)
	}
}

// style is the colour of a state.
func style(state State, styles *screen.Styles) tcell.Style {
	switch state {
	case OK:
		return styles.OK
	case Failed:
		return styles.Danger
	case Running:
		return styles.Accent
	case Interrupted, Unknown:
		return styles.Warn
	case Denied:
	}
	return styles.Muted
}

// drawBar draws a bar: its sign, its command where there is room, and how far it goes.
func drawBar(s tcell.Screen, b bar, r Run, marked bool, styles *screen.Styles) {
	look := style(r.State, styles)
	if marked {
		look = styles.Selection
	}
	used := screen.Draw(s, b.x, b.y, b.width, r.State.Sign(), look)
	if b.width >= leastText {
		room := b.width - used - tail - 1 // a blank before it, and one behind if there is room
		used += screen.Draw(s, b.x+used, b.y, room+1, " "+screen.Cut(r.what(), room)+" ", look)
	}
	for ; used < b.width; used++ {
		s.Put(b.x+used, b.y, "━", look)
	}
}

// labelCells is how far the times on the axis stand from each other.
const labelCells = 12

// drawAxis draws the times of the clock, and where a pause is cut.
func drawAxis(s tcell.Screen, x, y int, w window, styles *screen.Styles) {
	form := time.TimeOnly
	if first, _ := w.time(w.from); len(w.pieces) > 0 {
		if last, _ := w.time(w.from + w.span); last.Sub(first) > 20*time.Hour {
			form = "02 Jan 15h"
		}
	}
	for cell := 0; cell < w.cells; cell++ {
		sign := "─"
		if _, within := w.time(w.place(cell)); !within {
			sign = "⋯"
		}
		s.Put(x+cell, y, sign, styles.Border)
	}
	before := ""
	for cell := 0; cell+len(form) <= w.cells; cell += labelCells {
		when, within := w.time(w.place(cell))
		if label := when.Local().Format(form); within && label != before {
			screen.Draw(s, x+cell, y, w.cells-cell, label+" ", styles.Muted)
			before = label
		}
	}
}

// drawAbout says in one or two lines which run has the cursor.
func (t *Timeline) drawAbout(s tcell.Screen, x, y, width, height int, now time.Time, styles *screen.Styles) {
	r, ok := t.Cursor()
	if !ok || height < 1 {
		return
	}
	used := screen.Draw(s, x, y, width, r.State.Sign()+" ", style(r.State, styles))
	screen.Draw(s, x+used, y, width-used, screen.Cut(r.what(), width-used), styles.Text)
	if height < 2 {
		return
	}
	if t.said != "" {
		screen.Draw(s, x, y+1, width, screen.Cut(t.said, width), styles.Warn)
		return
	}
	facts := []string{screen.Clean(r.outcome())}
	if r.State != Denied {
		facts = append(facts, result.Duration(r.took(now)))
	}
	facts = append(facts, r.Began.Local().Format(time.TimeOnly), screen.Clean(r.Target))
	if r.Recorded && r.State != Denied {
		facts = append(facts, "Enter replays it")
	}
	screen.Draw(s, x, y+1, width, screen.Cut(strings.Join(facts, " · "), width), styles.Muted)
}
