package vt

// DefaultScrollback is a sensible [Options.Scrollback].
const DefaultScrollback = 10000

// MaxSize is the largest number of columns and of rows, as in tmux. A larger
// size is cut down to it.
const MaxSize = 10000

// maxCells bounds a screen as a whole, whatever its shape.
const maxCells = 1 << 20

// Size is a size in character cells.
type Size struct{ Cols, Rows int }

func (s Size) clamp() Size {
	s.Cols = min(max(s.Cols, 1), MaxSize)
	s.Rows = min(max(s.Rows, 1), MaxSize, max(1, maxCells/s.Cols))
	return s
}

// Options say what a terminal keeps and whom it tells. All functions are
// called from within [Terminal.Write] and must not call the terminal.
type Options struct {
	// Scrollback is the number of lines kept above the screen, 0 for none.
	Scrollback int
	// Reply gets the answers to a program's questions (see the package's
	// comment), which are to be typed into the pane. p is the callee's to keep.
	// Set it only where no tmux answers for the pane. Nil: they are ignored.
	Reply func(p []byte)
	// Foreground and Background are the terminal's default colours, for
	// programs that ask with OSC 10 and 11. Only RGB colours are told: of
	// others nobody knows what they look like.
	Foreground, Background Color
	// OSC gets every operating system command with its number and what
	// follows the first semicolon, including those that the terminal itself
	// understands. data is valid during the call only. Nil: none.
	OSC func(number int, data []byte)
	// Bell is called for each BEL outside a string.
	Bell func()
	// Reflow makes Resize wrap the text anew. It is for a pane without tmux:
	// with tmux, seed after a resize.
	Reflow bool
	// Release is that of the tmux that the pane is in. Zero: 3.3a, which is
	// also what a pane without tmux is like.
	Release Release
	// Widths are those of the tmux that the pane is in. Nil: as in 3.3a.
	Widths *Widths
}

// Terminal is the emulator. It is not safe for concurrent use: one goroutine
// owns it and hands out snapshots.
type Terminal struct {
	opt  Options
	size Size
	tab  *tables
	flat *[flatWidths]int8 // widths of the first planes; read only

	quirks quirks
	hist   history

	rows      []*row // the screen that shows
	gen       uint64
	col, line int // the cursor; col == size.Cols after a character in the last column
	top, bot  int // scroll region, inclusive
	tabs      []bool

	pen      pen
	style    uint32 // of pen, valid unless penDirty
	fill     Cell   // what an erase leaves, valid unless penDirty
	penDirty bool
	charsets charsets
	decsc    savedCursor // by DECSC
	saved    savedScreen // by the alternate screen

	modes  Modes
	sgr    bool // mouse mode 1006
	utf8   bool // mouse mode 1005
	cursor Cursor
	title  string
	titles []string
	last   rune // for REP; 0: none
	join   bool // after a zero width joiner

	parser parser
	snap   *Snapshot // the latest, while nothing has changed since

	view    histView // of hist, valid if viewed and viewGen == hist.pushed
	viewGen uint64
	viewed  bool
}

type charsets struct {
	acs  [2]bool // G0, G1: DEC special graphics
	used uint8   // by SO and SI
}

type savedCursor struct {
	col, line int
	pen       pen
	charsets  charsets
	origin    bool
}

type savedScreen struct {
	rows      []*row // the main screen while the alternate one shows
	size      Size
	valid     bool // col, line and pen have been saved at least once
	col, line int
	pen       pen
}

// New returns a terminal with an empty screen.
func New(size Size, opt Options) *Terminal {
	t := &Terminal{opt: opt, size: size.clamp(), tab: newTables()}
	t.hist.limit = max(0, opt.Scrollback)
	t.rows = t.newRows(t.size)
	t.cursor.Visible = true
	t.modes.Wrap = true
	t.bot = t.size.Rows - 1
	t.resetTabs()
	t.penChanged()
	loadWidths()
	t.quirks = opt.Release.quirks()
	t.flat = &flat
	if opt.Widths != nil {
		t.flat = &opt.Widths.flat
	}
	return t
}

// alternate reports whether the alternate screen shows.
func (t *Terminal) alternate() bool { return t.saved.rows != nil }

func (t *Terminal) newRows(size Size) []*row {
	rows := make([]*row, size.Rows)
	cells := make([]Cell, size.Cols*size.Rows)
	for y := range rows {
		rows[y] = &row{cells: cells[y*size.Cols : (y+1)*size.Cols : (y+1)*size.Cols], gen: t.next()}
	}
	return rows
}

func (t *Terminal) next() uint64 {
	t.gen++
	return t.gen
}

func (t *Terminal) resetTabs() {
	t.tabs = make([]bool, t.size.Cols)
	for x := 8; x < t.size.Cols; x += 8 {
		t.tabs[x] = true
	}
}

// edit returns row y for writing: its cells are the terminal's own, and it
// counts as changed.
func (t *Terminal) edit(y int) *row {
	r := t.rows[y]
	if r.shared {
		r.cells = append([]Cell(nil), r.cells...)
		r.shared = false
	}
	t.gen++
	r.gen = t.gen
	r.used = true
	return r
}

// empty makes r a row of fill, without reading what it held.
func (t *Terminal) empty(r *row, fill Cell) {
	if r.shared || len(r.cells) != t.size.Cols {
		r.cells, r.shared = make([]Cell, t.size.Cols), false
	}
	if fill == (Cell{}) {
		clear(r.cells)
	} else {
		for i := range r.cells {
			r.cells[i] = fill
		}
	}
	r.gen = t.next()
	r.wrapped, r.broken = false, false
	r.used = fill != Cell{}
}

func (t *Terminal) penChanged() { t.penDirty = true }

// applyPen makes style and fill follow the pen. It is put off until something
// is written, since most changes of the pen come several at a time.
func (t *Terminal) applyPen() {
	t.style = t.tab.pen(t.pen)
	t.fill = Cell{}
	if t.pen.Bg != Default {
		t.fill.style = t.tab.pen(pen{Style: Style{Bg: t.pen.Bg}})
	}
	t.penDirty = false
}

// background is what an erase leaves: a blank in the current background.
func (t *Terminal) background() Cell {
	if t.penDirty {
		t.applyPen()
	}
	return t.fill
}

func (t *Terminal) penStyle() uint32 {
	if t.penDirty {
		t.applyPen()
	}
	return t.style
}

// reset is RIS. Like tmux it stays on the alternate screen if that shows.
func (t *Terminal) reset() {
	t.pen = pen{}
	t.penChanged()
	t.charsets = charsets{}
	t.decsc = savedCursor{origin: t.decsc.origin}
	t.resetTabs()
	t.top, t.bot = 0, t.size.Rows-1
	t.modes = Modes{Wrap: true}
	t.sgr, t.utf8 = false, false
	t.cursor.Visible = true
	t.clearScreen()
	t.col, t.line = 0, 0
}
