package mirror

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/backends/vt"
)

// Keys are encoded as tmux encodes them for its panes (tmux 3.3a,
// input-keys.c), whose programs expect the sequences of TERM=tmux-256color.

// letterKeys end in a letter: CSI A, CSI 1;5A with modifiers.
var letterKeys = map[tcell.Key]byte{
	tcell.KeyUp: 'A', tcell.KeyDown: 'B', tcell.KeyRight: 'C', tcell.KeyLeft: 'D',
	tcell.KeyF1: 'P', tcell.KeyF2: 'Q', tcell.KeyF3: 'R', tcell.KeyF4: 'S',
	tcell.KeyHome: 'H', tcell.KeyEnd: 'F',
}

// numberKeys end in a tilde: CSI 5~, CSI 5;5~ with modifiers.
var numberKeys = map[tcell.Key]int{
	tcell.KeyInsert: 2, tcell.KeyDelete: 3, tcell.KeyPgUp: 5, tcell.KeyPgDn: 6,
	tcell.KeyF5: 15, tcell.KeyF6: 17, tcell.KeyF7: 18, tcell.KeyF8: 19,
	tcell.KeyF9: 20, tcell.KeyF10: 21, tcell.KeyF11: 23, tcell.KeyF12: 24,
}

// EncodeKey returns the bytes that a terminal in the given modes sends for a
// key, or nil for keys that have none.
func EncodeKey(ev *tcell.EventKey, modes vt.Modes) []byte {
	key, mod := ev.Key(), ev.Modifiers()
	if key >= tcell.KeyF13 && key <= tcell.KeyF24 { // how shifted ones are told
		key, mod = key-tcell.KeyF13+tcell.KeyF1, mod|tcell.ModShift
	}
	if final, ok := letterKeys[key]; ok {
		return encodeLetter(key, final, mod, modes)
	}
	if n, ok := numberKeys[key]; ok {
		if p := modifiers(mod); p > 1 {
			return fmt.Appendf(nil, "\x1b[%d;%d~", n, p)
		}
		return fmt.Appendf(nil, "\x1b[%d~", n)
	}
	out := plainKey(ev)
	if out != nil && mod&(tcell.ModAlt|tcell.ModMeta) != 0 {
		out = append([]byte{0x1b}, out...)
	}
	return out
}

// encodeLetter encodes arrows, Home, End and the first four function keys.
func encodeLetter(key tcell.Key, final byte, mod tcell.ModMask, modes vt.Modes) []byte {
	if p := modifiers(mod); p > 1 {
		return fmt.Appendf(nil, "\x1b[1;%d%c", p, final)
	}
	switch {
	case key == tcell.KeyHome:
		return []byte("\x1b[1~")
	case key == tcell.KeyEnd:
		return []byte("\x1b[4~")
	case final >= 'P' || modes.AppCursor:
		return []byte{0x1b, 'O', final}
	default:
		return []byte{0x1b, '[', final}
	}
}

// modifiers is xterm's number for shift, alt and control; 1 is none.
func modifiers(mod tcell.ModMask) int {
	n := 1
	if mod&tcell.ModShift != 0 {
		n++
	}
	if mod&(tcell.ModAlt|tcell.ModMeta) != 0 {
		n += 2
	}
	if mod&tcell.ModCtrl != 0 {
		n += 4
	}
	return n
}

// plainKey encodes keys that are characters, without Alt.
func plainKey(ev *tcell.EventKey) []byte {
	ctrl := ev.Modifiers()&tcell.ModCtrl != 0
	switch key := ev.Key(); {
	case key == tcell.KeyRune && ctrl:
		return controlRune(ev.Rune())
	case key == tcell.KeyRune:
		return utf8.AppendRune(nil, ev.Rune())
	case key == tcell.KeyBackspace && ctrl:
		return []byte{0x08}
	case key == tcell.KeyBackspace || key == tcell.KeyBackspace2:
		return []byte{0x7f}
	case key == tcell.KeyBacktab:
		return []byte("\x1b[Z")
	case key >= 0 && key < 0x20:
		return []byte{byte(key)}
	case key >= tcell.KeyCtrlSpace && key <= tcell.KeyCtrlUnderscore:
		return []byte{byte(key - tcell.KeyCtrlSpace)}
	default:
		return nil
	}
}

// controlRune encodes Control with a character, as far as it has a control
// character; otherwise the character itself.
func controlRune(r rune) []byte {
	switch {
	case r == ' ' || r == '2':
		return []byte{0}
	case r >= '@' && r <= '_':
		return []byte{byte(r - '@')}
	case r >= 'a' && r <= 'z':
		return []byte{byte(r - '`')}
	case r >= '3' && r <= '7':
		return []byte{byte(r-'3') + 0x1b}
	case r == '/':
		return []byte{0x1f}
	case r == '8' || r == '?':
		return []byte{0x7f}
	default:
		return utf8.AppendRune(nil, r)
	}
}

// EncodePaste returns the bytes of a paste: with brackets where the program
// wants them, lines ended by CR as the Enter key does. Control characters that
// no text has are left out, above all ESC, with which a paste could end its own
// brackets.
func EncodePaste(text string, modes vt.Modes) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\r")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '\r'
		case r == '\t' || r == '\r':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, text)
	if modes.BracketedPaste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return []byte(text)
}

// MouseEvent is a mouse event in the pane's own columns and rows from 0.
type MouseEvent struct {
	Col, Row int
	Button   int // 0 to 2 left, middle, right; 4 and 5 wheel up and down; -1 none
	Release  bool
	Motion   bool
	Mod      tcell.ModMask
}

// wanted reports whether a program in a mouse mode is told of the event.
func (ev MouseEvent) wanted(mode vt.MouseMode) bool {
	switch mode {
	case vt.MouseOff:
		return false
	case vt.MouseClicks:
		return !ev.Motion
	case vt.MouseAll:
		return true
	}
	return !ev.Motion || ev.Button >= 0
}

// code is the number that says which button it is about, whether the mouse moves, and which
// modifiers are held. Without sgr, it does not say which button is released.
func (ev MouseEvent) code(sgr bool) int {
	b := ev.Button
	switch {
	case b < 0 || ev.Release && !sgr:
		b = 3
	case b >= 4:
		b += 60
	}
	if ev.Motion {
		b += 32
	}
	return b + 4*(modifiers(ev.Mod)-1)
}

// EncodeMouse returns the bytes for a mouse event, or nil if the program does
// not want it or its encoding cannot say it.
func EncodeMouse(ev MouseEvent, modes vt.Modes) []byte {
	if !ev.wanted(modes.Mouse) {
		return nil
	}
	sgr := modes.MouseEncoding == vt.MouseSGR
	b := ev.code(sgr)
	switch {
	case sgr && ev.Release:
		return fmt.Appendf(nil, "\x1b[<%d;%d;%dm", b, ev.Col+1, ev.Row+1)
	case sgr:
		return fmt.Appendf(nil, "\x1b[<%d;%d;%dM", b, ev.Col+1, ev.Row+1)
	}
	out := []byte("\x1b[M")
	limit := 0xff
	if modes.MouseEncoding == vt.MouseUTF8 {
		limit = 0x7ff
	}
	for _, v := range []int{b, ev.Col + 1, ev.Row + 1} {
		if v+32 > limit {
			return nil
		}
		if modes.MouseEncoding == vt.MouseUTF8 {
			out = utf8.AppendRune(out, rune(v+32))
		} else {
			out = append(out, byte(v+32))
		}
	}
	return out
}
