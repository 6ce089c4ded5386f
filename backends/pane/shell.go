package pane

import (
	"crypto/rand"
	_ "embed"
	"encoding/hex"
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
)

// readline reports whether lines are edited by GNU readline.
func (s Shell) readline() bool { return s == Bash || s == OldBash }

// announces reports whether the shell itself says that a command begins.
func (s Shell) announces() bool { return s == Bash }

//go:embed hooks/posix.sh
var posixHook string

// nonce makes marks unforgeable: 96 random bits.
type nonce string

func newNonce() nonce {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return nonce(hex.EncodeToString(b[:]))
}

// buffer is the name under which texts are handed to the shell.
func (n nonce) buffer() string { return "nod-" + string(n[:8]) }

// hook is the text that makes a shell write marks. The shell begins by writing
// first, which is in printf's notation.
func (n nonce) hook(first string) string {
	return strings.NewReplacer("NONCE", string(n), "nod-NAME", n.buffer(), "FIRST", first).Replace(posixHook)
}

// isShell reports whether a program, by the name that tmux gives it, is a shell
// that hook fits.
func isShell(command string) bool {
	switch strings.TrimPrefix(command, "-") {
	case "bash", "sh", "dash", "ksh", "mksh", "ash", "rbash":
		return true
	}
	return false
}
