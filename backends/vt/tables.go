package vt

// Limits of the tables. A table that is full is swept: what no cell uses any
// more is dropped. See Terminal.sweep.
const (
	minTable     = 1 << 16 // styles and graphemes, at least
	maxLinks     = 1 << 12
	maxLinkBytes = 2083    // longer addresses are not kept, as in most browsers
	maxGrapheme  = 21      // bytes in one cell, tmux's own limit
	styleCache   = 1 << 10 // entries, a power of two
)

// tables hold what cells refer to by number. They only grow at the end, so a
// snapshot may go on reading its own prefix; a sweep makes new ones.
type tables struct {
	pens      []pen
	graphemes []string
	links     []string // links[0] is "no link"

	penIDs      map[pen]uint32
	graphemeIDs map[string]uint32
	linkIDs     map[string]uint32
	cache       [styleCache]uint32 // pen hash -> id, a hint that is verified
}

func newTables() *tables {
	return &tables{
		pens:        []pen{{}},
		links:       []string{""},
		penIDs:      map[pen]uint32{{}: 0},
		graphemeIDs: map[string]uint32{},
		linkIDs:     map[string]uint32{},
	}
}

func (t *tables) pen(p pen) uint32 {
	h := uint32(p.Fg)*0x9e3779b1 ^ uint32(p.Bg)*0x85ebca6b ^ uint32(p.Underline)*0xc2b2ae35 ^
		uint32(p.Attrs)*0x27d4eb2f ^ uint32(p.UnderlineStyle)<<13 ^ p.link*0x165667b1
	slot := &t.cache[(h^h>>15)%styleCache]
	if id := *slot; int(id) < len(t.pens) && t.pens[id] == p {
		return id
	}
	id, ok := t.penIDs[p]
	if !ok {
		id = uint32(len(t.pens))
		t.pens = append(t.pens, p)
		t.penIDs[p] = id
	}
	*slot = id
	return id
}

func (t *tables) grapheme(s string) uint32 {
	id, ok := t.graphemeIDs[s]
	if !ok {
		id = uint32(len(t.graphemes))
		t.graphemes = append(t.graphemes, s)
		t.graphemeIDs[s] = id
	}
	return id
}

func (t *tables) link(uri string) uint32 {
	id, ok := t.linkIDs[uri]
	if !ok {
		id = uint32(len(t.links))
		t.links = append(t.links, uri)
		t.linkIDs[uri] = id
	}
	return id
}

// text is the cell's text; a blank is one space, the second half of a wide
// cell is empty.
func text(graphemes []string, c Cell) string {
	switch {
	case c.glyph == 0:
		return " "
	case c.glyph == glyphPad:
		return ""
	case c.glyph&glyphLong != 0:
		return graphemes[c.glyph&glyphMask]
	}
	return string(rune(c.glyph & glyphMask))
}

// tableLimit is the number of styles or graphemes above which a table is swept.
// Four times the screen leaves room for both screens to be all different and
// the table to be half empty after a sweep.
func (t *Terminal) tableLimit() int {
	return max(minTable, 4*t.size.Cols*t.size.Rows)
}

// reclaim sweeps the tables if one of them is full. It runs between pieces of
// input, when no cell is half written.
func (t *Terminal) reclaim() {
	limit := t.tableLimit()
	full := func() bool {
		return len(t.tab.pens) > limit/2 || len(t.tab.graphemes) > limit/2
	}
	if len(t.tab.pens) <= limit && len(t.tab.graphemes) <= limit && len(t.tab.links) <= maxLinks {
		return
	}
	t.sweep(nil)
	// The screens fit by construction, so it is the scrollback that keeps the
	// table full. It keeps its text and loses colour depth, then all style.
	if full() {
		t.sweep(quantise)
	}
	if full() {
		t.sweep(func(pen) pen { return pen{} })
	}
	if len(t.tab.graphemes) > limit/2 {
		t.hist.dropAll()
		t.sweep(nil)
	}
	if len(t.tab.links) > maxLinks/2 {
		t.sweep(func(p pen) pen { p.link = 0; return p })
	}
	if len(t.tab.links) > maxLinks {
		t.unlink()
	}
}

// unlink drops all hyperlinks: the screens alone show more than maxLinks.
func (t *Terminal) unlink() {
	pens := append([]pen(nil), t.tab.pens...)
	for i := range pens {
		pens[i].link = 0
	}
	t.tab.pens = pens // snapshots keep the old ones
	t.sweep(nil)
}

// sweep renumbers everything that cells and the terminal itself still refer
// to into new tables. Snapshots keep the old tables and the old cells. old, if
// not nil, changes the pens of the scrollback on the way.
func (t *Terminal) sweep(old func(pen) pen) {
	from, to := t.tab, newTables()
	relink := func(p pen) pen {
		if p.link != 0 {
			p.link = to.link(from.links[p.link])
		}
		return p
	}
	mover := func(change func(pen) pen) func([]Cell) {
		pens := make([]uint32, len(from.pens)) // new id + 1
		return func(cells []Cell) {
			for i, c := range cells {
				if c.style != 0 {
					if pens[c.style] == 0 {
						p := from.pens[c.style]
						if change != nil {
							p = change(p)
						}
						pens[c.style] = to.pen(relink(p)) + 1
					}
					cells[i].style = pens[c.style] - 1
				}
				if c.glyph&glyphLong != 0 {
					cells[i].glyph = c.glyph&^glyphMask | to.grapheme(from.graphemes[c.glyph&glyphMask])
				}
			}
		}
	}
	move := mover(nil)
	for _, rows := range [][]*row{t.rows, t.saved.rows} {
		for _, r := range rows {
			if r.shared {
				r.cells, r.shared = append([]Cell(nil), r.cells...), false
			}
			move(r.cells)
		}
	}
	t.hist.rewrite(mover(old))
	for _, p := range []*pen{&t.pen, &t.decsc.pen, &t.saved.pen} {
		*p = relink(*p)
	}
	t.tab = to
	t.penChanged()
	t.snap = nil
}

// quantise maps 24-bit colours to the 256-colour palette.
func quantise(p pen) pen {
	for _, c := range []*Color{&p.Fg, &p.Bg, &p.Underline} {
		if c.Kind() == KindRGB {
			r, g, b := c.RGB()
			level := func(v uint8) uint8 { return uint8((int(v)*5 + 127) / 255) }
			*c = Indexed(16 + 36*level(r) + 6*level(g) + level(b))
		}
	}
	return p
}
