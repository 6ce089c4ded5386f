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
	border := m.styles.Border
	if m.HasFocus() {
		border = m.styles.Focus
	}
	_, background, _ := m.styles.Text.Decompose()
	m.SetBackgroundColor(background)
	m.SetBorderStyle(border)
	m.DrawForSubclass(s, m)
	x, y, width, height := m.GetInnerRect()
	if width <= 0 || height <= 0 {
		return
	}
	m.drawFrame(s, border)
	if m.snap == nil {
		screen.Draw(s, x, y, width, "no picture yet", m.styles.Muted)
		return
	}
	v := m.view(width, height)
	for row := range height {
		line := v.line + row
		if line < m.snap.Lines() {
			m.paint.line(s, x, y+row, width, m.snap, m.snap.Line(line), v.col)
		}
	}
	m.drawCursor(s, x, y, width, height, v)
}

// drawFrame writes on the border: titles above, state below.
func (m *Mirror) drawFrame(s tcell.Screen, border tcell.Style) {
	x, y, width, height := m.GetRect()
	if width < 6 {
		return
	}
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
