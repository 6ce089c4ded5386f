package shells

import (
	"path"
	"slices"
	"strings"
)

// Family is a family of shells that can be tracked.
type Family string

// The families.
const (
	None    Family = ""     // not known (yet)
	Bash    Family = "bash" // bash from 4.4, which announces commands by itself
	OldBash Family = "old"  // bash before that
	Posix   Family = "sh"   // dash and its like, for which the terminal edits lines
	Ash     Family = "ash"  // busybox
	Ksh     Family = "ksh"  // ksh93
	Mksh    Family = "mksh"
	Zsh     Family = "zsh"
	Fish    Family = "fish" // fish from 3.4

	// Mute is a shell that cannot be made to say when a command ends.
	Mute Family = "mute"
	// Restricted is a bash that neither redirects output nor runs what has a path (bash -r,
	// rbash).
	Restricted Family = "restricted"
	// Away is a shell whose prompt, or what it says of commands, does not come to the
	// terminal.
	Away Family = "away"
)

// Readline reports whether lines are edited by GNU readline.
func (f Family) Readline() bool { return f == Bash || f == OldBash }

// Plain reports whether all that a shell says of a command is said by the prompt
// behind it: dash and its like. That it has begun, the echo of its line tells (see
// [Echo]).
func (f Family) Plain() bool { return f == Posix || f == Ash || f == Ksh || f == Mksh }

// Announces reports whether the shell itself says that a command begins.
func (f Family) Announces() bool { return f == Bash || f == Zsh || f == Fish }

// Pastes reports whether a command is best pasted: the line editor may have
// plans of its own for single keys.
func (f Family) Pastes() bool { return f == Zsh || f == Fish }

// Decorates reports whether the line editor shows more than what is typed: a
// prompt at the right, completions below.
func (f Family) Decorates() bool { return f == Zsh || f == Fish }

// Known reports whether a hook may call its shell so.
func (f Family) Known() bool {
	return slices.Contains([]Family{Bash, OldBash, Posix, Ash, Ksh, Mksh, Zsh, Fish, Mute, Away, Restricted}, f)
}

// Slides reports whether a shell, by its name, shows a line that is too long in one row,
// of which a part is seen. ksh93 shows all of it, unless its option multiline is off.
func Slides(name string) bool { return Named(name) == "mksh" }

// Named is the name of a shell without the sign of a login.
func Named(command string) string { return strings.TrimPrefix(command, "-") }

// Is reports whether a program, by the name that the system gives it, is a shell
// that [Hook] fits.
func Is(command string) bool {
	switch Named(command) {
	case "bash", "sh", "dash", "ksh", "mksh", "ash", "rbash", "zsh", "fish":
		return true
	}
	return false
}

// Untracked reports whether a program, by the name that the system gives it, is a shell
// that no hook fits.
func Untracked(command string) bool {
	switch Named(command) {
	case "tcsh", "csh", "nu", "xonsh", "elvish", "rc", "es", "pwsh", "ion", "murex", "oil", "osh", "ysh":
		return true
	}
	return false
}

// Edits reports whether a shell of that name Edits its lines itself.
func Edits(shell string) bool {
	switch shell {
	case "bash", "rbash", "zsh", "fish":
		return true
	}
	return false
}

// Busybox is the program that is many others, shells among them.
const Busybox = "busybox"

// Applet is a command line without the name of busybox in front of the program that it
// is told to be.
func Applet(argv []string) []string {
	if len(argv) > 1 && path.Base(Named(argv[0])) == Busybox {
		return argv[1:]
	}
	return argv
}

// Script is what a shell was told to run on its command line, or empty.
func Script(argv []string) string {
	argv = Applet(argv)
	for i := 1; i < len(argv); i++ {
		switch a := argv[i]; {
		case a == "--rcfile", a == "--init-file", a == "--init-command", a == "-C", a == "-o", a == "+o", a == "-O", a == "+O":
			i++
		case a == "--":
		case a == "-c", a == "--command", strings.HasPrefix(a, "--command="):
			return strings.Join(argv[i:], " ")
		case strings.HasPrefix(a, "-"), strings.HasPrefix(a, "+"):
		default:
			return a
		}
	}
	return ""
}
