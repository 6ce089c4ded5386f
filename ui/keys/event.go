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
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "F")); err == nil && n >= 1 && n <= 64 && name[0] == 'F' {
		return tcell.NewEventKey(tcell.KeyF1+tcell.Key(n-1), 0, tcell.ModNone)
	}
	for prefix, mod := range map[string]tcell.ModMask{"Ctrl-": tcell.ModCtrl, "Alt-": tcell.ModAlt, "Shift-": tcell.ModShift} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if mod == tcell.ModCtrl && len(rest) == 1 && rest[0] >= 'A' && rest[0] <= 'Z' {
			return tcell.NewEventKey(tcell.KeyCtrlA+tcell.Key(rest[0]-'A'), 0, tcell.ModCtrl)
		}
		if ev := Event(rest); ev != nil {
			return tcell.NewEventKey(ev.Key(), ev.Rune(), ev.Modifiers()|mod)
		}
	}
	return nil
}
