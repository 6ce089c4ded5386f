package typed

import (
	"slices"
	"strings"

	"github.com/nod-console/nod/tools/risk"
)

// screen is a program that takes keys one by one.
type screen struct {
	name     string
	programs []string
	options  string // with which the keys mean what they usually do; see options
	// stands reports whether the program takes commands, and not text for one that has
	// begun. The arguments are the program's.
	stands func(Screen, []string) bool
	// read judges keys as they come.
	read func(*keyed)
}

// screens are all of them.
var screens = []screen{
	{
		name: "less", programs: []string{"less", "pager"},
		options: "N n S R r F X i I K M m q Q s u U e E f g G J w W c C L a A x: y: z: j: P: b: h: " +
			"chop-long-lines RAW-CONTROL-CHARS no-init quit-if-one-screen LINE-NUMBERS ignore-case IGNORE-CASE use-color mouse",
		stands: lessStands, read: lessKeys,
	},
	{
		name: "more", programs: []string{"more"}, options: "d f l p c s u e n: lines=",
		stands: func(s Screen, _ []string) bool { return strings.HasPrefix(s.Line, "--More--") && s.Bottom },
		read:   moreKeys,
	},
	{
		name: "vim", programs: []string{"vim", "vi", "view", "nvim", "rvim", "rview", "vimdiff"}, options: "R n M m N d O o p Z u: i:",
		stands: vimStands,
		read:   vimKeys,
	},
	{
		name: "top", programs: []string{"top"}, options: "b c i H S s d: n: p: u: U: o: w? E: e:",
		stands: func(Screen, []string) bool { return true },
		read:   func(k *keyed) { k.each(topKeys, set("q Q c-c")) },
	},
	{
		name: "htop", programs: []string{"htop"}, options: "C t u: d: p: s: tree no-color delay= user= pid= sort-key=",
		stands: func(Screen, []string) bool { return true },
		read:   func(k *keyed) { k.each(nil, set("q f10")) },
	},
}

// moves are keys that only move in a view, beside those of package risk.
var moves = set("up down left right home end ppage npage c-l")

// topKeys change what top shows.
var topKeys = set("M P N T 1 c i H t m e E l x y z < > R h ? space")

// keyed follows keys for a program that takes them one by one.
type keyed struct {
	keys    []string
	tracked bool
	session
}

// judge assesses keys.
func (s *screen) judge(k risk.Keystrokes) risk.Verdict {
	whole := len(k.Pending) + len(k.Literal)
	all := keyed{tracked: k.Tracked, session: session{language: &language{name: s.name}, whole: whole, total: risk.Harmless()}}
	for _, r := range k.Literal {
		switch {
		case r == '\n':
			all.keys = append(all.keys, "enter")
		case r == ' ':
			all.keys = append(all.keys, "space")
		case unprintable(r):
			all.keys = append(all.keys, "a control character")
		default:
			all.keys = append(all.keys, string(r))
		}
	}
	for _, name := range k.Keys {
		if len(name) > 1 {
			name = risk.KeyName(name)
		}
		all.keys = append(all.keys, name)
	}
	if k.Enter {
		all.keys = append(all.keys, "enter")
	}
	s.read(&all)
	if all.total.Flags.Has(risk.Opaque) { // it may be a command for another program
		all.add(risk.Keys(k))
	}
	return all.total
}

// next takes the next key; "" if there is none.
func (k *keyed) next() string {
	if len(k.keys) == 0 {
		return ""
	}
	key := k.keys[0]
	k.keys = k.keys[1:]
	return key
}

// unknown ends the reading at a key that may do anything.
func (k *keyed) unknown(key string) {
	k.keys = nil
	k.note(risk.Mutate, risk.Opaque, "keys.unread", "what the key "+key+" does in "+k.name+" then is not known")
}

// ended checks that nothing follows the end of the program: who reads it then is not known.
func (k *keyed) ended() {
	if len(k.keys) > 0 {
		k.unknown(k.keys[0])
	}
}

// each reads keys that are all of a table, or the last one of another.
func (k *keyed) each(table, last map[string]bool) {
	for key := k.next(); key != ""; key = k.next() {
		switch {
		case key == "c-c" && !k.tracked:
			k.unknown(key)
		case last[key]:
			k.ended()
		case !table[key] && !moves[key]:
			k.unknown(key)
		}
	}
}

// text takes the keys of a text up to Enter; ok is false if there is another key in it or
// no end. What has no end yet is read together with what comes next, which is not known.
func (k *keyed) text() (text string, ok bool) {
	var b strings.Builder
	for key := k.next(); key != ""; key = k.next() {
		switch {
		case key == "enter":
			return b.String(), true
		case key == "space":
			b.WriteByte(' ')
		case len([]rune(key)) == 1:
			b.WriteString(key)
		default:
			return b.String(), false
		}
	}
	return b.String(), false
}

// lessPrompts are what less shows where it takes commands; beside it, the name of a file.
var lessPrompts = re(`^(?:|\S+ )(?::|\(END\))$|^:$|^ ?Manual page .*\(press h for help or q to quit\)$|^lines \d+-\d+(?:/\d+)?(?: \d+%| \(END\))?$|^HELP -- |^\d+%$`)

// lessStands reports whether less takes commands.
func lessStands(s Screen, argv []string) bool {
	line := strings.TrimRight(s.Line, " ")
	if !s.Bottom || strings.HasPrefix(line, "!") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") {
		return false
	}
	if lessPrompts().MatchString(line) {
		return true
	}
	name, _, _ := strings.Cut(line, " (file ")
	return name != "" && slices.Contains(argv, name)
}

// lessMoves are keys of less that move, search again or show.
var lessMoves = set("space enter e j y k f b d u z w g G < > % p n N r R h H = F { } ( ) [ ] 0 1 2 3 4 5 6 7 8 9 c-f c-b c-d c-u c-e c-y c-n c-p c-k c-v c-r c-g")

// lessKeys judges keys for less.
func lessKeys(k *keyed) {
	for key := k.next(); key != ""; key = k.next() {
		switch {
		case lessMoves[key] || moves[key]:
		case key == "q", key == "Q":
			k.ended()
		case key == "/", key == "?", key == "&":
			if _, ok := k.text(); !ok {
				k.unknown(key)
			}
		case key == ":":
			switch then := k.next(); then {
			case "n", "p", "f", "x":
			case "q", "Q":
				k.ended()
			default:
				k.unknown(key + then)
			}
		case key == "m", key == "'":
			if then := k.next(); len(then) != 1 {
				k.unknown(key + then)
			}
		case key == "-":
			if then := k.next(); !lessToggles[then] {
				k.unknown(key + then)
			}
		case key == "c-c" && k.tracked:
		default:
			k.shellOr(key)
		}
	}
}

// lessToggles are options of less that change only how it shows.
var lessToggles = set("N S i I")

// shellOr judges "!", behind which a command for a shell stands, or a key that is not
// known.
func (k *keyed) shellOr(key string) {
	if key != "!" {
		k.unknown(key)
		return
	}
	command, _ := k.text()
	k.add(risk.Command(command, risk.Bash))
	k.note(risk.Mutate, risk.Opaque, "sql.shell", k.name+" runs a program of the host")
	k.keys = nil
}

// moreKeys judges keys for more.
func moreKeys(k *keyed) {
	table := set("space enter b d f s z = h c-d c-b 0 1 2 3 4 5 6 7 8 9")
	for key := k.next(); key != ""; key = k.next() {
		switch {
		case table[key]:
			k.ended() // at the end of the text it ends by itself
		case key == "q", key == "Q":
			k.ended()
		case key == "/":
			if _, ok := k.text(); !ok {
				k.unknown(key)
			}
			k.ended()
		default:
			k.shellOr(key)
		}
	}
}
