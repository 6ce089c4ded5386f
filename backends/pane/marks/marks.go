package marks

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends"
)

// Kind is what a mark says.
type Kind byte

// The kinds.
const (
	Ready     Kind = 'R' // the hook is installed; Arg is "SHELL,PID"
	PromptEnd Kind = 'B' // the prompt ends here
	More      Kind = 'P' // a continuation prompt: the shell wants another line
	Begin     Kind = 'C' // a command begins
	OutputEnd Kind = 'E' // the output of a command ends; what follows is the prompt's
	End       Kind = 'D' // a command ended; Arg is its status
	Read      Kind = 'H' // a reader has read the line Arg, see shells.Handover
	ReadLate  Kind = 'L' // so has a reader that is not waited for any more
	Probed    Kind = 'K' // a shell answers which one it is; Arg are the versions
)

// Mark is what a hooked shell says of itself at one place of its output.
type Mark struct {
	Kind  Kind
	Arg   string
	Level int // the shell that wrote it: 0 is the pane's own, 1 one inside that

	// Key is the key with which the line was entered that a Begin or End mark is about: one
	// of Keys, or 0 where it was none of them, as when somebody pressed Enter.
	Key byte
	// Keys says, in Ready and End marks, that the shell's line editor takes those keys.
	Keys bool
}

// Keys are the keys, each one ESC [ 1 3 KEY ~, with which commands are entered in shells
// that can tell by which key a line was. No terminal sends them.
const Keys = "3456"

// Shell reads the argument of a Ready mark: the hook's name for its shell, and
// the number of the shell's process by its own account.
func (m Mark) Shell() (name string, pid int) {
	name, digits, _ := strings.Cut(m.Arg, ",")
	pid, _ = strconv.Atoi(digits) // parseMark has made sure of it
	return name, pid
}

// Outcome reads the argument of an End mark.
func (m Mark) Outcome() backends.Outcome { return statusOutcome(m.Arg) }

// Nonce makes the marks of one shell unforgeable: 96 random bits in hex.
type Nonce string

// NewNonce makes a nonce.
func NewNonce() Nonce {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return Nonce(hex.EncodeToString(b[:]))
}

// Derived is a name for a purpose that tells nothing of the nonce.
func (n Nonce) Derived(purpose string) string {
	sum := sha256.Sum256([]byte(purpose + ":" + string(n)))
	return hex.EncodeToString(sum[:12])
}

// Buffer is the name under which texts are handed to the shell. It shows on the
// screen, in the history and among the processes.
func (n Nonce) Buffer() string { return "nod-" + n.Derived("buffer")[:8] }

// Prompt signs the marks that are part of a prompt. Some shells keep it in PS1,
// which their children may see: with it nothing but a prompt can be forged.
func (n Nonce) Prompt() string { return n.Derived("prompt") }

// parseMark parses a mark without its frame and its signature.
func parseMark(text string) (Mark, bool) {
	var m Mark
	text, m.Keys = strings.CutSuffix(text, ";e")
	if i := len(text) - len(";k3"); i > 0 && text[i:i+2] == ";k" && strings.IndexByte(Keys, text[i+2]) >= 0 {
		text, m.Key = text[:i], text[i+2]
	}
	kind, arg, _ := strings.Cut(text, ";")
	if len(kind) != 1 {
		return Mark{}, false
	}
	m.Kind, m.Arg = Kind(kind[0]), arg
	switch m.Kind {
	case PromptEnd, Begin, OutputEnd, More:
		return m, arg == ""
	case Ready:
		shell, pid, _ := strings.Cut(arg, ",")
		_, err := strconv.ParseUint(pid, 10, 31)
		return m, err == nil && shell != "" && strings.Trim(shell, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
	case End:
		return m, isStatus(arg)
	}
	return m, false
}

// isStatus reports whether s is an exit status as shells write it.
func isStatus(s string) bool {
	return len(s) > 0 && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// statusOutcome is the outcome that a status stands for. ksh93 says 256 and the
// number of the signal where other shells say 128 and the number.
func statusOutcome(digits string) backends.Outcome {
	n, _ := strconv.Atoi(digits) // isStatus has made sure of it
	if n > 256 {
		n -= 128
	}
	return backends.ExitedWith(n)
}

// Birth reads the beginning of a terminal's output, in which the process that
// becomes the shell gives its number: ESC ]133;I;PID;h=NONCE BEL. rest is the
// output behind that, all of it where there is no such mark; pid is 0 then. more
// says that the mark may yet be there when more output has come.
func Birth(head []byte, n Nonce) (pid int, rest []byte, more bool) {
	intro, end := []byte(markIntro+"I;"), []byte(";h="+string(n)+"\a")
	switch i := bytes.Index(head, end); {
	case i >= len(intro) && bytes.HasPrefix(head, intro):
		pid, err := strconv.Atoi(string(head[len(intro):i]))
		if err != nil {
			pid = 0
		}
		return pid, head[i+len(end):], false
	case len(head) < maxMark && bytes.HasPrefix(head, intro[:min(len(intro), len(head))]):
		return 0, nil, true
	}
	return 0, head, false
}
