package keys

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// otherNames are names of keys in other programs.
var otherNames = map[string]string{
	"escape": "Esc", "return": "Enter", "pageup": "PgUp", "pagedown": "PgDn", "del": "Delete", "ins": "Insert", "space": " ",
}

// mostF is the last function key that terminals report.
const mostF = 24

// same are keys that a terminal reports as another one.
var same = map[string]string{"Ctrl-I": "Tab", "Ctrl-M": "Enter", "Ctrl-H": "Backspace", "Ctrl-[": "Esc", "Ctrl-@": "Ctrl-Space"}

// Canonical is a key's name as Name has it, from what somebody wrote: "ctrl-x",
// "^X", "Ctrl+X". The error quotes what is wrong and says what would be right.
func Canonical(written string) (string, error) {
	held, rest := cutModifiers(written)
	base, ok := baseName(rest)
	char := utf8.RuneCountInString(base) == 1
	var err error
	switch {
	case !ok:
		err = fmt.Errorf("no key is called %q; did you mean %q? A key is a character, %s or F1 to F%d, with Ctrl-, Alt- or Shift- before it",
			written, nearest(rest, baseNames()), strings.Join(baseNames(), ", "), mostF)
	case char && held.shift:
		err = notShifted(written, base)
	case char && held.ctrl:
		base, err = withCtrl(written, base)
	case held.alt && (base == "[" || base == "O" || base == "Esc"):
		err = fmt.Errorf("%q: terminals begin other keys with it", written)
	}
	if err != nil {
		return "", err
	}
	return held.before(base), nil
}

// notShifted says what to write instead of a character with Shift.
func notShifted(written, char string) error {
	if char == " " {
		return fmt.Errorf("%q: no terminal reports it as another key than Space", written)
	}
	r, _ := utf8.DecodeRuneInString(char)
	return fmt.Errorf("%q: write the character that it types, such as %q", written, string(unicode.ToUpper(r)))
}

// withCtrl is a character's name with Ctrl.
func withCtrl(written, char string) (string, error) {
	base := strings.ToUpper(char)
	if base == " " {
		base = "Space"
	}
	if other, is := same["Ctrl-"+base]; is {
		return "", fmt.Errorf("%q: to a terminal it is the same as %s", written, other)
	}
	if base != "Space" && !strings.Contains(`ABCDEFGHIJKLMNOPQRSTUVWXYZ]\^_`, base) {
		return "", fmt.Errorf("%q: terminals report Ctrl only with a letter, ], \\, ^, _ and Space", written)
	}
	return base, nil
}

// modifiers are those that are held with a key.
type modifiers struct{ ctrl, alt, shift bool }

// before puts the modifiers before a key's name.
func (m modifiers) before(base string) string {
	if m.shift {
		base = "Shift-" + base
	}
	if m.alt {
		base = "Alt-" + base
	}
	if m.ctrl {
		base = "Ctrl-" + base
	}
	return base
}

// cutModifiers takes all modifiers from the front of what somebody wrote.
func cutModifiers(written string) (held modifiers, rest string) {
	rest = written
	if len(rest) == 2 && rest[0] == '^' {
		rest = "Ctrl-" + rest[1:]
	}
	for {
		mod, key, ok := cutModifier(rest)
		if !ok {
			return held, rest
		}
		switch mod {
		case "ctrl":
			held.ctrl = true
		case "alt":
			held.alt = true
		case "shift":
			held.shift = true
		}
		rest = key
	}
}

// cutModifier takes "Ctrl-", "Alt+" or the like from the front of a key's name.
func cutModifier(s string) (mod, rest string, ok bool) {
	at := strings.IndexAny(s, "-+")
	if at <= 0 || at == len(s)-1 {
		return "", s, false
	}
	mod = strings.ToLower(s[:at])
	return mod, s[at+1:], mod == "ctrl" || mod == "alt" || mod == "shift"
}

// baseName is the name of a key without modifiers.
func baseName(s string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) && n > 0 && r != utf8.RuneError && unicode.IsPrint(r) {
		return s, true
	}
	low := strings.ToLower(s)
	if name, ok := otherNames[low]; ok {
		return name, true
	}
	for _, name := range baseNames() {
		if strings.ToLower(name) == low {
			return name, true
		}
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(low, "f")); err == nil && low[0] == 'f' && low == "f"+strconv.Itoa(n) && n >= 1 && n <= mostF {
		return "F" + strconv.Itoa(n), true
	}
	return "", false
}

func baseNames() []string {
	all := []string{"Space"}
	for _, name := range names {
		if !strings.Contains(name, "-") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// needed says why a key cannot be given away at a place; empty if it can.
func needed(place Place, key string) string {
	plain := !strings.HasPrefix(key, "Ctrl-") && !strings.HasPrefix(key, "Alt-")
	common := plain && (len(key) < 2 || key[0] != 'F') // no function key, and no modifier but Shift
	switch {
	case place&(Input|Searching|Completing) != 0:
		return neededWriting(key)
	case place == Typing && (key == "Ctrl-C" || common && !strings.HasPrefix(key, "Shift-")):
		return "the program in the terminal needs it"
	case place == Dialog && (common || slices.Contains(inDialogs, key)):
		return "approval dialogs and questions need it"
	case place == Overlay && (common || slices.Contains(inLists, key)):
		return "lists need it"
	}
	return ""
}

// neededWriting says why a key cannot be given away where something is written.
func neededWriting(key string) string {
	switch {
	case utf8.RuneCountInString(key) == 1:
		return "it is typed where you write"
	case slices.Contains([]string{"Backspace", "Delete", "Left", "Right"}, key):
		return "where you write, it is needed for that"
	}
	return ""
}

// inDialogs are keys with Ctrl or Alt that dialogs, and what is written in them,
// have for themselves.
var inDialogs = []string{"Shift-Enter", "Alt-Enter", "Ctrl-J", "Ctrl-A", "Ctrl-C", "Ctrl-E", "Ctrl-K", "Ctrl-U"}

// inLists are those of lists: the palette, the targets, the conversations.
var inLists = []string{"Ctrl-C", "Ctrl-N", "Ctrl-O", "Ctrl-P", "Ctrl-U", "Ctrl-X", "Ctrl-Y"}
