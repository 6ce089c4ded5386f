package mirror

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// Styles are what a mirror is drawn in. What the program leaves at its default
// is drawn in Text.
type Styles struct {
	Text   tcell.Style
	Muted  tcell.Style // size and state on the frame
	Border tcell.Style
	Focus  tcell.Style // the frame of a mirror that has the focus
	Notice tcell.Style // that the picture is not the live one

	Selection tcell.Style // what is selected, and the chosen match of a search
	Match     tcell.Style // the other matches
}

// Mirror is a frame with a terminal in it.
type Mirror struct {
	*tview.Box
	styles Styles
	keys   *keys.Table
	onKey  func(p []byte)
	onCopy func(text string) error

	snap        *vt.Snapshot
	left, right string
	trust       string // what stands before left, in its own style
	trustStyle  tcell.Style
	state       string
	said        string // what came of the last key
	typing      bool

	scrolled bool
	top      uint64 // the line on top while scrolled, counted as in Snapshot.Lost
	read     reading
	find     finder
	paint    painter
	button   int // the button that is down, for motion events; -1 for none
}

var _ tview.Primitive = (*Mirror)(nil)

// New returns a mirror without a picture.
func New(styles Styles) *Mirror {
	m := &Mirror{Box: tview.NewBox(), button: -1}
	m.SetBorder(true)
	m.SetStyles(styles)
	return m
}

// SetStyles changes the colours.
func (m *Mirror) SetStyles(styles Styles) *Mirror {
	m.styles = styles
	m.paint = newPainter(styles.Text)
	return m
}

// SetKeys sets which keys mean what; nil stands for those that nod brings.
func (m *Mirror) SetKeys(t *keys.Table) *Mirror {
	m.keys = t
	return m
}

// SetSnapshot sets the picture; nil takes it away.
func (m *Mirror) SetSnapshot(s *vt.Snapshot) *Mirror {
	m.snap = s
	return m
}

// SetTitle sets what the frame says at its top: whose terminal it is, and on
// the right how it is. An empty right part says "live" and the size.
func (m *Mirror) SetTitle(left, right string) *Mirror {
	m.left, m.right = left, right
	return m
}

// SetTrust sets what the frame says first at its top, and in which style: how much the
// machine matters whose terminal it is. Nothing else on the frame takes its place. Empty
// text says nothing.
func (m *Mirror) SetTrust(text string, style tcell.Style) *Mirror {
	m.trust, m.trustStyle = text, style
	return m
}

// SetState sets the words at the bottom of the frame: "typing, ^] leaves".
func (m *Mirror) SetState(words string) *Mirror {
	m.state = words
	return m
}

// SetTyping says whether keys, pastes and the mouse go to the program. It shows
// the live picture.
func (m *Mirror) SetTyping(on bool) *Mirror {
	m.typing = on
	if on {
		m.Live()
	}
	return m
}

// Typing reports whether keys go to the program.
func (m *Mirror) Typing() bool { return m.typing }

// OnKey sets the function that gets what is typed, as bytes for the program.
// p is the function's to keep.
func (m *Mirror) OnKey(f func(p []byte)) *Mirror {
	m.onKey = f
	return m
}

// OnCopy sets the function that puts text on the clipboard.
func (m *Mirror) OnCopy(f func(text string) error) *Mirror {
	m.onCopy = f
	return m
}

// Say shows words at the bottom of the frame until the next key.
func (m *Mirror) Say(words string) { m.said = words }

// Draw draws the mirror.
func (m *Mirror) Draw(s tcell.Screen) {
	m.drawFrame(s)
	x, y, width, height := m.GetInnerRect()
	if width <= 0 || height <= 0 {
		return
	}
	shown := m.picture()
	if shown == nil {
		screen.Fill(s, x, y, width, height, " ", m.styles.Text)
		screen.Draw(s, x, y, width, "no picture yet", m.styles.Muted)
		return
	}
	v := m.view(width, height)
	for row := range height {
		var cells []vt.Cell
		if line := v.line + row; line < shown.Lines() {
			cells = shown.Line(line)
		}
		m.paint.line(s, x, y+row, width, shown, cells, v.col)
	}
	m.highlight(s, x, y, width, height, v)
	m.drawCursor(s, x, y, width, height, v)
}

// drawFrame draws the border with the titles above and the state below. It does
// without tview's own: that one clears all cells first, which doubles the cost
// of a frame, and reads the title as markup.
func (m *Mirror) drawFrame(s tcell.Screen) {
	x, y, width, height := m.GetRect()
	if width < 2 || height < 2 {
		return
	}
	border, b := m.styles.Border, tview.Borders
	lines := [...]rune{b.TopLeft, b.TopRight, b.BottomLeft, b.BottomRight, b.Horizontal, b.Vertical}
	if m.HasFocus() {
		border = m.styles.Focus
		lines = [...]rune{b.TopLeftFocus, b.TopRightFocus, b.BottomLeftFocus, b.BottomRightFocus, b.HorizontalFocus, b.VerticalFocus}
	}
	right, bottom := x+width-1, y+height-1
	screen.Fill(s, x, y, width, 1, string(lines[4]), border)
	screen.Fill(s, x, bottom, width, 1, string(lines[4]), border)
	screen.Fill(s, x, y, 1, height, string(lines[5]), border)
	screen.Fill(s, right, y, 1, height, string(lines[5]), border)
	s.Put(x, y, string(lines[0]), border)
	s.Put(right, y, string(lines[1]), border)
	s.Put(x, bottom, string(lines[2]), border)
	s.Put(right, bottom, string(lines[3]), border)
	if width >= 6 {
		m.drawTitles(s, border)
	}
}
