package input

import (
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// Escape is the Esc key as a sequence that nothing else begins with.
const Escape = "\x1b[27u"

// maxSequence bounds what is kept of a sequence, in bytes. Longer ones are
// read to their end and mean nothing.
const maxSequence = 128

// state is where in a sequence the decoder is.
type state uint8

const (
	plain    state = iota
	escaped        // behind ESC
	control        // behind ESC [
	single         // behind ESC O
	function       // behind ESC [ [, of the Linux console
)

// Decoder turns bytes into events. Its zero value is ready. It belongs to one
// goroutine.
type Decoder struct {
	state    state
	alt      bool   // ESC came before what follows
	sequence []byte // behind ESC [
	overlong bool
	char     []byte // the beginning of a character
	pasting  bool
	mute     bool // something that ended in the last Decode was no event

	mouse  mouse
	win32  *Decoder // what comes byte by byte in win32-input-mode
	half   rune     // the first half of a UTF-16 pair in win32-input-mode
	events []tcell.Event
}

// Size tells how large the screen is: places of the mouse lie within it.
func (d *Decoder) Size(cols, rows int) { d.mouse.cols, d.mouse.rows = cols, rows }

// Decode returns the events that end within p.
func (d *Decoder) Decode(p []byte) []tcell.Event {
	d.events, d.mute = nil, false
	for _, b := range p {
		before := len(d.events)
		d.byte(b)
		d.mute = d.mute || len(d.events) == before && !d.Pending()
	}
	return d.events
}

// Mute reports whether the last Decode had more than its events: a sequence that
// means nothing, or was broken off.
func (d *Decoder) Mute() bool { return d.mute }

// Pending reports whether a character or a sequence has begun and not ended.
func (d *Decoder) Pending() bool { return d.state != plain || len(d.char) > 0 || d.alt }

// Pasting reports whether a paste has begun and not ended.
func (d *Decoder) Pasting() bool { return d.pasting }

// GiveUp ends a character or a sequence whose end does not come, and returns what
// it was: U+FFFD for each byte of a character, Esc for an escape alone, nothing for
// more of a sequence.
func (d *Decoder) GiveUp() []tcell.Event {
	d.events = nil
	d.endChar()
	escape := d.state == escaped
	d.reset()
	if escape {
		d.key(tcell.KeyEscape, 0, tcell.ModNone)
	}
	return d.events
}

// EndPaste ends a paste whose end does not come.
func (d *Decoder) EndPaste() { d.pasting = false }

func (d *Decoder) reset() {
	d.state, d.alt, d.sequence, d.overlong = plain, false, d.sequence[:0], false
}

// breakOff forgets a sequence within which something else began.
func (d *Decoder) breakOff() {
	d.reset()
	d.mute = true
}

func (d *Decoder) emit(ev tcell.Event) { d.events = append(d.events, ev) }

// key emits a key, with Alt if ESC came before it.
func (d *Decoder) key(key tcell.Key, r rune, mod tcell.ModMask) {
	if d.alt {
		mod |= tcell.ModAlt
		d.alt = false
	}
	d.emit(tcell.NewEventKey(key, r, mod))
}

// byte takes one byte.
func (d *Decoder) byte(b byte) {
	if len(d.char) > 0 && b < utf8.RuneSelf {
		d.endChar()
	}
	switch {
	case b >= utf8.RuneSelf:
		if d.state == escaped {
			d.alt = true
		} else if d.state != plain { // no sequence has such bytes
			d.breakOff()
		}
		d.state = plain
		d.highByte(b)
	case b == 0x1b:
		d.escape()
	case d.state == control && (b < ' ' || b == 0x7f), d.state > escaped && b < ' ':
		d.breakOff()
		d.character(b)
	case d.state == plain:
		d.character(b)
	case d.state == escaped:
		d.afterEscape(b)
	case d.state == control:
		d.inSequence(b)
	case d.state == single:
		d.state = plain
		d.singleShift(b)
	case d.state == function:
		d.state = plain
		if b >= 'A' && b <= 'E' {
			d.key(tcell.KeyF1+tcell.Key(b-'A'), 0, tcell.ModNone)
		}
		d.alt = false
	}
}

// escape takes an ESC. It begins anew whatever was under way. Two of them before
// a key are Alt.
func (d *Decoder) escape() {
	again := d.state == escaped
	if d.state > escaped {
		d.breakOff()
	}
	d.reset()
	d.state, d.alt = escaped, again
}

// character takes a byte of ASCII that is a key by itself.
func (d *Decoder) character(b byte) {
	switch {
	case b == '\t':
		d.key(tcell.KeyTab, 0, tcell.ModNone)
	case b == '\b', b == 0x7f:
		d.key(tcell.KeyBackspace, 0, tcell.ModNone)
	case b == '\r':
		d.key(tcell.KeyEnter, 0, tcell.ModNone)
	case b < ' ':
		d.key(tcell.KeyCtrlSpace+tcell.Key(b), 0, tcell.ModCtrl)
	default:
		d.key(tcell.KeyRune, rune(b), tcell.ModNone)
	}
}

// afterEscape takes the byte behind ESC: what kind of sequence it is, or a key
// with Alt.
func (d *Decoder) afterEscape(b byte) {
	switch b {
	case '[':
		d.state = control
		return
	case 'O':
		d.state = single
		return
	}
	d.reset()
	switch {
	case b == '\\': // the end of a control string that has been given up
	case b == '\t': // Shift-Tab on the Linux console
		d.key(tcell.KeyBacktab, 0, tcell.ModNone)
	case b == '\r', b == '\n':
		d.key(tcell.KeyEnter, 0, tcell.ModAlt)
	case b == '\b', b == 0x7f:
		d.key(tcell.KeyBackspace, 0, tcell.ModAlt)
	case b < ' ':
		d.key(tcell.KeyRune, rune(b)+0x60, tcell.ModAlt|tcell.ModCtrl)
	default:
		d.key(tcell.KeyRune, rune(b), tcell.ModAlt)
	}
}

// highByte takes a byte of a character that is not ASCII.
func (d *Decoder) highByte(b byte) {
	d.char = append(d.char, b)
	for len(d.char) > 0 && utf8.FullRune(d.char) {
		d.takeChar()
	}
}

// takeChar emits the first character of those that wait, or U+FFFD for its
// first byte.
func (d *Decoder) takeChar() {
	r, n := utf8.DecodeRune(d.char)
	d.char = append(d.char[:0], d.char[n:]...)
	d.key(tcell.KeyRune, r, tcell.ModNone)
}

// endChar emits what has come of a character that does not go on.
func (d *Decoder) endChar() {
	for len(d.char) > 0 {
		d.takeChar()
	}
}

// inSequence takes a byte behind ESC [.
func (d *Decoder) inSequence(b byte) {
	switch {
	case b == '[' && len(d.sequence) == 0:
		d.state = function
	case b >= '@':
		d.state = plain
		if !d.overlong {
			d.final(parse(d.sequence), b)
		}
		d.reset()
	case len(d.sequence) == maxSequence:
		d.overlong = true
	default:
		d.sequence = append(d.sequence, b)
	}
}
