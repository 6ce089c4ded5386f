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

// see notes that rows are on the screen, and reports whether all that are to be read
// have been: so many.
func (s *rowSet) see(list rowList, shown []row, rows int) bool {
	if s.list != list || len(s.seen) != rows {
		*s = rowSet{list: list, seen: make([]bool, rows), left: rows}
	}
	for _, r := range shown {
		if i := r.number - 1; i >= 0 && i < rows && !s.seen[i] {
			s.seen[i] = true
			s.left--
		}
	}
	return s.left == 0
}

// whither says how many of the rows that are to be read have not been on the screen, and
// which key goes there.
func (d *Approval) whither() (key, left string) {
	key = "PgDn"
	if d.folded && !d.keep.shown {
		key = "f" // what is folded can be seen nowhere else
	}
	for _, r := range d.rows[:min(d.top, len(d.rows))] {
		if i := r.number - 1; i >= 0 && i < len(d.unread.seen) && !d.unread.seen[i] {
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
