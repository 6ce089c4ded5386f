package input

import (
	"unicode/utf16"

	"github.com/gdamore/tcell/v2"
)

// maxRepeat bounds how often one report of win32-input-mode repeats its key.
const maxRepeat = 64

// The bits of win32-input-mode's control state.
const (
	winAlt   = 0x0003
	winCtrl  = 0x000c
	winShift = 0x0010
)

// winKeys are Microsoft's virtual key codes.
var winKeys = func() map[int]tcell.Key {
	all := map[int]tcell.Key{
		0x03: tcell.KeyCancel, 0x08: tcell.KeyBackspace, 0x09: tcell.KeyTab, 0x0c: tcell.KeyClear, 0x0d: tcell.KeyEnter,
		0x13: tcell.KeyPause, 0x1b: tcell.KeyEscape, 0x21: tcell.KeyPgUp, 0x22: tcell.KeyPgDn, 0x23: tcell.KeyEnd,
		0x24: tcell.KeyHome, 0x25: tcell.KeyLeft, 0x26: tcell.KeyUp, 0x27: tcell.KeyRight, 0x28: tcell.KeyDown,
		0x2a: tcell.KeyPrint, 0x2c: tcell.KeyPrint, 0x2d: tcell.KeyInsert, 0x2e: tcell.KeyDelete, 0x2f: tcell.KeyHelp,
	}
	for i := range 24 { // F1 to F24
		all[0x70+i] = tcell.KeyF1 + tcell.Key(i)
	}
	return all
}()

// windows takes a key of win32-input-mode: key ; scan code ; character ; down ;
// control state ; repeats.
func (d *Decoder) windows(p params) {
	key, scan, char := p.at(0, 0), p.at(1, 0), p.at(2, 0)
	if len(p.n) == 0 || p.at(3, 0) == 0 { // it is let go
		return
	}
	if key == 0 && scan == 0 && char > 0 && char < 0x80 { // a byte of a report in another form
		if d.win32 == nil {
			d.win32 = &Decoder{}
		}
		d.win32.Size(d.mouse.cols, d.mouse.rows)
		for _, ev := range d.win32.Decode([]byte{byte(char)}) {
			if paste, ok := ev.(*tcell.EventPaste); ok {
				d.pasting = paste.Start()
			}
			d.emit(ev)
		}
		return
	}
	r := rune(char)
	switch {
	case utf16.IsSurrogate(r) && r < 0xdc00:
		d.half = r
		return
	case utf16.IsSurrogate(r):
		r = utf16.DecodeRune(d.half, r)
	}
	d.half = 0
	mod := tcell.ModNone
	for bits, mask := range map[int]tcell.ModMask{winShift: tcell.ModShift, winCtrl: tcell.ModCtrl, winAlt: tcell.ModAlt} {
		if p.at(4, 0)&bits != 0 {
			mod |= mask
		}
	}
	for range max(1, min(p.at(5, 1), maxRepeat)) {
		d.windowsKey(key, r, mod)
	}
}

func (d *Decoder) windowsKey(key int, r rune, mod tcell.ModMask) {
	named, known := winKeys[key]
	switch {
	case known && key == 0x09 && mod&tcell.ModShift != 0:
		d.key(tcell.KeyBacktab, 0, mod&^tcell.ModShift)
	case known:
		d.key(named, 0, mod)
	case r >= ' ' && r != 0x7f && mod&(tcell.ModCtrl|tcell.ModAlt) == tcell.ModCtrl|tcell.ModAlt: // AltGr
		d.key(tcell.KeyRune, r, tcell.ModNone)
	case r >= ' ':
		d.key(tcell.KeyRune, r, mod)
	case key >= 'A' && key <= 'Z' && mod&tcell.ModCtrl != 0:
		d.key(tcell.KeyRune, rune(key)-'A'+'a', mod&^tcell.ModShift)
	case key >= '0' && key <= '9' && mod != tcell.ModNone:
		d.key(tcell.KeyRune, rune(key), mod)
	case key == ' ' && mod&tcell.ModCtrl != 0:
		d.key(tcell.KeyCtrlSpace, 0, tcell.ModCtrl)
	}
}
