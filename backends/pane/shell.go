package pane

import (
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Shell is a family of shells that can be tracked.
type Shell string

// The families.
const (
	NoShell Shell = ""     // not known (yet)
	Bash    Shell = "bash" // bash from 4.4, which announces commands by itself
	OldBash Shell = "old"  // bash before that
	Posix   Shell = "sh"   // dash, busybox ash and their like
	Zsh     Shell = "zsh"
	Fish    Shell = "fish" // fish from 3.4

	// mute is a shell that cannot be made to say when a command ends.
	mute Shell = "mute"
)

// readline reports whether lines are edited by GNU readline.
func (s Shell) readline() bool { return s == Bash || s == OldBash }

// announces reports whether the shell itself says that a command begins.
func (s Shell) announces() bool { return s == Bash || s == Zsh || s == Fish }

// pastes reports whether a command is best pasted: the line editor may have
// plans of its own for single keys.
func (s Shell) pastes() bool { return s == Zsh || s == Fish }

// decorates reports whether the line editor shows more than what is typed: a
// prompt at the right, completions below.
func (s Shell) decorates() bool { return s == Zsh || s == Fish }

// known reports whether a hook may call its shell so.
func (s Shell) known() bool {
	return slices.Contains([]Shell{Bash, OldBash, Posix, Zsh, Fish, mute}, s)
}

// The hooks, each in the language of its shell.
var (
	//go:embed hooks/posix.sh
	posixHook string
	//go:embed hooks/zsh.sh
	zshHook string
	//go:embed hooks/fish.fish
	fishHook string
)

// nonce makes marks unforgeable: 96 random bits.
type nonce string

func newNonce() nonce {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return nonce(hex.EncodeToString(b[:]))
}

// derived is a name that tells nothing of the nonce.
func (n nonce) derived(purpose string) string {
	sum := sha256.Sum256([]byte(purpose + ":" + string(n)))
	return hex.EncodeToString(sum[:12])
}

// buffer is the name under which texts are handed to the shell. Who looks at
// the screen, the history or the processes sees it.
func (n nonce) buffer() string { return "nod-" + n.derived("buffer")[:8] }

// prompt is the nonce of the marks that are part of the prompt. Some shells keep
// it in PS1, which their children may see; with it nobody can forge more than
// a prompt.
func (n nonce) prompt() string { return n.derived("prompt") }

// hook is the text that makes a shell, by the name that tmux gives it, write
// marks. The shell begins by writing first, which is in printf's notation.
func (n nonce) hook(command, first string) string {
	text := posixHook
	switch shellNamed(command) {
	case "zsh":
		text = zshHook
	case "fish":
		text = fishHook
	}
	return strings.NewReplacer(
		"NONCE", string(n), "SECOND", n.prompt(), "nod-NAME", n.buffer(), "FIRST", first,
		"KEPT", strconv.Itoa(keptBytes), "ENTRIES", strconv.Itoa(keptEntries),
	).Replace(text)
}

// shellNamed is the name of a shell without the sign of a login.
func shellNamed(command string) string { return strings.TrimPrefix(command, "-") }

// isShell reports whether a program, by the name that tmux gives it, is a shell
// that hook fits.
func isShell(command string) bool {
	switch shellNamed(command) {
	case "bash", "sh", "dash", "ksh", "mksh", "ash", "rbash", "zsh", "fish":
		return true
	}
	return false
}
