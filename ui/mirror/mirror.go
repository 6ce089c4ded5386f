package mirror

import (
	"fmt"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/backends/vt"
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
}

// Mirror is a frame with a terminal in it.
type Mirror struct {
	*tview.Box
	styles Styles
	onKey  func(p []byte)

	snap        *vt.Snapshot
	left, right string
	state       string
	typing      bool

	scrolled bool
	top      uint64 // the line on top while scrolled, counted as in Snapshot.Lost
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

// Draw draws the mirror.
func (m *Mirror) Draw(s tcell.Screen) {
	m.drawFrame(s)
	x, y, width, height := m.GetInnerRect()
	if width <= 0 || height <= 0 {
		return
	}
	if m.snap == nil {
		screen.Fill(s, x, y, width, height, " ", m.styles.Text)
		screen.Draw(s, x, y, width, "no picture yet", m.styles.Muted)
		return
	}
	v := m.view(width, height)
	for row := range height {
		var cells []vt.Cell
		if line := v.line + row; line < m.snap.Lines() {
			cells = m.snap.Line(line)
		}
		m.paint.line(s, x, y+row, width, m.snap, cells, v.col)
	}
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

func (m *Mirror) drawTitles(s tcell.Screen, border tcell.Style) {
	x, y, width, height := m.GetRect()
	right, style := m.right, m.styles.Muted
	if right == "" && m.snap != nil {
		right = fmt.Sprintf("live %d×%d", m.snap.Size.Cols, m.snap.Size.Rows)
	}
	if n := m.above(); n > 0 {
		right, style = fmt.Sprintf("%d lines above live, End returns", n), m.styles.Notice
	}
	room := width - 4
	left := screen.Cut(m.left, room)
	used := screen.Draw(s, x+2, y, room, pad(left), border)
	if w := screen.Width(right) + 2; right != "" && used+w <= room {
		screen.Draw(s, x+width-2-w, y, w, pad(right), style)
	} else if m.above() > 0 { // the notice wins over the name
		screen.Draw(s, x+2, y, room, pad(screen.Cut(right, room-2)), style)
	}
	if m.state != "" {
		screen.Draw(s, x+2, y+height-1, room, pad(screen.Cut(m.state, room-2)), m.styles.Muted)
	}
}

func pad(text string) string {
	if text == "" {
		return ""
	}
	return " " + text + " "
}

// drawCursor places the terminal's cursor, or paints one without the focus.
func (m *Mirror) drawCursor(s tcell.Screen, x, y, width, height int, v view) {
	c := m.snap.Cursor
	col := min(c.Col, m.snap.Size.Cols-1) - v.col
	row := m.snap.Scrolled + c.Row - v.line
	if !c.Visible || col < 0 || col >= width || row < 0 || row >= height {
		return
	}
	if m.HasFocus() {
		s.ShowCursor(x+col, y+row)
		return
	}
	text, style, _ := s.Get(x+col, y+row)
	_, _, attrs := style.Decompose()
	s.Put(x+col, y+row, text, style.Reverse(attrs&tcell.AttrReverse == 0))
}
