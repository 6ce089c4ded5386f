package input

import "github.com/gdamore/tcell/v2"

// known is what a sequence stands for.
type known struct {
	key  tcell.Key
	char rune
	mod  tcell.ModMask
}

// letters are the keys whose sequences end in a letter: ESC [ A, with modifiers
// ESC [ 1 ; 5 A.
var letters = map[byte]known{
	'A': {key: tcell.KeyUp}, 'B': {key: tcell.KeyDown}, 'C': {key: tcell.KeyRight}, 'D': {key: tcell.KeyLeft},
	'F': {key: tcell.KeyEnd}, 'H': {key: tcell.KeyHome}, 'L': {key: tcell.KeyInsert},
	'P': {key: tcell.KeyF1}, 'Q': {key: tcell.KeyF2}, 'R': {key: tcell.KeyF3}, 'S': {key: tcell.KeyF4},
	'Z': {key: tcell.KeyBacktab},
	// rxvt
	'a': {key: tcell.KeyUp, mod: tcell.ModShift}, 'b': {key: tcell.KeyDown, mod: tcell.ModShift},
	'c': {key: tcell.KeyRight, mod: tcell.ModShift}, 'd': {key: tcell.KeyLeft, mod: tcell.ModShift},
}

// shifted are the keys behind ESC O. The letters of the keypad that stand for
// function keys elsewhere (t to x, l) are those.
var shifted = map[byte]known{
	'A': {key: tcell.KeyUp}, 'B': {key: tcell.KeyDown}, 'C': {key: tcell.KeyRight}, 'D': {key: tcell.KeyLeft},
	'F': {key: tcell.KeyEnd}, 'H': {key: tcell.KeyHome}, 'M': {key: tcell.KeyEnter},
	'P': {key: tcell.KeyF1}, 'Q': {key: tcell.KeyF2}, 'R': {key: tcell.KeyF3}, 'S': {key: tcell.KeyF4},
	't': {key: tcell.KeyF5}, 'u': {key: tcell.KeyF6}, 'v': {key: tcell.KeyF7}, 'l': {key: tcell.KeyF8},
	'w': {key: tcell.KeyF9}, 'x': {key: tcell.KeyF10},
	'a': {key: tcell.KeyUp, mod: tcell.ModCtrl}, 'b': {key: tcell.KeyDown, mod: tcell.ModCtrl}, // rxvt
	'c': {key: tcell.KeyRight, mod: tcell.ModCtrl}, 'd': {key: tcell.KeyLeft, mod: tcell.ModCtrl},
	'j': char('*'), 'k': char('+'), 'm': char('-'), 'n': char('.'), 'o': char('/'), 'X': char('='),
	'p': char('0'), 'q': char('1'), 'r': char('2'), 's': char('3'), 'y': char('9'),
}

func char(r rune) known { return known{key: tcell.KeyRune, char: r} }

// byNumber is the key with a number before "~". rxvt tells by another final byte of
// modifiers: "^" Ctrl, "@" Ctrl and Shift.
func byNumber(n int, final byte) (known, bool) {
	key, ok := tildes[n]
	switch final {
	case '^':
		key.mod = tcell.ModCtrl
	case '@':
		key.mod = tcell.ModShift | tcell.ModCtrl
	}
	return key, ok
}

var tildes = func() map[int]known {
	all := map[int]known{
		1: {key: tcell.KeyHome}, 2: {key: tcell.KeyInsert}, 3: {key: tcell.KeyDelete}, 4: {key: tcell.KeyEnd},
		5: {key: tcell.KeyPgUp}, 6: {key: tcell.KeyPgDn}, 7: {key: tcell.KeyHome}, 8: {key: tcell.KeyEnd},
	}
	// F1 to F20, with the gaps of the VT220.
	for i, n := range []int{11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34} {
		all[n] = known{key: tcell.KeyF1 + tcell.Key(i)}
	}
	return all
}()

// numbered are the keys of the kitty protocol that type no character of their own
// number.
var numbered = func() map[int]known {
	all := map[int]known{
		9: {key: tcell.KeyTab}, 13: {key: tcell.KeyEnter}, 27: {key: tcell.KeyEscape}, 127: {key: tcell.KeyBackspace}, 8: {key: tcell.KeyBackspace},
		57358: {key: tcell.KeyCapsLock}, 57359: {key: tcell.KeyScrollLock}, 57360: {key: tcell.KeyNumLock},
		57361: {key: tcell.KeyPrint}, 57362: {key: tcell.KeyPause}, 57363: {key: tcell.KeyMenu},
	}
	for i := range 23 { // F13 to F35
		all[57376+i] = known{key: tcell.KeyF13 + tcell.Key(i)}
	}
	for i, r := range "0123456789./*-+" { // the keypad
		all[57399+i] = char(r)
	}
	for i, key := range []tcell.Key{
		tcell.KeyEnter, tcell.KeyRune, tcell.KeyClear, tcell.KeyLeft, tcell.KeyRight, tcell.KeyUp, tcell.KeyDown,
		tcell.KeyPgUp, tcell.KeyPgDn, tcell.KeyHome, tcell.KeyEnd, tcell.KeyInsert, tcell.KeyDelete,
	} {
		all[57414+i] = known{key: key}
	}
	all[57415] = char('=')
	return all
}()
