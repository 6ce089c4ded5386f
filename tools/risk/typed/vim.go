package typed

import (
	"strings"

	"github.com/nod-console/nod/tools/risk"
)

// vimMoves are keys of the normal mode that move or search again.
var vimMoves = set("h j k l w b e W B E 0 ^ $ G { } ( ) % H M L n N * # + enter space 1 2 3 4 5 6 7 8 9 c-f c-b c-d c-u c-e c-y c-g escape")

// vimPairs are keys of the normal mode that move with the one behind them.
var vimPairs = map[string]map[string]bool{
	"g": set("g e _ m ; ,"),
	"z": set("t z b"),
}

// vimStands reports whether vim shows a text and not its command line. Files of settings by
// other names than usual may give the keys another meaning.
func vimStands(s Screen, argv []string) bool {
	for i, arg := range argv {
		if (arg == "-u" || arg == "-i") && (i+1 == len(argv) || argv[i+1] != "NONE") || len(arg) > 2 && (strings.HasPrefix(arg, "-u") || strings.HasPrefix(arg, "-i")) {
			return false
		}
	}
	return s.Alternate && !s.Bottom
}

// vimKeys judges keys for vim. They begin with Escape, behind which the mode is the normal
// one and no command has begun; anything else may be text for whatever has begun before.
func vimKeys(k *keyed) {
	if first := k.next(); first != "escape" {
		k.unknown(first)
		return
	}
	for key := k.next(); key != ""; key = k.next() {
		switch {
		case vimMoves[key] || moves[key]:
		case vimPairs[key] != nil:
			if then := k.next(); !vimPairs[key][then] {
				k.unknown(key + then)
			}
		case key == "/", key == "?":
			if _, ok := k.text(); !ok {
				k.unknown(key)
			}
		case key == ":":
			line, ok := k.text()
			if !ok {
				k.unknown(key)
				return
			}
			k.ex(strings.TrimSpace(line))
		case key == "Z":
			then := k.next()
			k.ex(map[string]string{"Z": "x", "Q": "q!"}[then])
		default:
			k.unknown(key)
		}
	}
}

// Commands of vim's command line by what they do.
var (
	vimLooks  = re(`^(?:\d+|\$|set? +(?:no)?(?:nu|number|rnu|wrap|hls|hlsearch|ic|ignorecase|list|cul|cursorline|ruler|sc|showcmd)|set? +[a-z]+\?|noh(?:lsearch)?|ls|buffers|files|marks|jumps|ju|ver(?:sion)?|f(?:ile)?|=|)$`)
	vimLeaves = re(`^(?:q|quit|qa|qall|cq)$`)
	vimGives  = re(`^(?:q|quit|qa|qall)!$`)
	vimWrites = re(`^(?:w|wa|wq|wqa|x|xa|write|update|up|xit)!?$`)
)

// ex judges a command line of vim's.
func (k *keyed) ex(line string) {
	switch {
	case vimLooks().MatchString(line):
	case vimLeaves().MatchString(line): // it stays if something is not saved
		k.ended()
	case vimGives().MatchString(line):
		k.note(risk.Mutate, 0, "vim.discards", "leaves without saving what was changed")
		k.ended()
	case vimWrites().MatchString(line):
		k.note(risk.Mutate, 0, "vim.writes", "writes the file over what it holds")
		k.ended()
	default:
		if _, command, ok := strings.Cut(line, "!"); ok {
			k.add(risk.Command(strings.TrimSpace(command), risk.Bash))
		}
		k.note(risk.Mutate, risk.Opaque, "vim.unread", "a command of vim's that is not read: it may write files or run programs")
		k.keys = nil
	}
}
