package pane

import "strings"

// longestTyped is the longest line that is typed as it is. Terminals cut longer
// ones silently (4,095 bytes, some shells at 1,023), and still run the rest.
const longestTyped = 800

// unlost stands in front of what is typed for a shell that may be busybox's. That
// (1.35) asks the terminal where the cursor is, and where the answer begins as a
// key's sequence does, such as in the first row and the third or fifth column,
// it takes the next ten bytes for a part of it. Now it gets Ctrl-E, which does
// nothing there; dash takes them for text, which Ctrl-U clears. Blanks would not
// do: busybox draws its prompt again, with its marks, where Ctrl-U clears some.
const unlost = "\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x15"

// typed is how a command is typed.
type typed struct {
	keys  []byte
	lines int    // how many continuation prompts would be one too many
	stash string // the buffer that holds the command, if it is not typed itself
}

// shape decides how a command is typed for a shell.
func shape(command string, shell Shell, paste bool, n nonce) typed {
	clear := "\x15" // what was typed ahead: Ctrl-U
	announce := "__nod_f;"
	switch {
	case shell == Posix:
		clear = unlost
	case shell.readline():
		// To the end of the line first; the first blank keeps the bell quiet.
		// The second is for bash (5.2), which loses the first character of a
		// line if an interrupt came while it put the prompt up.
		clear = "\x05 \x15 "
	}
	if shell.announces() {
		announce = ""
	}
	enter := "\r"
	if shell == Fish {
		enter = "\x1b[133~" // a key of the hook's, which refuses what is not complete
		paste = true
	}
	lines := strings.Count(command, "\n") + 1
	paste = paste && (shell.readline() || shell.pastes())
	direct := len(command) <= longestTyped && !strings.ContainsFunc(command, func(r rune) bool {
		return r < 0x20 && r != '\n' || r == 0x7f
	})
	if (shell.readline() || shell == Zsh) && (strings.Contains(command, "!") || strings.HasPrefix(command, "^")) {
		direct = false // history expansion would change it
	}
	if shell == Zsh && strings.Contains(command, "#") {
		direct = false // what is typed has no comments there
	}
	switch {
	case !direct, shell.pastes() && !paste, lines > 1 && shell.readline() && !paste, lines > 1 && shell == OldBash:
		return typed{
			keys:  []byte(clear + announce + "eval \"$(__nod_r)\"" + enter),
			lines: 1, stash: n.buffer(),
		}
	case lines == 1 && !shell.pastes():
		return typed{keys: []byte(clear + announce + command + "\r"), lines: 1}
	case paste:
		return typed{keys: []byte(clear + "\x1b[200~" + command + "\x1b[201~" + enter), lines: 1}
	}
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	return typed{keys: []byte(clear + announce + "eval " + quoted + "\r"), lines: lines}
}
