package shells

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends/pane/marks"
)

// The hooks, each in the language of its shell. Filled in are NONCE and SECOND,
// with which marks are signed, nod-NAME, the name of the buffer, FIRST, what is
// written first, KEPT and ENTRIES, the bounds of an account, and OPEN and CLOSE, between
// which a command is pasted.
var (
	//go:embed hooks/bash.bash
	bashHook string
	//go:embed hooks/posix.sh
	posixHook string
	//go:embed hooks/zsh.zsh
	zshHook string
	//go:embed hooks/fish.fish
	fishHook string
)

// What a hook changes in a shell of the operator's is taken back when nod goes:
// they go on using that shell. In front of the hook goes a text that writes down
// which of the variables that it changes were there, and how (HOOK stands for the
// hook); the other text takes out what is nod's, and leaves what the operator has
// changed since.
var (
	//go:embed hooks/before.sh
	posixBefore string
	//go:embed hooks/before.zsh
	zshBefore string

	//go:embed hooks/unhook.bash
	bashUnhook string
	//go:embed hooks/unhook.sh
	posixUnhook string
	//go:embed hooks/unhook.zsh
	zshUnhook string
	//go:embed hooks/unhook.fish
	fishUnhook string
)

// sourced is the hook for a shell that is bash or one without a name of its own:
// which of them it is, it finds out itself. No variable of it is exported.
const sourced = `case $- in *a*) set +a; __nod_a=-a;; *) __nod_a=+a;; esac
if [ -n "${ZSH_VERSION-}" ]; then
:
elif [ -n "${BASH_VERSION-}" ]; then
\eval 'BASH'
else
POSIX
fi
set $__nod_a; unset __nod_a
`

// Hook is the text that makes a shell, by the name that the system gives it, write
// marks. The shell begins by writing first, which is in printf's notation.
func Hook(command string, n marks.Nonce, first string) string {
	var text string
	switch Named(command) {
	case "zsh":
		text = "emulate zsh -c " + quoted("\n"+zshHook) + "\n"
	case "fish":
		text = fishHook
	default:
		text = strings.NewReplacer("'BASH'", quoted("\n"+bashHook), "POSIX", strings.TrimSuffix(posixHook, "\n")).Replace(sourced)
	}
	return strings.NewReplacer(
		"NONCE", string(n), "SECOND", n.Prompt(), "nod-NAME", n.Buffer(), "FIRST", first,
		"OPEN", fishOpens, "CLOSE", fishCloses,
		"KEPT", strconv.Itoa(marks.KeptBytes), "ENTRIES", strconv.Itoa(marks.KeptEntries),
	).Replace(text)
}

// quoted is a text as one word of a POSIX shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Guest is a hook for a shell, by its name, that [Unhook] can take back, and that
// finds the tmux server by its socket, a word of the shell; empty for the server
// that the shell knows itself.
func Guest(command, hook, socket string) string {
	text, set := posixBefore, "__nod_x="
	switch Named(command) {
	case "zsh":
		text = zshBefore
	case "fish": // has nothing that it cannot tell from its own
		text, set = "HOOK\n", "set -g __nod_x "
	}
	if socket != "" {
		hook = strings.TrimSuffix(hook, "\n") + "\n" + set + socket + ",0,0\n"
	}
	return strings.Replace(text, "HOOK\n", strings.TrimSuffix(hook, "\n")+"\n", 1)
}

var nodNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b__nod_[a-zA-Z0-9_]+`) })

// Unhook is the text that takes a hook back. farewell is written last, in printf's
// notation.
func Unhook(f Family, n marks.Nonce, farewell string) string {
	text := posixUnhook
	switch f {
	case Bash, OldBash:
		text = bashUnhook
	case Zsh:
		text = "emulate zsh -c " + quoted("\n"+zshUnhook) + "\n"
	case Fish:
		text = fishUnhook
	}
	hook := Hook(string(f), n, "") + posixBefore
	names := nodNames().FindAllString(hook+text, -1)
	slices.Sort(names)
	names = slices.Compact(names)
	// The tab has it handed over and not typed.
	return "\t" + strings.NewReplacer("NAMES", strings.Join(names, " "), "FAREWELL", farewell).Replace(text)
}

// probeMark is what a probe writes in front of the name of the probe.
const probeMark = `\033]133;K;%s;h=`

// Probe is a line that asks what is at the prompt which shell it is, in words that
// all shells understand. The answer comes in a [marks.Probed] mark, under a name.
func Probe(name string) string {
	return ` printf '` + probeMark + name + `\007' "$BASH_VERSION,$ZSH_VERSION,$FISH_VERSION"`
}

// Probed reads the answer to a probe: the name of the shell.
func Probed(versions string) string {
	for i, version := range strings.Split(versions, ",") {
		if version != "" && i < 3 {
			return []string{"bash", "zsh", "fish"}[i]
		}
	}
	return "sh"
}
