package uitest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

var named = map[string]tcell.Key{
	"Enter": tcell.KeyEnter, "Tab": tcell.KeyTab, "Shift-Tab": tcell.KeyBacktab,
	"Esc": tcell.KeyEscape, "Backspace": tcell.KeyBackspace, "Delete": tcell.KeyDelete,
	"Up": tcell.KeyUp, "Down": tcell.KeyDown, "Left": tcell.KeyLeft, "Right": tcell.KeyRight,
	"Home": tcell.KeyHome, "End": tcell.KeyEnd, "PgUp": tcell.KeyPgUp, "PgDn": tcell.KeyPgDn,
}

// parse turns a key's name into what a terminal reports for it.
func parse(name string) (tcell.Key, rune, tcell.ModMask, error) {
	if key, ok := named[name]; ok {
		return key, 0, tcell.ModNone, nil
	}
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && n > 0 {
		return tcell.KeyRune, r, tcell.ModNone, nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "F")); err == nil && name[0] == 'F' {
		return tcell.KeyF1 + tcell.Key(n-1), 0, tcell.ModNone, nil
	}
	prefix, rest, ok := strings.Cut(name, "-")
	mod := map[string]tcell.ModMask{"Ctrl": tcell.ModCtrl, "Alt": tcell.ModAlt, "Shift": tcell.ModShift}[prefix]
	if !ok || mod == 0 || rest == "" {
		return 0, 0, 0, fmt.Errorf("no key is called %q", name)
	}
	key, r, more, err := parse(rest)
	if key == tcell.KeyRune && mod == tcell.ModCtrl {
		key, r = control(r)
	}
	return key, r, mod | more, err
}

// control is what a terminal reports for a character with Ctrl.
func control(r rune) (tcell.Key, rune) {
	switch {
	case r >= 'A' && r <= 'Z':
		return tcell.KeyCtrlA + tcell.Key(r-'A'), 0
	case r == ']':
		return tcell.KeyCtrlRightSq, 0
	}
	return tcell.KeyRune, r
}
