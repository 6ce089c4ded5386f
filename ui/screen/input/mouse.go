package input

import "github.com/gdamore/tcell/v2"

// mouse reads SGR mouse reports.
type mouse struct {
	cols, rows int
	down       bool // a button is held
}

// The bits of a report's first number.
const (
	shiftBit  = 0x04
	altBit    = 0x08
	ctrlBit   = 0x10
	motionBit = 0x20
	wheelBit  = 0x40
)

// event is the event of a report; nil if it is incomplete. A place outside of the
// screen, as in a drag beyond it, is the nearest one within.
func (m *mouse) event(p params, release bool) *tcell.EventMouse {
	if len(p.n) < 3 {
		return nil
	}
	n := p.at(0, 0)
	x := max(min(p.at(1, 1)-1, m.cols-1), 0)
	y := max(min(p.at(2, 1)-1, m.rows-1), 0)
	motion, wheel := n&motionBit != 0, n&wheelBit != 0
	button := tcell.ButtonNone
	switch {
	case release:
		m.down = false
	case wheel && motion: // nothing turns while it moves
	case wheel:
		button = []tcell.ButtonMask{tcell.WheelUp, tcell.WheelDown, tcell.WheelLeft, tcell.WheelRight}[n&3]
	case motion && !m.down: // some terminals name a button that nobody holds
	default:
		button = []tcell.ButtonMask{tcell.Button1, tcell.Button3, tcell.Button2, tcell.ButtonNone}[n&3]
		m.down = m.down || !motion && button != tcell.ButtonNone
	}
	mod := tcell.ModNone
	for bit, mask := range map[int]tcell.ModMask{shiftBit: tcell.ModShift, altBit: tcell.ModAlt, ctrlBit: tcell.ModCtrl} {
		if n&bit != 0 {
			mod |= mask
		}
	}
	return tcell.NewEventMouse(x, y, button, mod)
}
