package console

import (
	"slices"

	"github.com/nod-console/nod/ui/keys"
)

// Layouts keep how the operator has divided the screen, for each set of targets. Both are
// called from the pump and must be quick.
type Layouts struct {
	// Of returns the layout that belongs to a set of targets, whose names are sorted.
	Of func(targets []string) (Layout, bool)
	// Keep puts a layout in the place of the one before.
	Keep func(targets []string, l Layout)
}

// Layout is how the operator has divided the screen. What makes no sense in one that was
// kept is left out.
type Layout struct {
	// Talk are the shares of the chat and of all terminals; none: as nod divides them.
	Talk []int `json:"talk,omitempty"`
	// Grids are the shares in grids of terminals.
	Grids []GridLayout `json:"grids,omitempty"`
	// Order are the titles of the terminals, in their order on the screen.
	Order []string `json:"order,omitempty"`
}

// GridLayout are the shares of the rows of a grid, and of the terminals in each row; none:
// equal ones.
type GridLayout struct {
	Panes   int     `json:"panes"`
	Columns int     `json:"columns"`
	Rows    []int   `json:"rows,omitempty"`
	Widths  [][]int `json:"widths,omitempty"`
}

// Bounds of a layout that makes sense.
const (
	mostShare = 1 << 16
	mostPanes = 1 << 10
)

// standingFor is what the layout on the screen belongs to.
type standingFor struct {
	targets []string
	order   []string // of titles; nil: as the terminals came
}

// targetSet are the targets of the terminals on the screen, sorted.
func (ps *panes) targetSet() []string {
	var set []string
	for _, p := range ps.all {
		if p.state.Terminal != "" && !slices.Contains(set, p.state.Target) {
			set = append(set, p.state.Target)
		}
	}
	slices.Sort(set)
	return set
}

// settle gives the screen the layout that is kept for the targets on it, if they are
// others than before, and each terminal its place in it.
func (c *Console) settle() {
	if c.opt.Layouts == nil {
		return
	}
	set := c.panes.targetSet()
	if len(set) > 0 && !slices.Equal(set, c.kept.targets) {
		c.kept.targets = set
		if l, ok := c.opt.Layouts.Of(set); ok {
			c.sizes, c.kept.order = l.sizes(), l.Order
		}
	}
	c.reorder()
}

// reorder puts the terminals in the order that is kept; those that have no place in it
// stay behind the others. The keyboard stays with its terminal.
func (c *Console) reorder() {
	on := c.panes.at(c.focus.pane)
	place := func(p *pane) int {
		if i := slices.Index(c.kept.order, p.pane.Title); i >= 0 {
			return i
		}
		return len(c.kept.order)
	}
	slices.SortStableFunc(c.panes.all, func(a, b *pane) int { return place(a) - place(b) })
	c.focus.pane = max(slices.Index(c.panes.all, on), 0)
}

// keepLayout keeps how the screen is divided now.
func (c *Console) keepLayout() {
	if c.opt.Layouts == nil || len(c.kept.targets) == 0 {
		return
	}
	l := c.sizes.layout()
	for _, p := range c.panes.all {
		l.Order = append(l.Order, p.pane.Title)
	}
	c.kept.order = l.Order
	c.opt.Layouts.Keep(c.kept.targets, l)
}

// divides reports whether a command changes how the screen is divided.
func divides(id keys.ID) bool {
	switch id {
	case keys.Wider, keys.Narrower, keys.Taller, keys.Shorter, keys.ResetSizes, keys.MoveBack, keys.MoveOn:
		return true
	}
	return false
}

// divide carries out a command that changes how the screen is divided.
func (c *Console) divide(cmd keys.Command) {
	switch cmd.ID {
	case keys.ResetSizes:
		c.sizes = sizes{}
	case keys.MoveBack:
		c.movePane(cmd, -1)
	case keys.MoveOn:
		c.movePane(cmd, 1)
	default:
		if reason := c.resize(cmd.ID); reason != "" {
			c.refuse(cmd, reason)
			return
		}
	}
	c.keepLayout()
}

// layout are the sizes as they are kept.
func (s *sizes) layout() Layout {
	l := Layout{Talk: slices.Clone(s.talk)}
	for shape, own := range s.grids {
		g := GridLayout{Panes: shape.panes, Columns: shape.cols, Rows: slices.Clone(own.rows)}
		for _, widths := range own.cols {
			g.Widths = append(g.Widths, slices.Clone(widths))
		}
		l.Grids = append(l.Grids, g)
	}
	slices.SortFunc(l.Grids, func(a, b GridLayout) int {
		return (a.Panes-b.Panes)*mostPanes + a.Columns - b.Columns
	})
	return l
}

// sizes are those of a layout that was kept, as far as they make sense.
func (l Layout) sizes() sizes {
	var s sizes
	if sensible(l.Talk, 2) {
		s.talk = slices.Clone(l.Talk)
	}
	for _, g := range l.Grids {
		if g.Panes < 1 || g.Panes > mostPanes || g.Columns < 1 || g.Columns > g.Panes {
			continue
		}
		shape := shape{g.Panes, g.Columns}
		own := s.own(grid{shape: shape})
		if sensible(g.Rows, shape.rows()) {
			own.rows = slices.Clone(g.Rows)
		}
		for row, widths := range g.Widths {
			if row < shape.rows() && sensible(widths, shape.in(row)) {
				own.cols[row] = slices.Clone(widths)
			}
		}
	}
	return s
}

// sensible reports whether there are n shares, and each is one.
func sensible(shares []int, n int) bool {
	return len(shares) == n && !slices.ContainsFunc(shares, func(s int) bool { return s < 1 || s > mostShare })
}
