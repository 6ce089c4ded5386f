package pane

import (
	"context"
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
// bytes that have not been read, Linux's 4,095.
const pieceSize = 600

// maxHandMark bounds a mark with which a reader answers.
const maxHandMark = maxMark + pieceSize

// readerLoop reads a text in pieces and prints it. After some lines that are not
// nod's it goes by itself: nod may have been killed. It holds no single quotes,
// for fish takes it in such, and no "!" for the sake of histories. Without stty the
// pieces show on the screen, and no more.
const readerLoop = `{ s=$(STTY -g);STTY -echo -icanon -isig min 1 time 0; } 2>/dev/null;l= t= f=;` +
	`until command printf "\033]133;H;%s;h=NAME\007" "$l">&2;[ "$l" = "NAME${#t}" ];` +
	`do t=$t${l#NAME:};IFS= read -r l||l=;` +
	`case $l in *NAME.)f=....;;NAME*);;*)f=$f.;esac;case $f in ....)t="FAILED";break;;esac;done;` +
	`STTY "$s" 2>/dev/null;command printf "$t"`

// reader is a readerLoop in which stty is what is put for it, and failed is
// printed if the text does not come.
func reader(name, stty, failed string) string {
	return strings.NewReplacer("NAME", name, "STTY", stty, "FAILED", failed).Replace(readerLoop)
}

// typedWire hands texts over by typing them, and does everything else as the
// wire does that it is about.
type typedWire struct {
	wire
	p *Pane
}

func (w typedWire) stash(_ context.Context, name, text string) error {
	w.p.offer(name, text)
	return nil
}

func (w typedWire) unstash(string) { w.p.withdraw() }

func (w typedWire) fetch(name, command string) string {
	switch shellNamed(command) {
	case "fish":
		return "sh -c '" + reader(name, "stty", "") + "'"
	case "zsh":
		return "emulate sh;" + reader(name, "stty", "")
	}
	return reader(name, "stty", "")
}

// refetch needs nothing of the user's PATH at the time when it is used.
func (w typedWire) refetch(name, command string) string {
	const stty, failed = `"$__nod_stty"`, "(exit 127)"
	switch shellNamed(command) {
	case "fish":
		return "\nset -g __nod_stty (command -s stty; or builtin echo :)\nset -g __nod_sh (command -s sh)\n" +
			"function __nod_r\nset -lx __nod_stty $__nod_stty\n$__nod_sh -c '" + reader(name, stty, "__nod_z") + "'\nend\n"
	case "zsh":
		return "\n__nod_stty=${commands[stty]:-:}\n__nod_r() { emulate -L sh; " + reader(name, stty, failed) + "; }\n"
	}
	return "\n__nod_stty=$(command -v stty || echo :)\n__nod_r() { " + reader(name, stty, failed) + "; }\n"
}

// handover is a text on its way to the shell through the terminal.
type handover struct {
	name   string
	lines  []string // to be typed
	typed  string   // the last line that was typed and has not come back
	met    bool     // the reader has answered
	failed bool     // another line came back: the reader has been stopped
}

func newHandover(name, text string) *handover {
	h := &handover{name: name}
	format := printfFormat(text)
	length := len(format)
	for len(format) > 0 {
		n := min(len(format), pieceSize)
		h.lines = append(h.lines, name+":"+format[:n])
		format = format[n:]
	}
	h.lines = append(h.lines, name+strconv.Itoa(length))
	return h
}

// printfFormat is the format with which printf prints a text, in characters
// that mean nothing to any shell. There is no dot among them, so that no piece of
// it can look like what stops a reader.
func printfFormat(text string) string {
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

// answered takes what the reader has read, and returns what is to be typed
// next. done says that the reader has everything.
func (h *handover) answered(line string) (keys []byte, done bool) {
	h.met = true
	switch {
	case h.failed:
		return nil, false
	case line != h.typed:
		h.failed = true
		return h.stop(), false
	case len(h.lines) == 0:
		return nil, true
	}
	h.typed, h.lines = h.lines[0], h.lines[1:]
	return []byte(h.typed + "\n"), false
}

// handoverState tells whether a hand-over gets on. The zero value is none.
type handoverState struct {
	under, met, failed bool
	left               int // lines
}

func (p *Pane) handoverState() handoverState {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hand == nil {
		return handoverState{}
	}
	return handoverState{under: true, met: p.hand.met, failed: p.hand.failed, left: len(p.hand.lines)}
}

// stop is what makes the reader go, whatever stands on its line.
func (h *handover) stop() []byte { return stopReader(h.name) }

// stopReader begins with a blank, behind which many shells keep no history: it
// may come to a prompt, where the reader has gone by itself.
func stopReader(name string) []byte { return []byte("\n " + name + ".\n") }

// offer has a text ready for a reader.
func (p *Pane) offer(name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hand, p.scan.hand = newHandover(name, text), name
}

// withdraw stops the reader, now or when it comes. p.mu is held.
func (p *Pane) withdraw() {
	switch {
	case p.hand == nil, p.hand.failed:
	case !p.hand.met:
		p.scan.late, p.lateEnd = p.hand.name, ""
	case len(p.hand.lines) == 0:
		// The reader goes by itself if it reads this as it was typed, and what
		// were typed now would come to the prompt behind it.
		p.scan.late, p.lateEnd = p.hand.name, p.hand.typed
	default:
		p.wire.send(p.hand.stop(), nil)
	}
	p.hand, p.scan.hand = nil, ""
}

// prompted says that the shell is at its prompt: its reader is gone. p.mu is
// held.
func (p *Pane) prompted() {
	if p.hand != nil && p.hand.met {
		p.hand, p.scan.hand = nil, ""
	}
}

// handed takes what a reader has read. p.mu is held.
func (p *Pane) handed(line string, late bool) {
	if late {
		if line != p.lateEnd || line == "" {
			p.wire.send(stopReader(p.scan.late), nil)
		}
		p.scan.late, p.lateEnd = "", ""
		return
	}
	keys, done := p.hand.answered(line)
	if len(keys) > 0 {
		p.wire.send(keys, nil)
	}
	if p.hand.failed && p.run != nil {
		p.run.notice("nothing was run: something else was typed while the command was handed to the shell")
	}
	if done {
		p.hand, p.scan.hand = nil, ""
		if p.phase == dispatched {
			p.began()
		}
	}
}
