package mirror

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/keys"
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

// InputHandler sends keys to the program while typing, except those that the
// table keeps for reading. Otherwise it carries out what the table says of them,
// or writes them in the search line.
func (m *Mirror) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return m.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) {
		place := keys.Pane
		switch {
		case m.typing:
			place = keys.Typing
		case m.find.writing:
			place = keys.Searching
		}
		name := keys.Name(ev)
		if cmd, ok := m.keys.Find(place, name); ok {
			if cmd.ID == keys.Back {
				m.Back()
			} else {
				m.Do(cmd.ID)
			}
			return
		}
		switch {
		case m.typing:
			m.Live()
			m.said = ""
			m.send(EncodeKey(ev, m.modes()))
		case m.find.writing && name == "Backspace":
			m.erase()
		case m.find.writing:
			m.insert(keys.Text(ev))
		}
	})
}

// PasteHandler sends a paste to the program while typing, and puts it in the
// search line while that is open.
func (m *Mirror) PasteHandler() func(string, func(tview.Primitive)) {
	return m.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		switch {
		case text == "":
		case m.typing:
			m.Live()
			m.send(EncodePaste(text, m.modes()))
		case m.find.writing:
			m.insert(text)
		}
	})
}

// MouseHandler scrolls with the wheel, takes the focus on a click and selects
// what the mouse is dragged over. While typing, a program that asked for the
// mouse gets it instead. During a drag the mirror wants all events of the mouse.
func (m *Mirror) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return m.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, setFocus func(tview.Primitive)) (bool, tview.Primitive) {
		if m.read.drag.on && action != tview.MouseLeftDown {
			if m.dragged(action, ev) {
				return true, m
			}
			return true, nil
		}
		if !m.InRect(ev.Position()) {
			return false, nil
		}
		if m.typing && m.HasFocus() && m.modes().Mouse != vt.MouseOff && !m.scrolled && m.read.held == nil {
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
			m.press(ev)
			if m.read.drag.on {
				return true, m
			}
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
