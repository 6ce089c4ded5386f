package input

import (
	"math"

	"github.com/gdamore/tcell/v2"
)

// params are what stands between ESC [ and the final byte.
type params struct {
	private byte    // '<', '=', '>' or '?' at the front; 0 if there is none
	strange bool    // there are characters that no report of a key has
	n       [][]int // between semicolons, and within these between colons; -1: empty
}

// parse reads the parameters of a sequence.
func parse(text []byte) params {
	var p params
	if len(text) > 0 && text[0] >= '<' && text[0] <= '?' {
		p.private, text = text[0], text[1:]
	}
	if len(text) == 0 {
		return p
	}
	number, group := -1, []int(nil)
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			number = min(max(number, 0)*10+int(c-'0'), math.MaxInt32)
		case c == ':':
			group, number = append(group, number), -1
		case c == ';':
			p.n, group, number = append(p.n, append(group, number)), nil, -1
		default:
			p.strange = true
		}
	}
	p.n = append(p.n, append(group, number))
	return p
}

// at is parameter i, or other if there is none.
func (p params) at(i, other int) int { return p.part(i, 0, other) }

// part is part j of parameter i, or other if there is none.
func (p params) part(i, j, other int) int {
	if i >= len(p.n) || j >= len(p.n[i]) || p.n[i][j] < 0 {
		return other
	}
	return p.n[i][j]
}

// The numbers of bracketed paste.
const (
	pasteStart = 200
	pasteEnd   = 201
)

// final takes a sequence that is complete. What is no report of the keyboard, the
// mouse or the focus means nothing.
func (d *Decoder) final(p params, b byte) {
	switch {
	case p.strange:
	case p.private == '<' && (b == 'M' || b == 'm'):
		if ev := d.mouse.event(p, b == 'm'); ev != nil {
			d.emit(ev)
		}
	case p.private != 0: // an answer to a question that somebody else asked
	case b == 'I' && len(p.n) == 0:
		d.emit(tcell.NewEventFocus(true))
	case b == 'O' && len(p.n) == 0:
		d.emit(tcell.NewEventFocus(false))
	case b == '_':
		d.windows(p)
	case b == '~' && (p.at(0, 0) == pasteStart || p.at(0, 0) == pasteEnd):
		d.pasting = p.at(0, 0) == pasteStart
		d.emit(tcell.NewEventPaste(d.pasting))
	case b == 'u':
		d.kitty(p)
	case b == '~' && p.at(0, 0) == 27 && len(p.n) >= 3: // modifyOtherKeys of xterm
		d.code(p.at(2, 0), modifiers(p.at(1, 1)))
	default:
		d.named(p, b)
	}
}

// modifiers are those of a report: one more than the sum of Shift 1, Alt 2,
// Ctrl 4, Super 8, Hyper 16, Meta 32; the locks count more.
func modifiers(n int) tcell.ModMask {
	mod := tcell.ModNone
	for bit, mask := range []tcell.ModMask{tcell.ModShift, tcell.ModAlt, tcell.ModCtrl, tcell.ModMeta, tcell.ModHyper, tcell.ModMeta} {
		if (n-1)&(1<<bit) != 0 {
			mod |= mask
		}
	}
	return mod
}

// released is the kind of a report of the kitty protocol that tells of a key that is
// let go; 1 is one that is pressed, 2 one that repeats.
const released = 3

// kitty takes a key of the kitty keyboard protocol:
// code:shifted:base ; modifiers:kind ; text.
func (d *Decoder) kitty(p params) {
	if len(p.n) > 0 && p.part(1, 1, 1) != released {
		d.code(p.at(0, 0), modifiers(p.at(1, 1)))
	}
}

// code emits the key with a number: that of the character that it types, or one
// of the kitty protocol's own.
func (d *Decoder) code(n int, mod tcell.ModMask) {
	const controls = tcell.ModCtrl | tcell.ModAlt | tcell.ModMeta
	key, known := numbered[n]
	switch {
	case n == '\t' && mod&tcell.ModShift != 0:
		d.key(tcell.KeyBacktab, 0, mod&^tcell.ModShift)
	case known:
		d.key(key.key, key.char, mod)
	case n == 0 || n >= 0xe000 && n < 0xf900 || n > 0x10ffff || n >= 0xd800 && n < 0xe000:
		d.alt = false // a key that types nothing
	case n < ' ':
		d.character(byte(n))
	case mod&tcell.ModShift != 0 && mod&controls == 0 && n >= 'a' && n <= 'z':
		d.key(tcell.KeyRune, rune(n)-'a'+'A', mod)
	default:
		d.key(tcell.KeyRune, rune(n), mod)
	}
}

// named emits a key that has a sequence of its own.
func (d *Decoder) named(p params, b byte) {
	mod := tcell.ModNone
	if len(p.n) > 1 {
		if p.part(1, 1, 1) == released {
			return
		}
		mod = modifiers(p.at(1, 1))
	}
	if b == '~' || b == '^' || b == '@' {
		n := p.at(0, 0)
		if key, ok := byNumber(n, b); ok {
			d.key(key.key, 0, key.mod|mod)
		}
		return
	}
	if key, ok := letters[b]; ok && (len(p.n) == 0 || p.at(0, 1) == 1) {
		d.key(key.key, 0, key.mod|mod)
	}
}

// singleShift takes the byte behind ESC O: the keypad and the arrows in application
// mode, the first function keys.
func (d *Decoder) singleShift(b byte) {
	if key, ok := shifted[b]; ok {
		d.key(key.key, key.char, key.mod)
	}
	d.alt = false
}
