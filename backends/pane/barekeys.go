package pane

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nod-console/nod/backends/vt"
)

// keyBytes is what tmux 3.3a types for keys by its names, in a terminal in which
// the program has set these modes. Like tmux it types as text what is no name.
func keyBytes(names []string, modes vt.Modes) []byte {
	var b []byte
	for _, name := range names {
		seq, known := keySequence(name, modes)
		if !known {
			seq = strings.ReplaceAll(name, "\x7f", plainKeys["bspace"])
		}
		b = append(b, seq...)
	}
	return b
}

// modifier is a set of keys that are held down, as xterm counts them in its
// sequences (less one).
type modifier int

const (
	shift modifier = 1 << iota
	meta
	control
)

// plainKeys are the keys that are one byte.
var plainKeys = map[string]string{
	"enter": "\r", "escape": "\x1b", "tab": "\t", "bspace": "\x7f",
}

// cursorKeys are the keys with another sequence while the program has asked
// for that of application cursor keys. A modifier is put in front of the letter.
var cursorKeys = map[string]byte{"up": 'A', "down": 'B', "right": 'C', "left": 'D'}

// letteredKeys are sequences to which a modifier gives a letter for an end.
var letteredKeys = map[string]struct {
	plain  string
	letter byte
}{
	"home": {"\x1b[1~", 'H'}, "end": {"\x1b[4~", 'F'},
	"f1": {"\x1bOP", 'P'}, "f2": {"\x1bOQ", 'Q'}, "f3": {"\x1bOR", 'R'}, "f4": {"\x1bOS", 'S'},
}

// numberedKeys are sequences with a number.
var numberedKeys = map[string]int{
	"ic": 2, "insert": 2, "dc": 3, "delete": 3,
	"ppage": 5, "pageup": 5, "pgup": 5, "npage": 6, "pagedown": 6, "pgdn": 6,
	"f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24,
}

// padKeys are the keys of the keypad: what they type, and what they type in
// application mode.
var padKeys = map[string]struct{ plain, application string }{
	"kp/": {"/", "\x1bOo"}, "kp*": {"*", "\x1bOj"}, "kp-": {"-", "\x1bOm"}, "kp+": {"+", "\x1bOk"},
	"kp.": {".", "\x1bOn"}, "kpenter": {"\n", "\x1bOM"},
	"kp0": {"0", "\x1bOp"}, "kp1": {"1", "\x1bOq"}, "kp2": {"2", "\x1bOr"}, "kp3": {"3", "\x1bOs"},
	"kp4": {"4", "\x1bOt"}, "kp5": {"5", "\x1bOu"}, "kp6": {"6", "\x1bOv"},
	"kp7": {"7", "\x1bOw"}, "kp8": {"8", "\x1bOx"}, "kp9": {"9", "\x1bOy"},
}

// keySequence is what one key types. Some keys are known and type nothing.
func keySequence(name string, modes vt.Modes) (seq string, known bool) {
	if digits, isHex := strings.CutPrefix(name, "0x"); isHex {
		r, err := strconv.ParseUint(digits, 16, 21)
		return string(rune(r)), err == nil && r != 0 && utf8.ValidRune(rune(r))
	}
	mod, bare := modifiersOf(name)
	if r, n := utf8.DecodeRuneInString(bare); n > 0 && n == len(bare) && r >= 0x20 {
		return characterSequence(r, mod)
	}
	bare = strings.ToLower(bare)
	if bare == "space" {
		return characterSequence(' ', mod)
	}
	if letter, ok := cursorKeys[bare]; ok {
		switch {
		case mod != 0:
			return lettered(letter, mod), true
		case modes.AppCursor:
			return "\x1bO" + string(letter), true
		}
		return "\x1b[" + string(letter), true
	}
	if key, ok := letteredKeys[bare]; ok {
		if mod != 0 {
			return lettered(key.letter, mod), true
		}
		return key.plain, true
	}
	if n, ok := numberedKeys[bare]; ok {
		if mod != 0 {
			return "\x1b[" + strconv.Itoa(n) + ";" + strconv.Itoa(1+int(mod)) + "~", true
		}
		return "\x1b[" + strconv.Itoa(n) + "~", true
	}
	return unmodifiable(bare, mod, modes)
}

// modifiersOf takes the modifiers off the name of a key.
func modifiersOf(name string) (modifier, string) {
	var mod modifier
	if len(name) > 1 && name[0] == '^' {
		mod, name = control, name[1:]
		if len(name) == 1 {
			return mod, name
		}
	}
	for len(name) > 2 && name[1] == '-' {
		switch name[0] {
		case 'C', 'c':
			mod |= control
		case 'M', 'm':
			mod |= meta
		case 'S', 's':
			mod |= shift
		default:
			return mod, name
		}
		name = name[2:]
	}
	return mod, name
}

// lettered is the sequence of a key with modifiers that ends with a letter.
func lettered(letter byte, mod modifier) string {
	return "\x1b[1;" + strconv.Itoa(1+int(mod)) + string(letter)
}

// unmodifiable is what a key types to which no modifier but Meta does anything.
func unmodifiable(name string, mod modifier, modes vt.Modes) (seq string, known bool) {
	seq, known = plainKeys[name]
	if pad, ok := padKeys[name]; ok {
		seq, known = pad.plain, true
		if modes.AppKeypad {
			seq = pad.application
		}
	}
	if name == "btab" {
		seq, known = "\x1b[Z", true
	}
	switch mod {
	case 0:
		return seq, known
	case meta:
		return "\x1b" + seq, known
	case control:
		return "", known
	}
	return "", false
}

// characterSequence is what the key of a character types.
func characterSequence(r rune, mod modifier) (seq string, known bool) {
	escape := ""
	if mod&meta != 0 {
		escape = "\x1b"
	}
	if r > 0x7f {
		return escape + string(r), true
	}
	switch mod &^ meta {
	case 0:
		return escape + string(r), true
	case control:
		return controlSequence(byte(r), escape)
	}
	return "", false
}

// controlSequence is what a character types with Control, after escape.
func controlSequence(c byte, escape string) (seq string, known bool) {
	switch {
	case c == ' ' || c == '?' || c >= '@' && c <= '_' || c >= 'a' && c <= 'z':
		if c == '?' {
			return escape + "\x7f", true
		}
		return escape + string(rune(c&0x1f)), true
	case escape != "":
		return "", false
	case c == '2':
		return "\x00", true
	case c == '6':
		return "\x1e", true
	case c == '/' || c == '-':
		return "\x1f", true
	}
	return "", strings.IndexByte("01345789!#'()+,.:;<=>`", c) >= 0
}
