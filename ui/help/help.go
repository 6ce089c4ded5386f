// Package help draws the overlay that lists everything the operator can do,
// from the table of package keys.
package help

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// Overlay is the list and how far it is scrolled. The zero value shows its
// beginning. It belongs to one goroutine.
type Overlay struct {
	Keys *keys.Table // what is listed
	Here keys.Place  // where the operator stands: what means something there alone comes early; 0: nowhere

	searching bool   // what is typed narrows the list
	filter    string // words that an entry must have
	top       int
	height    int // rows of the last Draw
	rows      int
}

// Page scrolls by screens.
func (o *Overlay) Page(n int) { o.Scroll(n * max(o.height-1, 1)) }

// Scroll scrolls by rows.
func (o *Overlay) Scroll(n int) { o.top = max(min(o.top+n, o.rows-o.height), 0) }

// Ends scrolls to the beginning, or to the end for a positive number.
func (o *Overlay) Ends(n int) { o.Scroll(n * o.rows) }

// Search begins to narrow the list by what is typed.
func (o *Overlay) Search() { o.searching = true }

// Searching reports whether what is typed narrows the list.
func (o *Overlay) Searching() bool { return o.searching }

// Key takes a key while the list is narrowed: Enter keeps what was typed, Esc takes it
// back.
func (o *Overlay) Key(ev *tcell.EventKey) {
	switch ev.Key() {
	case tcell.KeyEnter:
		o.searching = false
	case tcell.KeyEscape, tcell.KeyCtrlC:
		o.searching, o.filter = false, ""
	case tcell.KeyCtrlU:
		o.filter = ""
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(o.filter)
		o.filter = o.filter[:len(o.filter)-n]
	case tcell.KeyUp:
		o.Scroll(-1)
	case tcell.KeyDown:
		o.Scroll(1)
	case tcell.KeyRune:
		if len(o.filter) < maxFilter {
			o.filter += string(ev.Rune())
		}
	}
}

// Clear takes back what narrows the list, and reports whether anything did.
func (o *Overlay) Clear() bool {
	was := o.filter != ""
	o.filter = ""
	return was
}

// maxFilter bounds what is typed, in bytes.
const maxFilter = 128

// row is a row of the list; title rows have no text.
type row struct {
	title, name, keys, text string
	muted                   bool // not available at the moment
}

const (
	keyColumn = 36 // cells for name and keys, where the text stands beside them
	besides   = 66 // cells from which it does; below, it stands under them
	indent    = 2  // of a text under its keys
)

// list is the list for a width. Nothing is cut: what does not fit goes on in the
// next row.
func (o *Overlay) list(f keys.Facts, width int) []row {
	var all []row
	groups := o.Keys.Groups(f)
	if o.Here != 0 && o.filter == "" {
		here := o.Keys.Here(o.Here, f)
		for i := range groups { // each is said once
			groups[i].Entries = slices.DeleteFunc(groups[i].Entries, func(e keys.Entry) bool { return slices.Contains(here.Entries, e) })
		}
		groups = slices.Insert(groups, 0, here)
	}
	for _, g := range groups {
		var rows []row
		for _, e := range g.Entries {
			if o.fits(e) {
				rows = append(rows, entry(e, width)...)
			}
		}
		if len(rows) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, row{})
		}
		all = append(append(all, row{title: g.Title}), rows...)
	}
	if len(all) == 0 {
		all = []row{{text: "nothing has these words; Esc shows all"}}
	}
	return all
}

// fits reports whether an entry has all the words that were typed.
func (o *Overlay) fits(e keys.Entry) bool {
	text := strings.ToLower(e.Name + " " + e.Keys + " " + e.Text)
	for _, word := range strings.Fields(strings.ToLower(o.filter)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func entry(e keys.Entry, width int) []row {
	text := e.Text
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	column := width
	if width >= besides {
		column = keyColumn - 1
	}
	all := named(e, column)
	for i, l := range screen.Fold(text, width-textColumn(width)) {
		if width < besides || i == len(all) {
			all = append(all, row{})
		}
		at := i
		if width < besides {
			at = len(all) - 1
		}
		all[at].text = l
	}
	for i := range all {
		all[i].muted = e.Reason != ""
	}
	return all
}

// named are a command's name and its keys in a column of a width: beside each other if
// there is room.
func named(e keys.Entry, width int) []row {
	room := width - screen.Width(e.Name) - indent
	if screen.Width(e.Keys) <= room {
		return []row{{name: e.Name, keys: e.Keys}}
	}
	all := []row{{name: e.Name}}
	for _, l := range screen.Fold(e.Keys, width-indent) {
		all = append(all, row{keys: l})
	}
	return all
}

// textColumn is where the text stands in a width.
func textColumn(width int) int {
	if width >= besides {
		return keyColumn
	}
	return indent
}

// Draw draws the overlay into a rectangle, with its own frame.
func (o *Overlay) Draw(s tcell.Screen, x, y, width, height int, f keys.Facts, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	all := o.list(f, width-4)
	title := "help · / searches"
	if len(all) > height-2 && width >= besides {
		title += " · PgDn scrolls"
	}
	if o.searching || o.filter != "" {
		title = "help with: " + screen.Clean(o.filter)
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
	at := screen.Draw(s, x, y, width, r.name, style.Bold(true)) + indent
	screen.Draw(s, x+at, y, width-at, r.keys, styles.Accent)
	if r.text != "" {
		at = textColumn(width)
		screen.Draw(s, x+at, y, width-at, r.text, style)
	}
}
