package mirror

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/keys"
)

// maxMatches bounds the memory of a search. The newest are kept.
const maxMatches = 100_000

// finder is a search. What is found belongs to the held picture.
type finder struct {
	writing bool   // the operator writes what to search for
	draft   string // what he has written
	pattern string // what was searched for last

	found []match // the newest first
	at    int     // the chosen one in found; -1 for none
	note  string  // how it was reached, if that is not plain

	before before  // what it goes back to when it is given up
	begun  reading // where it began
}

// match is a piece of text, from its first to its last cell.
type match struct{ from, to point }

// before is what was shown before a search.
type before struct {
	read     reading
	scrolled bool
	top      uint64
	pattern  string
	found    []match
	at       int
	note     string
}

// Searching reports whether the operator writes what to search for.
func (m *Mirror) Searching() bool { return m.find.writing }

// Searched reports whether there is something to search for again.
func (m *Mirror) Searched() bool { return m.find.pattern != "" }

// beginSearch opens the search line. It searches upwards from the reading
// cursor, or from the last line in view, wherever the program's cursor is.
func (m *Mirror) beginSearch() {
	was := before{m.read, m.scrolled, m.top, m.find.pattern, m.find.found, m.find.at, m.find.note}
	if !m.hold(false) {
		return
	}
	if was.read.held == nil {
		_, _, width, height := m.GetInnerRect()
		s := m.read.held
		m.read.cursor = point{min(m.view(width, height).line+height, s.Lines()) - 1, s.Size.Cols - 1}
	}
	m.find = finder{writing: true, pattern: m.find.pattern, at: -1, before: was, begun: m.read}
}

// cancelSearch closes the search line and goes back to where it was opened.
func (m *Mirror) cancelSearch() {
	was := m.find.before
	m.read, m.scrolled, m.top = was.read, was.scrolled, was.top
	m.find = finder{pattern: was.pattern, found: was.found, at: was.at, note: was.note}
}

// write carries out a command in the search line.
func (m *Mirror) write(id keys.ID) bool {
	switch id {
	case keys.Send:
		m.endSearch()
	case keys.DeleteBefore:
		m.setDraft("")
	case keys.DeleteWord:
		d := strings.TrimRightFunc(m.find.draft, unicode.IsSpace)
		m.setDraft(d[:strings.LastIndexFunc(d, unicode.IsSpace)+1])
	default:
		return false
	}
	return true
}

// insert adds text to the search line, up to the end of its line.
func (m *Mirror) insert(text string) {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	m.setDraft(m.find.draft + text)
}

// erase deletes the last character of the search line.
func (m *Mirror) erase() {
	last := 0
	g := uniseg.NewGraphemes(m.find.draft)
	for g.Next() {
		last, _ = g.Positions()
	}
	m.setDraft(m.find.draft[:last])
}

// setDraft searches for what is written so far.
func (m *Mirror) setDraft(draft string) {
	m.find.draft = draft
	m.read = m.find.begun
	m.look(draft, true, true)
}

// endSearch closes the search line and stays at the match. An empty line
// searches for the same as the last time.
func (m *Mirror) endSearch() {
	f := &m.find
	f.writing, f.before, f.begun = false, before{}, reading{}
	if f.draft != "" {
		f.pattern = f.draft
	} else if f.pattern != "" {
		m.look(f.pattern, true, true)
	} else {
		m.said = "nothing to search for"
		return
	}
	if len(f.found) == 0 {
		m.said = fmt.Sprintf("%q is not found", f.pattern)
	}
}

// nextMatch goes to the next match, upwards or downwards.
func (m *Mirror) nextMatch(up bool) {
	if m.find.pattern == "" || !m.hold(up) {
		return
	}
	m.look(m.find.pattern, up, false)
	if len(m.find.found) == 0 {
		m.said = fmt.Sprintf("%q is not found", m.find.pattern)
	}
}

// look finds all matches and goes to the nearest one above or below the reading
// cursor; here says that one at the cursor counts, too.
func (m *Mirror) look(pattern string, up, here bool) {
	f := &m.find
	f.found, f.at, f.note = findAll(m.read.held, pattern), -1, ""
	n := len(f.found)
	if n == 0 {
		return
	}
	c := m.read.cursor
	if up {
		f.at = sort.Search(n, func(i int) bool {
			return f.found[i].from.before(c) || here && f.found[i].from == c
		})
		if f.at == n {
			f.at, f.note = 0, "wrapped to the end"
		}
	} else {
		f.at = sort.Search(n, func(i int) bool { return !c.before(f.found[i].from) }) - 1
		if f.at < 0 {
			f.at, f.note = n-1, "wrapped to the top"
		}
	}
	m.show(f.found[f.at])
}

// show moves to a match. One that was out of sight comes to the middle.
func (m *Mirror) show(f match) {
	_, _, width, height := m.GetInnerRect()
	if v := m.view(width, height); f.from.line < v.line || f.to.line >= v.line+height {
		m.read.at.line = f.from.line - height/2
	}
	m.moveTo(f.to)
	m.moveTo(f.from)
}

// words says which match is chosen, from the top, and how it was reached.
func (f *finder) words() string {
	n := len(f.found)
	if n == 0 {
		return ""
	}
	all := fmt.Sprint(n)
	if n == maxMatches {
		all = fmt.Sprintf("the last %d", n)
	}
	words := fmt.Sprintf("match %d of %s", n-f.at, all)
	if f.note != "" {
		words += ", " + f.note
	}
	return words
}

// needle is a pattern as it is compared: without regard to case, unless the
// operator wrote a capital.
type needle struct {
	text []byte
	fold bool
}

func newNeedle(pattern string) needle {
	fold := strings.ToLower(pattern) == pattern
	return needle{[]byte(pattern), fold}
}

// findAll finds a pattern in a picture, the newest match first.
func findAll(s *vt.Snapshot, pattern string) []match {
	if pattern == "" {
		return nil
	}
	n := newNeedle(pattern)
	var found []match
	var text []byte
	for last := s.Lines() - 1; last >= 0; {
		first := textStart(s, last)
		text = text[:0]
		for i := first; i <= last; i++ {
			text = n.appendLine(text, s, i)
		}
		before := len(found)
		found = n.appendMatches(found, s, first, text)
		slices.Reverse(found[before:])
		if len(found) >= maxMatches {
			return found[:maxMatches:maxMatches]
		}
		last = first - 1
	}
	return found
}

// appendLine adds the text of line i as it is compared.
func (n needle) appendLine(text []byte, s *vt.Snapshot, i int) []byte {
	cells, _ := lineCells(s, i)
	from := len(text)
	text = s.AppendText(text, cells)
	if !n.fold || foldASCII(text[from:]) {
		return text
	}
	text = text[:from]
	for _, c := range cells {
		text = n.appendCell(text, s, c)
	}
	return text
}

// foldASCII makes capitals small. It reports whether there was nothing but
// ASCII.
func foldASCII(text []byte) bool {
	for i, b := range text {
		switch {
		case b >= utf8.RuneSelf:
			return false
		case b >= 'A' && b <= 'Z':
			text[i] = b + 'a' - 'A'
		}
	}
	return true
}

// appendCell adds the text of a cell as it is compared.
func (n needle) appendCell(text []byte, s *vt.Snapshot, c vt.Cell) []byte {
	r, more := s.Rune(c)
	switch {
	case c.Width() == 0:
		return text
	case more && n.fold:
		return append(text, strings.ToLower(s.Text(c))...)
	case more:
		return append(text, s.Text(c)...)
	case r < utf8.RuneSelf:
		if n.fold && r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(text, byte(r))
	case n.fold:
		r = unicode.ToLower(r)
	}
	return utf8.AppendRune(text, r)
}

// appendMatches adds the matches in a text that begins with line first.
func (n needle) appendMatches(found []match, s *vt.Snapshot, first int, text []byte) []match {
	walk := walker{n: n, s: s, p: point{line: first, col: -1}}
	for from := 0; ; {
		i := bytes.Index(text[from:], n.text)
		if i < 0 {
			return found
		}
		from += i
		begin := walk.to(from)
		from += len(n.text)
		found = append(found, match{begin, walk.to(from - 1)})
	}
}

// walker finds the cell that a byte of a text belongs to. It only goes forward.
type walker struct {
	n     needle
	s     *vt.Snapshot
	p     point // the present cell
	end   int   // the first byte that is not of it or before it
	cells []vt.Cell
	buf   []byte
}

func (w *walker) to(offset int) point {
	for w.end <= offset {
		if w.p.col < 0 {
			w.cells, _ = lineCells(w.s, w.p.line)
		}
		w.p.col++
		if w.p.col >= len(w.cells) {
			w.p = point{w.p.line + 1, -1}
			continue
		}
		w.buf = w.n.appendCell(w.buf[:0], w.s, w.cells[w.p.col])
		w.end += len(w.buf)
	}
	return w.p
}

// matchesIn are the matches that touch the lines from first to last.
func (f *finder) matchesIn(first, last int) []match {
	from := sort.Search(len(f.found), func(i int) bool { return f.found[i].from.line <= last })
	to := from
	for to < len(f.found) && f.found[to].to.line >= first {
		to++
	}
	return f.found[from:to]
}
