package chooser

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// Draw draws the list into a rectangle, with its own frame.
func (c *Chooser) Draw(s tcell.Screen, x, y, width, height int, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	screen.Frame(s, x, y, width, height, c.title, "Esc closes", styles.Focus)
	frame := [4]int{x, y, width, height}
	x, y, width, height = x+2, y+1, width-4, height-2
	if width < 1 || height < 1 {
		return
	}
	used := screen.Draw(s, x, y, width, "> "+screen.Clean(c.filter), styles.Accent)
	s.ShowCursor(x+min(used, width-1), y)
	last := 1 // rows below the list
	if c.hint == "" && len(c.shown) > 0 {
		last = 0
	}
	c.page = max(height-1-last, 0)
	lines, first, at := c.lines()
	c.top = max(min(c.top, first, len(lines)-c.page), at-c.page+1, 0)
	for i := 0; i < c.page && c.top+i < len(lines); i++ {
		if l := lines[c.top+i]; l.title != "" {
			screen.Draw(s, x, y+1+i, width, screen.Cut(l.title, width), styles.Heading)
		} else {
			drawRow(s, x, y+1+i, width, c.shown[l.row], l.row == c.at, styles)
		}
	}
	screen.Below(s, frame[0], frame[1], frame[2], frame[3], len(lines)-c.top-c.page, styles.Warn)
	if last == 0 || height < 2 {
		return
	}
	hint := c.hint
	if len(c.shown) == 0 {
		hint = "nothing fits; Ctrl-U begins anew"
	}
	screen.Draw(s, x, y+height-1, width, screen.Cut(hint, width), styles.Muted)
}

// listLine is a line of the list: a row, or the title of a group.
type listLine struct {
	title string
	row   int
}

// lines are all lines of the list; at is that of the marked row, and first is the one
// that is to be seen with it: its group's title, if that stands right above.
func (c *Chooser) lines() (lines []listLine, first, at int) {
	group := ""
	for i, m := range c.shown {
		titled := c.filter == "" && m.row.Group != "" && m.row.Group != group
		if group = m.row.Group; titled {
			lines = append(lines, listLine{title: group})
		}
		if i == c.at {
			first, at = len(lines), len(lines)
			if titled {
				first--
			}
		}
		lines = append(lines, listLine{row: i})
	}
	return lines, first, at
}

// leastText is how many cells a row's text keeps beside its note.
const leastText = 24

// drawRow draws a row: its text, with the letters that were typed, then why it
// cannot be chosen, and at the right its note. The text gives way to the two, to
// the note only as far as half of the row.
func drawRow(s tcell.Screen, x, y, width int, m match, marked bool, styles *screen.Styles) {
	text, hit, side, sign := styles.Text, styles.Accent, styles.Muted, "  "
	if m.row.Reason != "" {
		text, hit = styles.Muted, styles.Muted
	}
	if marked {
		text, hit, side, sign = styles.Selection, styles.Selection, styles.Selection, "› "
		screen.Fill(s, x, y, width, 1, " ", text)
	}
	at := screen.Draw(s, x, y, width, sign, text)
	lead := at
	note, reason := screen.Clean(m.row.Note), ""
	if m.row.Reason != "" {
		reason = " (" + screen.Clean(m.row.Reason) + ")"
	}
	noted := screen.Width(note) + 2 // cells
	room := width - at - min(screen.Width(reason), width/2)
	whole := screen.Clean(m.row.Text)
	switch fits := screen.Width(whole)+noted <= room; {
	case note == "", !fits && room-noted < max(leastText, width/2):
		noted = 0
	}
	room -= noted
	shown := screen.Cut(whole, room)
	if whole != m.row.Text {
		at += screen.Draw(s, x+at, y, width-at, shown, text) // where letters stand is not known any more
	} else {
		kept := strings.TrimSuffix(shown, "…") // the rest of a row that is cut is only this sign
		if shown == whole || !strings.HasPrefix(whole, kept) {
			kept = shown
		}
		at += drawHits(s, x+at, y, kept, m.hits, text, hit)
		at += screen.Draw(s, x+at, y, width-at, shown[len(kept):], text)
	}
	if m.row.Lead > 0 && whole == m.row.Text {
		embolden(s, x+lead, y, min(screen.Width(m.row.Text[:m.row.Lead]), at-lead))
	}
	screen.Draw(s, x+at, y, width-at-noted, screen.Cut(reason, width-at-noted), side)
	if noted > 0 {
		screen.Draw(s, x+width-noted+2, y, noted-2, note, side)
	}
}

// embolden makes cells bold.
func embolden(s tcell.Screen, x, y, cells int) {
	for i := 0; i < cells; i++ {
		text, style, n := s.Get(x+i, y)
		s.Put(x+i, y, text, style.Bold(true))
		i += max(n-1, 0)
	}
}

// drawHits draws a text that fits, character by character where letters of it
// were typed.
func drawHits(s tcell.Screen, x, y int, text string, hits []int, style, hit tcell.Style) int {
	if len(hits) == 0 {
		return screen.Draw(s, x, y, screen.Width(text), text, style)
	}
	for _, r := range text {
		if r >= utf8.RuneSelf { // characters may be made of several: not taken apart
			return screen.Draw(s, x, y, screen.Width(text), text, style)
		}
	}
	for i := range len(text) {
		look := style
		if slices.Contains(hits, i) {
			look = hit
		}
		screen.Draw(s, x+i, y, 1, text[i:i+1], look)
	}
	return len(text)
}
