package decision

import "fmt"

const (
	// foldContext is how many rows stay beside a finding or a change.
	foldContext = 2
	// leastFold is from how many rows on a fold saves room.
	leastFold = 4
	// manyRows is from how many rows on findings are looked for by a key.
	manyRows = 16
)

// number tells the rows that are to be read from each other, whatever of them is folded.
func number(rows []row) []row {
	for i := range rows {
		rows[i].number = i + 1
	}
	return rows
}

// foldRows leaves out the rows between findings and changes, and says how many these are.
// What is folded has not been seen: it still wants to be, before anything is approved.
func (d *Approval) foldRows(rows []row) (left []row, hidden int) {
	keep := make([]bool, len(rows))
	marks := 0
	for i, r := range rows {
		if !r.mark && (r.cells != nil || r.note == "") {
			continue
		}
		if r.mark {
			marks++
		}
		for k := max(0, i-foldContext); k <= min(len(rows)-1, i+foldContext); k++ {
			keep[k] = true
		}
	}
	d.tabs = marks > 1 && len(rows) >= manyRows
	if marks == 0 { // there is nothing to fold around
		return rows, 0
	}
	for i := 0; i < len(rows); {
		n := 0
		for i+n < len(rows) && !keep[i+n] {
			n++
		}
		if n >= leastFold {
			left = append(left, row{note: fmt.Sprintf("⋯ %d rows without a finding or a change · f unfolds", n), style: d.styles.Muted})
			hidden += n
			i += n
			continue
		}
		left = append(left, rows[i:i+max(n, 1)]...)
		i += max(n, 1)
	}
	return left, hidden
}

// fold leaves out what is between findings and changes, or shows it again. What was at
// the top stays there.
func (d *Approval) fold() {
	if d.folds == 0 || d.explains {
		return
	}
	at := d.foldedAt
	if !d.folded || len(d.rows) > d.page { // else all of it is on the screen, wherever that is
		for i := min(d.top, len(d.rows)); i < len(d.rows); i++ {
			if at = d.rows[i].number; at > 0 {
				break
			}
		}
	}
	d.own, d.folded, d.foldedAt = true, !d.folded, at
	d.rows = d.compose(d.width - 4)
	d.top = 0
	for i, r := range d.rows {
		if r.number > 0 && r.number <= at {
			d.top = i
		}
	}
}
