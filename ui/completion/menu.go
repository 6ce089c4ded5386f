package completion

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// Candidate is what a word can become.
type Candidate struct {
	Text string // what is shown; foreign text
	Note string // shown at the right: what it is, or why it cannot be used now
	Put  string // what takes the word's place, with its mark
	// More says that it is a part of a longer name, which is written on.
	More bool
}

// Found are the candidates from one source.
type Found struct {
	All  []Candidate
	Note string // what was left out, and why; empty if nothing was
}

// Menu is what is offered for one word. Its zero value is closed.
type Menu struct {
	word   Word
	open   bool
	awaits bool // more candidates come
	all    []Candidate
	note   string
	at     int
	chosen bool // the operator has marked what is marked
	wanted bool // what comes first is to be put in at once
	shut   Word // for which the operator wants none
}

// mostRows is how many candidates are shown at once.
const mostRows = 8

// Begin opens the menu for a word with the candidates that are known at once. It
// reports whether the word is another one than before, and wanted; only then is it
// asked for more, which Add brings if awaits says so.
func (m *Menu) Begin(w Word) bool {
	if m.open && w == m.word {
		return false
	}
	if m.shut.Kind == w.Kind && m.shut.Start == w.Start && m.shut.Row == w.Row && m.shut.Of == w.Of {
		return false
	}
	*m = Menu{word: w, open: true}
	return true
}

// Set brings the candidates that are known at once. awaits says that Add brings
// more.
func (m *Menu) Set(f Found, awaits bool) {
	m.all, m.note, m.awaits = f.All, f.Note, awaits
}

// Add brings more candidates for a word. It is nothing if that is another one by
// now. It reports whether the operator wanted the first one already.
func (m *Menu) Add(w Word, f Found) (take bool) {
	if !m.open || w != m.word || !m.awaits {
		return false
	}
	m.all, m.awaits = append(m.all, f.All...), false
	if f.Note != "" {
		m.note = f.Note
	}
	return m.wanted && len(m.all) > 0
}

// Close closes the menu; the next word opens it again.
func (m *Menu) Close() { *m = Menu{shut: m.shut} }

// Forget forgets that the operator wanted no candidates.
func (m *Menu) Forget() { *m = Menu{} }

// Dismiss closes the menu until another word is written.
func (m *Menu) Dismiss() { *m = Menu{shut: m.word} }

// Open reports whether there is something to show or to wait for.
func (m *Menu) Open() bool { return m.open && (len(m.all) > 0 || m.note != "" || m.awaits) }

// Chosen reports whether the operator has marked a candidate himself.
func (m *Menu) Chosen() bool { return m.Open() && m.chosen }

// Move marks another candidate.
func (m *Menu) Move(by int) {
	if n := len(m.all); n > 0 {
		m.at, m.chosen = ((m.at+by)%n+n)%n, true
	}
}

// Take is the marked candidate, and the word that it replaces. If it is not there
// yet, Add says when it is.
func (m *Menu) Take() (Candidate, Word, bool) {
	if m.at >= len(m.all) {
		m.wanted = m.awaits
		return Candidate{}, Word{}, false
	}
	return m.all[m.at], m.word, true
}

// Draw draws the menu above row bottom, at most height rows high.
func (m *Menu) Draw(s tcell.Screen, x, bottom, width, height int, styles *screen.Styles) {
	if !m.Open() || width < 4 {
		return
	}
	note := m.note
	if note == "" && m.awaits && len(m.all) == 0 {
		note = "looking …"
	}
	if (note != "" || len(m.all) > min(mostRows, height)) && height > 0 {
		height--
		bottom--
		m.drawNote(s, x, bottom, width, note, len(m.all)-min(mostRows, height), styles)
	}
	rows := min(len(m.all), mostRows, height)
	top := max(0, min(m.at-rows/2, len(m.all)-rows))
	for i := range rows {
		m.drawRow(s, x, bottom-rows+i, width, top+i, styles)
	}
}

// drawNote draws what is to be said of the candidates, and how many of them are out
// of sight.
func (m *Menu) drawNote(s tcell.Screen, x, y, width int, note string, hidden int, styles *screen.Styles) {
	screen.Fill(s, x, y, width, 1, " ", styles.Bar)
	room := width - 3
	if hidden > 0 {
		count := fmt.Sprintf("%d more", hidden)
		room -= len(count) + 2
		screen.Draw(s, x+width-1-len(count), y, min(len(count), width), count, styles.Bar)
	}
	screen.Draw(s, x+2, y, room, screen.Cut(screen.Clean(note), room), styles.Bar)
}

func (m *Menu) drawRow(s tcell.Screen, x, y, width, i int, styles *screen.Styles) {
	c, style, sign := m.all[i], styles.Bar, "  "
	if i == m.at {
		style, sign = styles.Selection, "› "
	}
	screen.Fill(s, x, y, width, 1, " ", style)
	used := screen.Draw(s, x, y, width, sign, style)
	used += screen.Draw(s, x+used, y, width-used-1, screen.Cut(screen.Clean(c.Text), width-used-1), style)
	room := width - used - 3
	if note := screen.Clean(c.Note); note != "" && room >= min(screen.Width(note), 12) {
		note = screen.Cut(note, room)
		screen.Draw(s, x+width-1-screen.Width(note), y, room, note, style)
	}
}
