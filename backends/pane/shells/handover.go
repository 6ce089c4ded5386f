package shells

import (
	"fmt"
	"strconv"
	"strings"
)

// A text can be handed to the shell in a pane by nothing but typing: where
// there is no tmux, and in a shell on another host or in a container. A reader
// in that shell takes it line by line:
//
//	reader  ESC ]133;H;LINE;h=NAME BEL   "this is the line that I have read"
//	nod     NAME:PIECE                   a piece of the text, as printf's format
//	…
//	nod     NAME123                      how many bytes all pieces have
//	reader  the answer to that; then it prints the text for eval
//
// The first answer, to an empty line, says that the reader is there. A piece is
// typed only after the one before has come back unchanged, and nothing is
// printed before the last line fits: what somebody types in between spoils the
// hand-over. Then nod types a blank, NAME and a dot, and nothing is evaluated. No key is
// special to the terminal meanwhile, so that the reader goes only when nod knows;
// and a line of nod's that still comes to a prompt is one strange word there,
// and no command. Nothing is needed of the target but a POSIX shell. (base64
// would be longer for most texts, and is not everywhere.)

// pieceSize is how many bytes a piece has at most. BSD's terminals hold 1,024
// bytes that have not been read, Linux's 4,095; see also marks.MaxRead.
const pieceSize = 600

// readerLoop reads a text in pieces and prints it. After some lines that are not
// nod's it goes by itself: nod may have been killed. It holds no single quotes,
// for fish takes it in such, and no "!" for the sake of histories. Without stty the
// pieces show on the screen, and no more.
const readerLoop = `{ s=$(STTY -g);STTY -echo -icanon -isig min 1 time 0; } 2>/dev/null;l= t= f=;` +
	`until PRINTF "\033]133;H;%s;h=NAME\007" "$l">&2;[ "$l" = "NAME${#t}" ];` +
	`do t=$t${l#NAME:};IFS= read -r l||l=;` +
	`case $l in *NAME.)f=....;;NAME*);;*)f=$f.;esac;case $f in ....)t="FAILED";break;;esac;done;` +
	`STTY "$s" 2>/dev/null;PRINTF "$t"`

// printf is the printf of the shell itself.
const printf = "command printf"

// reader is a readerLoop in which stty and print are what is put for stty and printf, and failed
// is printed if the text does not come.
func reader(name, stty, print, failed string) string {
	return strings.NewReplacer("NAME", name, "STTY", stty, "FAILED", failed, "PRINTF", print).Replace(readerLoop)
}

// Fetch is the command that reads a text which is typed under a name, in the
// language of a shell by its name, and prints it.
func Fetch(name, command string) string {
	switch Named(command) {
	case "fish":
		return "sh -c '" + reader(name, "stty", printf, "") + "'"
	case "zsh":
		return "emulate sh;" + reader(name, "stty", printf, "")
	}
	return reader(name, "stty", printf, "")
}

// Refetch follows a hook where texts are typed: it makes its __nod_r a reader. That
// needs nothing of the user's PATH at the time when it is used.
func Refetch(name, command string) string {
	const stty, failed = `"$__nod_stty"`, "(exit 127)"
	switch Named(command) {
	case "fish":
		return "\nset -g __nod_stty (command -s stty; or builtin echo :)\nset -g __nod_sh (command -s sh)\n" +
			"function __nod_r\nset -lx __nod_stty $__nod_stty\n$__nod_sh -c '" + reader(name, stty, printf, "__nod_z") + "'\nend\n"
	case "zsh":
		return "\n__nod_stty=${commands[stty]:-:}\n__nod_r() { emulate -L sh; " + reader(name, stty, printf, failed) + "; }\n"
	}
	// mksh has no printf of its own.
	return "\n__nod_stty=$(command -v stty || echo :) __nod_printf=printf\n" +
		`case "${KSH_VERSION-}" in *MIRBSD*|*LEGACY*) __nod_printf=$(whence -p printf) ;; esac` +
		"\n__nod_r() { " + reader(name, stty, `command "$__nod_printf"`, failed) + "; }\n"
}

// Handover is a text on its way to the shell through the terminal.
type Handover struct {
	Name   string
	lines  []string // to be typed
	typed  string   // the last line that was typed and has not come back
	met    bool     // the reader has answered
	failed bool     // another line came back: the reader has been stopped
}

// NewHandover makes a text ready for the reader of that name.
func NewHandover(name, text string) *Handover {
	h := &Handover{Name: name}
	format := PrintfFormat(text)
	length := len(format)
	for len(format) > 0 {
		n := min(len(format), pieceSize)
		h.lines = append(h.lines, name+":"+format[:n])
		format = format[n:]
	}
	h.lines = append(h.lines, name+strconv.Itoa(length))
	return h
}

// PrintfFormat is the format with which printf prints a text, in characters
// that mean nothing to any shell. There is no dot among them, so that no piece of
// it can look like what stops a reader.
func PrintfFormat(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/,:@+-"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(plain, c) < 0 || c == '-' && i == 0 {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Answered takes what the reader has read, and returns what is to be typed
// next. done says that the reader has everything.
func (h *Handover) Answered(line string) (keys []byte, done bool) {
	h.met = true
	switch {
	case h.failed:
		return nil, false
	case line != h.typed:
		h.failed = true
		return h.Stop(), false
	case len(h.lines) == 0:
		return nil, true
	}
	h.typed, h.lines = h.lines[0], h.lines[1:]
	return []byte(h.typed + "\n"), false
}

// Met reports whether the reader has answered.
func (h *Handover) Met() bool { return h != nil && h.met }

// Failed reports whether another line came back than the one that was typed: the
// reader has been stopped.
func (h *Handover) Failed() bool { return h != nil && h.failed }

// Left is how many lines are yet to be typed.
func (h *Handover) Left() int { return len(h.lines) }

// Typed is the last line that was typed and has not come back.
func (h *Handover) Typed() string { return h.typed }

// Stop is what makes the reader go, whatever stands on its line.
func (h *Handover) Stop() []byte { return StopReader(h.Name) }

// StopReader is what makes the reader of a name go. It begins with a blank, behind which many shells keep no history: it
// may come to a prompt, where the reader has gone by itself.
func StopReader(name string) []byte { return []byte("\n " + name + ".\n") }
