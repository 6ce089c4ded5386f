package console

import (
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/split"
)

// The least size that the operator can give a part, with its frame: a dialog over
// the chat can still be read, and a terminal has a few lines.
const (
	leastTalkCols = 34
	leastPaneCols = 24
	leastPaneRows = 6
)

// What a key changes, in cells.
const (
	stepCols = 4
	stepRows = 2
)

// sizes are how the operator has divided the screen. The zero value divides it as
// nod does. They are lengths that count as shares, so that a screen of another size
// is divided in the same way.
type sizes struct {
	talk  []int             // of the chat and of all panes; nil: as nod does
	grids map[shape]*shares // without an entry: equal ones
}

// shares are those of a grid's rows, and those of the panes in each row; nil: equal
// ones.
type shares struct {
	rows []int
	cols [][]int
}

var leastSides = []int{leastTalkCols, leastPaneCols}

// left is the width of the chat beside panes.
func (s *sizes) left(w int) int {
	if s.talk == nil {
		return min(max(w*45/100, 38), 90)
	}
	return split.Parts(w, s.talk, leastSides)[0]
}

// setLeft gives the chat another width, and reports whether it has changed.
func (s *sizes) setLeft(w, left int) bool {
	now := s.left(w)
	talk, moved := split.Move([]int{now, w - now}, leastSides, 0, left-now)
	if moved != 0 {
		s.talk = talk
	}
	return moved != 0
}

// heights are those of a grid's rows.
func (s *sizes) heights(g grid) []int {
	shares := split.Equal(g.rows())
	if own := s.grids[g.shape]; own != nil && own.rows != nil {
		shares = own.rows
	}
	return split.Parts(g.h, shares, split.Least(len(shares), leastPaneRows))
}

// widths are those of the panes in a row.
func (s *sizes) widths(g grid, row int) []int {
	shares := split.Equal(g.in(row))
	if own := s.grids[g.shape]; own != nil && own.cols[row] != nil {
		shares = own.cols[row]
	}
	return split.Parts(g.w, shares, split.Least(len(shares), leastPaneCols))
}

// own are the shares of a grid, to be changed.
func (s *sizes) own(g grid) *shares {
	if s.grids == nil {
		s.grids = map[shape]*shares{}
	}
	if s.grids[g.shape] == nil {
		s.grids[g.shape] = &shares{cols: make([][]int, g.rows())}
	}
	return s.grids[g.shape]
}

// stacked reports whether each pane stands above or below another one.
func (g grid) stacked() bool { return g.cols > 0 && g.rows() > 1 }

// grow gives part i of parts more, at the border behind it or, for the last one,
// before it.
func grow(parts []int, i, by, least int) (grown []int, ok bool) {
	if i == len(parts)-1 {
		i, by = i-1, -by
	}
	grown, moved := split.Move(parts, split.Least(len(parts), least), i, by)
	return grown, moved != 0
}

// resize gives the part with the keyboard another size. It says why it cannot.
func (c *Console) resize(id keys.ID) (reason string) {
	w, h := c.screen.Size()
	g := c.arrange(w, h).grid // the panes may be others than in the last frame
	tall := id == keys.Taller || id == keys.Shorter
	by, length := stepCols, "width"
	if tall {
		by, length = stepRows, "height"
	}
	more := id == keys.Wider || id == keys.Taller
	if !more {
		by = -by
	}
	changed := false
	switch {
	case tall && !g.stacked():
		return "no terminal above or below it"
	case tall:
		changed = c.sizes.heighten(g, c.focus.pane, by)
	case c.focus.place == keys.Pane:
		changed = c.sizes.widen(g, c.focus.pane, by, w)
	default:
		changed = c.sizes.setLeft(w, c.sizes.left(w)+by)
	}
	switch {
	case changed:
		return ""
	case more:
		return "what is beside it is at its least " + length
	}
	return "at its least " + length
}

// heighten gives the row of a pane another height, and reports whether it has changed.
func (s *sizes) heighten(g grid, pane, by int) bool {
	row, _ := g.at(pane)
	rows, ok := grow(s.heights(g), row, by, leastPaneRows)
	if ok {
		s.own(g).rows = rows
	}
	return ok
}

// widen gives a pane another width on a screen of a width: at the expense of those in its
// row or, where it is alone there, of the chat. It reports whether it has changed.
func (s *sizes) widen(g grid, pane, by, screen int) bool {
	row, col := g.at(pane)
	if g.cols == 0 || g.in(row) <= 1 {
		return s.setLeft(screen, s.left(screen)-by)
	}
	cols, ok := grow(s.widths(g, row), col, by, leastPaneCols)
	if ok {
		s.own(g).cols[row] = cols
	}
	return ok
}

// at is where pane i stands in the grid.
func (g grid) at(i int) (row, col int) {
	if g.cols == 0 {
		return 0, 0
	}
	return i / g.cols, i % g.cols
}

// movePane exchanges the pane with the keyboard, or the one that it would go to,
// with its neighbour. The keyboard stays with it.
func (c *Console) movePane(cmd keys.Command, step int) {
	at := c.focus.pane
	to := at + step
	switch {
	case to < 0:
		c.refuse(cmd, "it is the first one")
		return
	case to >= len(c.panes.all):
		c.refuse(cmd, "it is the last one")
		return
	}
	c.panes.all[at], c.panes.all[to] = c.panes.all[to], c.panes.all[at]
	c.focus.pane = to
}

// dragBorder lets the mouse drag the border between chat and panes: the two columns
// of their frames. It reports whether the event was about that.
func (c *Console) dragBorder(action tview.MouseAction, x, y int) bool {
	l := &c.layout
	divided := l.talk.w > 0 && l.talk.w < l.body.w
	switch {
	case c.grabbed && action == tview.MouseLeftUp:
		c.grabbed = false
		c.keepLayout()
	case c.grabbed:
		if divided {
			c.sizes.setLeft(l.body.w, x+1)
		}
	case action == tview.MouseLeftDown && divided && l.talk.y <= y && y < l.talk.y+l.talk.h &&
		(x == l.talk.w-1 || x == l.talk.w && !l.bar.contains(x, y)):
		c.grabbed = true
	default:
		return false
	}
	return true
}
