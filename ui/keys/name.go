package keys

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"
)

var names = map[tcell.Key]string{
	tcell.KeyEnter: "Enter", tcell.KeyTab: "Tab", tcell.KeyBacktab: "Shift-Tab",
	tcell.KeyEscape: "Esc", tcell.KeyBackspace: "Backspace", tcell.KeyDelete: "Delete",
	tcell.KeyInsert: "Insert", tcell.KeyUp: "Up", tcell.KeyDown: "Down",
	tcell.KeyLeft: "Left", tcell.KeyRight: "Right", tcell.KeyHome: "Home",
	tcell.KeyEnd: "End", tcell.KeyPgUp: "PgUp", tcell.KeyPgDn: "PgDn",
	tcell.KeyCtrlSpace: "Ctrl-Space", tcell.KeyCtrlBackslash: `Ctrl-\`,
	tcell.KeyCtrlRightSq: "Ctrl-]", tcell.KeyCtrlCarat: "Ctrl-^",
	tcell.KeyCtrlUnderscore: "Ctrl-_",
}

// Name is the key's name as the table writes it: "a", "?", "Enter", "Ctrl-C",
// "Alt-Enter", "F1". However a terminal reports a key, its name is the same.
func Name(ev *tcell.EventKey) string {
	base, mod := baseOf(ev)
	if base == "" {
		return ""
	}
	return modifiers{
		ctrl:  mod&tcell.ModCtrl != 0,
		alt:   mod&tcell.ModAlt != 0,
		shift: mod&tcell.ModShift != 0 && ev.Key() != tcell.KeyRune && !strings.HasPrefix(base, "Shift-"),
	}.before(base)
}

// baseOf is the name of a key that was pressed without its modifiers, and these. It is
// empty for a key without a name.
func baseOf(ev *tcell.EventKey) (base string, mod tcell.ModMask) {
	key, mod := ev.Key(), ev.Modifiers()
	switch {
	case key == tcell.KeyRune && mod&tcell.ModCtrl == 0:
		return string(ev.Rune()), mod
	case key == tcell.KeyRune && ev.Rune() == ' ':
		return "Space", mod
	case key == tcell.KeyRune:
		return strings.ToUpper(string(ev.Rune())), mod
	case key >= tcell.KeyCtrlA && key <= tcell.KeyCtrlZ:
		return string(rune('A' + key - tcell.KeyCtrlA)), mod | tcell.ModCtrl
	case key >= tcell.KeyF1 && key <= tcell.KeyF64:
		return "F" + strconv.Itoa(int(key-tcell.KeyF1)+1), mod
	case key > 0 && key < ' ' && names[key] == "":
		return string(rune('@' + key)), mod | tcell.ModCtrl
	}
	if base, ctrl := strings.CutPrefix(names[key], "Ctrl-"); ctrl {
		return base, mod | tcell.ModCtrl
	}
	return names[key], mod
}

// Text is the character that the key types, or "" if it types none.
func Text(ev *tcell.EventKey) string {
	if ev.Key() != tcell.KeyRune || ev.Modifiers()&(tcell.ModCtrl|tcell.ModAlt|tcell.ModMeta) != 0 {
		return ""
	}
	if unicode.IsControl(ev.Rune()) {
		return ""
	}
	return string(ev.Rune())
}

// Pressed is the key that was pressed where the terminal's report was read as
// another one. Alt is an escape before the key's own byte; before a control
// byte it is read as Ctrl-Alt and a letter, so that Alt-Enter arrives as
// Ctrl-Alt-M and Alt-Backspace as a character.
func Pressed(ev *tcell.EventKey) *tcell.EventKey {
	if ev.Key() != tcell.KeyRune || ev.Modifiers()&tcell.ModAlt == 0 {
		return ev
	}
	mod := ev.Modifiers() &^ tcell.ModCtrl
	switch r, ctrl := ev.Rune(), ev.Modifiers()&tcell.ModCtrl != 0; {
	case ctrl && (r == 'm' || r == 'j'):
		return tcell.NewEventKey(tcell.KeyEnter, 0, mod)
	case r == 0x7f, ctrl && r == 'h':
		return tcell.NewEventKey(tcell.KeyBackspace, 0, mod)
	}
	return ev
}
