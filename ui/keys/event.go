package keys

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// Event is a press of the key with a name: what [Name] says of it is that name. It is nil
// for a name that no key has.
func Event(name string) *tcell.EventKey {
	for key, of := range names {
		if of == name {
			return tcell.NewEventKey(key, 0, tcell.ModNone)
		}
	}
	if r, n := utf8.DecodeRuneInString(name); n > 0 && n == len(name) {
		return tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone)
	}
	if key, ok := functionKey(name); ok {
		return tcell.NewEventKey(key, 0, tcell.ModNone)
	}
	for prefix, mod := range map[string]tcell.ModMask{"Ctrl-": tcell.ModCtrl, "Alt-": tcell.ModAlt, "Shift-": tcell.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if ev := eventWith(mod, rest); ev != nil {
				return ev
			}
		}
	}
	return nil
}

// functionKey is the key that a name of F1 to F64 has.
func functionKey(name string) (tcell.Key, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "F"))
	if err != nil || n < 1 || n > 64 || name[0] != 'F' {
		return 0, false
	}
	return tcell.KeyF1 + tcell.Key(n-1), true
}

// eventWith is a press of the key with a name while a modifier is held; nil if there is
// none.
func eventWith(mod tcell.ModMask, name string) *tcell.EventKey {
	if mod == tcell.ModCtrl && len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
		return tcell.NewEventKey(tcell.KeyCtrlA+tcell.Key(name[0]-'A'), 0, tcell.ModCtrl)
	}
	ev := Event(name)
	if ev == nil {
		return nil
	}
	return tcell.NewEventKey(ev.Key(), ev.Rune(), ev.Modifiers()|mod)
}
