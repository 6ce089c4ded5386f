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
	Keys *keys.Table // what is listed

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
	title, keys, text string
	muted             bool // not available at the moment
}

const (
	keyColumn = 34 // cells for the keys, where the text stands beside them
	besides   = 64 // cells from which it does; below, it stands under them
	indent    = 2  // of a text under its keys
)

// rows is the list for a width. Nothing is cut: what does not fit goes on in the
// next row.
func rows(t *keys.Table, f keys.Facts, width int) []row {
	var all []row
	for i, g := range t.Groups(f) {
		if i > 0 {
			all = append(all, row{})
		}
		all = append(all, row{title: g.Title})
		for _, e := range g.Entries {
			all = append(all, entry(e, width)...)
		}
	}
	return all
}

func entry(e keys.Entry, width int) []row {
	text := e.Text
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	var all []row
	if width < besides {
		for _, l := range screen.Fold(e.Keys, width) {
			all = append(all, row{keys: l})
		}
		for _, l := range screen.Fold(text, width-indent) {
			all = append(all, row{text: l, muted: e.Reason != ""})
		}
		return all
	}
	left, right := screen.Fold(e.Keys, keyColumn-1), screen.Fold(text, width-keyColumn)
	for i := range max(len(left), len(right)) {
		r := row{muted: e.Reason != ""}
		if i < len(left) {
			r.keys = left[i]
		}
		if i < len(right) {
			r.text = right[i]
		}
		all = append(all, r)
	}
	return all
}

// Draw draws the overlay into a rectangle, with its own frame.
func (o *Overlay) Draw(s tcell.Screen, x, y, width, height int, f keys.Facts, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	all := rows(o.Keys, f, width-4)
	title := "help"
	if len(all) > height-2 {
		title = "help · PgDn scrolls"
	}
	screen.Frame(s, x, y, width, height, title, "Esc closes", styles.Focus)
	o.height, o.rows = max(height-2, 0), len(all)
	o.Scroll(0)
	screen.Below(s, x, y, width, height, o.rows-o.top-o.height, styles.Warn)
	x, y, width, height = x+2, y+1, width-4, height-2
	for i := 0; i < height && o.top+i < len(all); i++ {
		drawRow(s, x, y+i, width, all[o.top+i], styles)
	}
}

func drawRow(s tcell.Screen, x, y, width int, r row, styles *screen.Styles) {
	if r.title != "" {
		screen.Draw(s, x, y, width, r.title, styles.Heading)
		return
	}
	style := styles.Text
	if r.muted {
		style = styles.Muted
	}
	at := indent
	if width >= besides {
		at = keyColumn
	}
	screen.Draw(s, x, y, width, r.keys, styles.Accent)
	if r.text != "" {
		screen.Draw(s, x+at, y, width-at, r.text, style)
	}
}
