package chooser

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/sahilm/fuzzy"
)

// Row is an entry of the list.
type Row struct {
	Name   string // what a choice is told by; unique
	Text   string // what is shown
	Lead   int    // so many bytes of the text are its name, and bold
	Group  string // what it belongs to: a title above the first of a group, while nothing is typed
	Note   string // shown at the right: keys, a date
	Also   string // other words that it is found by, which are not shown
	Reason string // why it cannot be chosen at the moment; empty if it can
}

// What says what a key did.
type What uint8

// What keys do.
const (
	Nothing What = iota
	Moved        // another row is marked
	Chosen       // the marked row is wanted
	Closed       // nothing is wanted
)

// Event is what a key did, and the row that it is about; its zero value is
// nothing.
type Event struct {
	What What
	Row  Row
}

// maxFilter bounds what is typed, in bytes.
const maxFilter = 256

// Chooser is the list, what is typed and what is marked.
type Chooser struct {
	title, hint string
	rows        []Row
	filter      string
	shown       []match
	at          int // in shown
	top         int // the first line that is drawn
	page        int // lines that are drawn
}

// match is a row that fits what is typed, and the bytes that do; those behind
// its text are in the note.
type match struct {
	row  Row
	hits []int
}

// New returns a list. The title stands in its frame and the hint, which may be
// empty, below it.
func New(title, hint string, rows []Row) *Chooser {
	c := &Chooser{title: title, hint: hint}
	c.Set(rows)
	return c
}

// Set replaces the rows. What is typed and marked stays.
func (c *Chooser) Set(rows []Row) {
	marked, _ := c.marked()
	c.rows = slices.Clone(rows)
	c.match()
	c.Mark(marked.Name)
}

// Mark marks the row of a name, if it is shown.
func (c *Chooser) Mark(name string) {
	if at := slices.IndexFunc(c.shown, func(m match) bool { return m.row.Name == name }); at >= 0 {
		c.at = at
	}
}

// texts are what is typed is matched with, as package fuzzy wants it: a row's
// text, and behind it the note, which a narrow screen does not show, and other words.
type texts []Row

func (t texts) String(i int) string { return t[i].Text + " " + t[i].Note + " " + t[i].Also }
func (t texts) Len() int            { return len(t) }

// match finds the rows that fit what is typed, and marks the first of them.
func (c *Chooser) match() {
	c.shown, c.at, c.top = nil, 0, 0
	pattern := strings.Join(strings.Fields(c.filter), "")
	if pattern == "" {
		for _, r := range c.rows {
			c.shown = append(c.shown, match{row: r})
		}
		return
	}
	for _, m := range fuzzy.FindFrom(pattern, texts(c.rows)) {
		found := match{c.rows[m.Index], m.MatchedIndexes}
		if hits, whole := wordsIn(texts(c.rows).String(m.Index), c.filter); whole {
			found.hits = hits
		}
		c.shown = append(c.shown, found)
	}
	slices.SortStableFunc(c.shown, func(a, b match) int { return c.distance(a.row) - c.distance(b.row) })
}

// distance is how far a row that was found is from what is typed: its name or the word that
// it has for the command line begins with that, the name holds all words of it, the rest of
// the row does, or only its letters are there. What cannot be chosen comes behind what can, but
// before rows that have nothing but the letters.
func (c *Chooser) distance(r Row) int {
	typed := strings.ToLower(strings.Join(strings.Fields(c.filter), " "))
	d := 6
	if name := strings.ToLower(r.Text[:r.Lead]); name != "" && strings.HasPrefix(name, typed) || r.Also != "" && strings.HasPrefix(r.Also, typed) {
		d = 0
	} else if _, in := wordsIn(name, typed); in {
		d = 1
	} else if _, in := wordsIn(r.Text+" "+r.Note+" "+r.Also, typed); in {
		d = 2
	}
	if r.Reason != "" {
		d += 3
	}
	return d
}

// wordsIn reports whether a text holds each word that was typed in one piece,
// and which bytes of it they are.
func wordsIn(text, typed string) (hits []int, all bool) {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(typed)) {
		at := strings.Index(text, word)
		if at < 0 {
			return nil, false
		}
		for i := range len(word) {
			hits = append(hits, at+i)
		}
	}
	return hits, true
}

func (c *Chooser) marked() (Row, bool) {
	if c.at >= len(c.shown) {
		return Row{}, false
	}
	return c.shown[c.at].row, true
}

// Key takes a key.
func (c *Chooser) Key(ev *tcell.EventKey) Event {
	if by, ok := c.motion(ev.Key()); ok {
		return c.move(by)
	}
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		if c.filter == "" {
			return Event{What: Closed}
		}
		return c.refilter("")
	case tcell.KeyEnter:
		if row, ok := c.marked(); ok && row.Reason == "" {
			return Event{Chosen, row}
		}
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(c.filter)
		return c.refilter(c.filter[:len(c.filter)-n])
	case tcell.KeyCtrlU:
		return c.refilter("")
	case tcell.KeyRune:
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0 {
			return c.Insert(string(ev.Rune()))
		}
	}
	return Event{}
}

// motion is by how many rows a key moves; ok is false for a key that does not.
func (c *Chooser) motion(key tcell.Key) (by int, ok bool) {
	switch key {
	case tcell.KeyUp, tcell.KeyBacktab, tcell.KeyCtrlP, tcell.KeyCtrlK:
		return -1, true
	case tcell.KeyDown, tcell.KeyTab, tcell.KeyCtrlN, tcell.KeyCtrlJ:
		return 1, true
	case tcell.KeyPgUp:
		return -max(c.page-1, 1), true
	case tcell.KeyPgDn:
		return max(c.page-1, 1), true
	case tcell.KeyHome:
		return -len(c.shown), true
	case tcell.KeyEnd:
		return len(c.shown), true
	}
	return 0, false
}

// Insert adds the first line of a text to what is typed: a paste.
func (c *Chooser) Insert(text string) Event {
	line, _, _ := strings.Cut(strings.ReplaceAll(text, "\r", "\n"), "\n")
	if len(c.filter)+len(line) > maxFilter {
		return Event{}
	}
	return c.refilter(c.filter + line)
}

func (c *Chooser) refilter(filter string) Event {
	if filter == c.filter {
		return Event{}
	}
	before, _ := c.marked()
	c.filter = filter
	c.match()
	return c.movedFrom(before)
}

func (c *Chooser) move(by int) Event {
	before, _ := c.marked()
	c.at = max(0, min(c.at+by, len(c.shown)-1))
	return c.movedFrom(before)
}

func (c *Chooser) movedFrom(before Row) Event {
	row, ok := c.marked()
	if !ok || row.Name == before.Name {
		return Event{}
	}
	return Event{Moved, row}
}
