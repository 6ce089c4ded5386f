// Package help draws the overlay that lists everything the operator can do,
// from the table of package keys.
package help

import (
	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// Overlay is the list and how far it is scrolled. The zero value shows its
// beginning. It belongs to one goroutine.
type Overlay struct {
	top    int
	height int // rows of the last Draw
	rows   int
}

// Page scrolls by screens.
func (o *Overlay) Page(n int) { o.Scroll(n * max(o.height-1, 1)) }

// Scroll scrolls by rows.
func (o *Overlay) Scroll(n int) { o.top = max(min(o.top+n, o.rows-o.height), 0) }

// row is a row of the list; title rows have no text.
type row struct {
	title, keys, text, reason string
}

func rows(f keys.Facts) []row {
	var all []row
	for i, g := range keys.Groups(f) {
		if i > 0 {
			all = append(all, row{})
		}
		all = append(all, row{title: g.Title})
		for _, e := range g.Entries {
			all = append(all, row{keys: e.Keys, text: e.Text, reason: e.Reason})
		}
	}
	return all
}

// Draw draws the overlay into a rectangle, with its own frame.
func (o *Overlay) Draw(s tcell.Screen, x, y, width, height int, f keys.Facts, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	all := rows(f)
	title := "help"
	if len(all) > height-2 {
		title = "help · PgUp PgDn scroll"
	}
	screen.Frame(s, x, y, width, height, title, "Esc closes", styles.Focus)
	x, y, width, height = x+2, y+1, width-4, height-2
	o.height, o.rows = max(height, 0), len(all)
	o.Scroll(0)
	column := min(34, width/2)
	for i := 0; i < height && o.top+i < len(all); i++ {
		o.drawRow(s, x, y+i, width, column, all[o.top+i], styles)
	}
}

func (o *Overlay) drawRow(s tcell.Screen, x, y, width, column int, r row, styles *screen.Styles) {
	if r.title != "" {
		screen.Draw(s, x, y, width, r.title, styles.Heading)
		return
	}
	style := styles.Text
	text := r.text
	if r.reason != "" {
		style = styles.Muted
		text += " (" + r.reason + ")"
	}
	screen.Draw(s, x, y, column-1, screen.Cut(r.keys, column-1), styles.Accent)
	screen.Draw(s, x+column, y, width-column, screen.Cut(text, width-column), style)
}
