package shells

import (
	"strings"

	"github.com/nod-console/nod/backends/pane/marks"
)

// longestTyped is the longest line that is typed as it is. Terminals cut longer
// ones silently (4,095 bytes, some shells at 1,023), and still run the rest.
const longestTyped = 800

// ClearBusybox clears the line: it stands in front of what is typed for a shell that may be
// busybox's. That (1.35) reads up to 16 bytes, the size of its buffer, as one key that
// begins with an escape and is none that it knows: behind an Esc of the operator's, and
// where it asks the terminal for the cursor's place and the answer begins as a key does,
// such as in the first row and the third or fifth column. What it takes is Ctrl-E then,
// which does nothing there; dash takes that for text, which Ctrl-U clears. Blanks would not
// do: busybox draws its prompt again, with its marks, where Ctrl-U clears some.
var ClearBusybox = strings.Repeat("\x05", 16) + clearTwice

// clearTwice is Ctrl-U, and again: a key that the operator has left to wait for another, such as
// Ctrl-V, may make text of the first.
const clearTwice = "\x15\x15"

// insertMode is a key of the hook's, which does nothing but where bash's editor takes vi's
// commands: there it begins to insert. The first one ends a command that waits for more,
// such as d.
const insertMode = "\x1b[138~\x1b[138~"

// What stands between fishOpens and fishCloses on fish's line is what nod has typed, and
// nothing else is: the hook's key takes both away and runs that, or runs nothing. What is
// run in spite of it is no command of nod's: fish (3.6) takes what a search in the history,
// which has just been asked for, finds meanwhile.
const (
	fishOpens  = "<nod:"
	fishCloses = ":nod>"
)

// ClearLine clears the line of a shell that edits lines, by whatever keys: where it takes
// vi's commands, the second i begins to insert (the first may end a command that waits for
// more, such as d); elsewhere they are text, which Ctrl-U clears, without a bell where the
// line was empty.
const ClearLine = "ii\x15"

// Typing is how a command is typed.
type Typing struct {
	Keys  []byte
	Lines int    // how many continuation prompts would be one too many
	Stash string // the buffer that holds the command, if it is not typed itself
	Echo  Echo   // what the terminal shows of it, in a shell that does not announce commands
}

// Fetched is what is typed for a command that is not typed itself.
func Fetched(shell Family) string { return Eval(string(shell)) + ` "$(__nod_r)"` }

// Eval is the word for eval in a shell, by its name, also where that is an alias.
func Eval(command string) string {
	if Named(command) == "fish" {
		return "eval"
	}
	return `\eval`
}

// FetchedLength is how much a line is long that is typed for a command which is not
// typed itself.
func FetchedLength(shell Family) int {
	length := len(Fetched(shell))
	if shell.Readline() {
		length++ // the blank in front of it
	}
	if shell == OldBash {
		length += len("__nod_f;")
	}
	return length
}

// Terminal is how a terminal takes what is typed for a command.
type Terminal struct {
	Paste bool // the shell has asked for pasted text to be marked
	Raw   bool // keys come to a shell one by one that edits no lines
	Key   byte // with which the shell takes the command, one of [marks.Keys]; 0 if it takes none of them
}

// Type decides how a command is typed for a shell.
func Type(command string, shell Family, at Terminal, n marks.Nonce) Typing {
	if shell.Plain() {
		return typePlain(command, shell, at.Raw, n)
	}
	k := keysFor(shell, at)
	lines := strings.Count(command, "\n") + 1
	switch {
	case !direct(command, shell), shell.Pastes() && !k.paste, lines > 1 && shell.Readline() && !k.paste, lines > 1 && shell == OldBash:
		return Typing{Keys: []byte(k.clear + k.announce + k.opens + Fetched(shell) + k.closes + k.enter), Lines: 1, Stash: n.Buffer()}
	case lines == 1 && !shell.Pastes():
		return Typing{Keys: []byte(k.clear + k.announce + command + k.enter), Lines: 1}
	}
	return Typing{Keys: []byte(k.clear + "\x1b[200~" + k.opens + command + k.closes + "\x1b[201~" + k.enter), Lines: 1}
}

// keys are what is typed around a command.
type keys struct {
	clear    string // in front of all, against what was typed ahead
	announce string // what says that the command begins, where the shell does not
	opens    string // in front of the command, and
	closes   string // behind it, in the line
	enter    string
	paste    bool // pasted text may be marked
}

// keysFor are the keys for a shell that announces its commands.
func keysFor(shell Family, at Terminal) keys {
	k := keys{clear: clearTwice, enter: "\r", paste: at.Paste}
	if shell.Readline() {
		// To the end of the line first; what is cleared keeps the bell quiet. The
		// blank is for bash (5.2), which loses the first character of a line if an
		// interrupt came while it put the prompt up.
		k.clear = "\x05" + ClearLine + " "
	}
	if shell == OldBash {
		k.announce = "__nod_f;"
	}
	key := "\x1b[13" + string(at.Key) + "~"
	switch {
	case at.Key == 0:
	case shell == Bash:
		// It only says what comes. In front of all stands what makes the editor insert
		// text, where it edits by vi's keys and takes commands.
		k.clear = insertMode + "\x05 \x15 " + key
	default:
		k.enter = key // it enters the line
	}
	if shell == Fish {
		// The first one ends a search in the history; the second clears the line, also the
		// lines above, where an earlier one is not complete.
		k.clear += "\x1b[138~\x1b[137~"
		k.paste = true
		if at.Key != 0 {
			k.opens, k.closes = fishOpens, fishCloses
		}
	}
	return k
}

// direct reports whether a shell takes a command as it is from keys.
func direct(command string, shell Family) bool {
	switch {
	case (shell.Readline() || shell == Zsh) && (strings.Contains(command, "!") || strings.HasPrefix(command, "^")):
		return false // history expansion would change it
	case shell == Zsh && strings.Contains(command, "#"):
		return false // what is typed has no comments there
	}
	return short(command)
}

// typePlain is Type for a shell that says at its prompts alone what it has done.
// What is typed ends with a newline, which is one whatever the terminal makes of a
// carriage return.
func typePlain(command string, shell Family, raw bool, n marks.Nonce) Typing {
	typed := command
	switch {
	case !strings.Contains(command, "\n"):
	case shell == Posix:
		typed = oneLine(command)
	default:
		typed = Eval(string(shell)) + " " + quoted(command)
	}
	t := Typing{}
	if !short(command) || len(typed) > 2*longestTyped {
		typed, t.Stash = Fetched(shell), n.Buffer()
	}
	lines := strings.Split(typed, "\n")
	t.Keys, t.Lines, t.Echo = []byte(Clear(shell, raw)+typed+"\n"), len(lines), NewEcho(shell, lines)
	return t
}

// oneLine is a line that runs a command of several lines. Where the terminal edits lines, an
// interrupt that the operator presses in the same moment can take the first line away with
// it: dash (0.5.12) drops the line that it has read and not yet begun with, and would run the
// rest of the command, alone.
func oneLine(command string) string {
	text := strings.NewReplacer(`\`, `\\`, "%", "%%", "'", `\047`, "\n", `\n`).Replace(command)
	if rest, dash := strings.CutPrefix(text, "-"); dash {
		text = `\055` + rest // no option of printf's
	}
	return Eval("sh") + ` "$(` + Program("printf", "sh") + ` '` + text + `')"`
}

// Clear are the keys that clear the line of a shell which says at its prompts alone
// what it has done. raw says that keys come to one by one that edits no lines: it would take
// them for text.
func Clear(shell Family, raw bool) string {
	switch {
	case shell == Ash:
		return ClearBusybox
	case raw && shell == Posix:
		return ""
	case shell == Ksh, shell == Mksh:
		return ClearLine
	}
	return clearTwice
}

// Program is how a program is started in a shell, by its name, also where it has the name
// of an alias or of a function.
func Program(program, command string) string {
	if Named(command) == "fish" {
		return "command " + program
	}
	return `\command ` + program
}

// short reports whether a command can be typed as it is.
func short(command string) bool {
	return len(command) <= longestTyped && !strings.ContainsFunc(command, func(r rune) bool {
		return r < 0x20 && r != '\n' || r == 0x7f
	})
}
