package decision

import "fmt"

// rowSet is which of a list of rows have been on the screen. It begins anew with
// another list.
type rowSet struct {
	list rowList
	seen []bool
	left int // not seen
}

// rowList tells lists of rows from each other.
type rowList struct {
	width, rows int
	rule        bool // that of "always"
}

func (d *Approval) rowsOf(width int) rowList { return rowList{width, d.must, d.keep.shown} }

// see notes that a page of the list is on the screen, and reports whether all of
// its first rows have been.
func (s *rowSet) see(list rowList, top, page, rows int) bool {
	if s.list != list || len(s.seen) != rows {
		*s = rowSet{list: list, seen: make([]bool, rows), left: rows}
	}
	for i := max(0, top); i < min(top+page, rows); i++ {
		if !s.seen[i] {
			s.seen[i] = true
			s.left--
		}
	}
	return s.left == 0
}

// whither says how many of the first rows have not been on the screen, and which
// key goes there.
func (d *Approval) whither(rows int) (key, left string) {
	key = "PgDn"
	for i := range min(d.top, rows, len(d.unread.seen)) {
		if !d.unread.seen[i] {
			key = "PgUp"
			break
		}
	}
	word := "rows"
	if d.unread.left == 1 {
		word = "row"
	}
	return key, fmt.Sprintf("%d %s more", d.unread.left, word)
}
