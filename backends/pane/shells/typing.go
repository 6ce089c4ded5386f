package shells

import (
	"strings"

	"github.com/nod-console/nod/backends/pane/marks"
)

// longestTyped is the longest line that is typed as it is. Terminals cut longer
// ones silently (4,095 bytes, some shells at 1,023), and still run the rest.
const longestTyped = 800

// ClearBusybox clears the line: it stands in front of what is typed for a shell that may be busybox's. That
// (1.35) asks the terminal where the cursor is, and where the answer begins as a
// key's sequence does, such as in the first row and the third or fifth column,
// it takes the next ten bytes for a part of it. Now it gets Ctrl-E, which does
// nothing there; dash takes them for text, which Ctrl-U clears. Blanks would not
// do: busybox draws its prompt again, with its marks, where Ctrl-U clears some.
const ClearBusybox = "\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x15"

// Typing is how a command is typed.
type Typing struct {
	Keys  []byte
	Lines int    // how many continuation prompts would be one too many
	Stash string // the buffer that holds the command, if it is not typed itself
}

// Type decides how a command is typed for a shell. paste says that the shell has
// asked for pasted text to be marked.
func Type(command string, shell Family, paste bool, n marks.Nonce) Typing {
	clear := "\x15" // what was typed ahead: Ctrl-U
	announce := "__nod_f;"
	switch {
	case shell == Posix:
		clear = ClearBusybox
	case shell.Readline():
		// To the end of the line first; the first blank keeps the bell quiet.
		// The second is for bash (5.2), which loses the first character of a
		// line if an interrupt came while it put the prompt up.
		clear = "\x05 \x15 "
	}
	if shell.Announces() {
		announce = ""
	}
	enter := "\r"
	if shell == Fish {
		enter = "\x1b[133~" // a key of the hook's, which refuses what is not complete
		paste = true
	}
	lines := strings.Count(command, "\n") + 1
	paste = paste && (shell.Readline() || shell.Pastes())
	direct := len(command) <= longestTyped && !strings.ContainsFunc(command, func(r rune) bool {
		return r < 0x20 && r != '\n' || r == 0x7f
	})
	if (shell.Readline() || shell == Zsh) && (strings.Contains(command, "!") || strings.HasPrefix(command, "^")) {
		direct = false // history expansion would change it
	}
	if shell == Zsh && strings.Contains(command, "#") {
		direct = false // what is typed has no comments there
	}
	switch {
	case !direct, shell.Pastes() && !paste, lines > 1 && shell.Readline() && !paste, lines > 1 && shell == OldBash:
		return Typing{
			Keys:  []byte(clear + announce + "eval \"$(__nod_r)\"" + enter),
			Lines: 1, Stash: n.Buffer(),
		}
	case lines == 1 && !shell.Pastes():
		return Typing{Keys: []byte(clear + announce + command + "\r"), Lines: 1}
	case paste:
		return Typing{Keys: []byte(clear + "\x1b[200~" + command + "\x1b[201~" + enter), Lines: 1}
	}
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	return Typing{Keys: []byte(clear + announce + "eval " + quoted + "\r"), Lines: lines}
}
