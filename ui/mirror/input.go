package mirror

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/backends/vt"
)

// wheelLines is how far one step of the wheel goes.
const wheelLines = 3

// modes are those of the pane.
func (m *Mirror) modes() vt.Modes {
	if m.snap == nil {
		return vt.Modes{}
	}
	return m.snap.Modes
}

func (m *Mirror) send(p []byte) {
	if len(p) > 0 && m.onKey != nil {
		m.onKey(p)
	}
}

// InputHandler sends keys to the program while typing, and scrolls otherwise.
func (m *Mirror) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return m.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		shifted := ev.Modifiers() == tcell.ModShift && (ev.Key() == tcell.KeyPgUp || ev.Key() == tcell.KeyPgDn)
		if m.typing && !shifted {
			m.Live()
			m.send(EncodeKey(ev, m.modes()))
			return
		}
		switch ev.Key() {
		case tcell.KeyPgUp:
			m.Scroll(-m.page())
		case tcell.KeyPgDn:
			m.Scroll(m.page())
		case tcell.KeyUp:
			m.Scroll(-1)
		case tcell.KeyDown:
			m.Scroll(1)
		case tcell.KeyHome:
			if m.snap != nil {
				m.Scroll(-m.snap.Lines())
			}
		case tcell.KeyEnd:
			m.Live()
		}
	})
}

// PasteHandler sends a paste to the program while typing.
func (m *Mirror) PasteHandler() func(string, func(tview.Primitive)) {
	return m.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		if m.typing && text != "" {
			m.Live()
			m.send(EncodePaste(text, m.modes()))
		}
	})
}

// MouseHandler scrolls with the wheel and takes the focus on a click. While
// typing, a program that asked for the mouse gets it instead.
func (m *Mirror) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return m.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, setFocus func(tview.Primitive)) (bool, tview.Primitive) {
		if !m.InRect(ev.Position()) {
			return false, nil
		}
		if m.typing && m.HasFocus() && m.modes().Mouse != vt.MouseOff && !m.scrolled {
			m.forward(action, ev)
			return true, nil
		}
		switch action {
		case tview.MouseScrollUp:
			m.Scroll(-wheelLines)
		case tview.MouseScrollDown:
			m.Scroll(wheelLines)
		case tview.MouseLeftDown:
			setFocus(m)
		default:
			return false, nil
		}
		return true, nil
	})
}

// forward sends a mouse event inside the picture to the program.
func (m *Mirror) forward(action tview.MouseAction, ev *tcell.EventMouse) {
	x, y, width, height := m.GetInnerRect()
	col, row := ev.Position()
	if m.snap == nil || !m.InInnerRect(col, row) {
		return
	}
	v := m.view(width, height)
	out := MouseEvent{Col: col - x + v.col, Row: row - y + v.line - m.snap.Scrolled, Mod: ev.Modifiers()}
	if out.Col >= m.snap.Size.Cols || out.Row < 0 || out.Row >= m.snap.Size.Rows {
		return
	}
	down := func(button int) { out.Button, m.button = button, button }
	up := func(button int) { out.Button, out.Release, m.button = button, true, -1 }
	switch action {
	case tview.MouseLeftDown:
		down(0)
	case tview.MouseMiddleDown:
		down(1)
	case tview.MouseRightDown:
		down(2)
	case tview.MouseLeftUp:
		up(0)
	case tview.MouseMiddleUp:
		up(1)
	case tview.MouseRightUp:
		up(2)
	case tview.MouseScrollUp:
		out.Button = 4
	case tview.MouseScrollDown:
		out.Button = 5
	case tview.MouseMove:
		out.Button, out.Motion = m.button, true
	default: // clicks are made of the events above
		return
	}
	m.send(EncodeMouse(out, m.modes()))
}
