package mux

import (
	"bytes"
	"fmt"
	"strings"
)

// escapes watches what a terminal types for OpenSSH's escape sequences. In a
// shared session it is the master that handles them.
type escapes struct {
	char      byte
	lineStart bool // the next byte begins a line
	pending   bool // the escape character was typed

	say   func(string) // shows the operator a text
	brk   func()       // sends a BREAK
	state func() string
}

func newEscapes(char byte) *escapes { return &escapes{char: char, lineStart: true} }

// feed returns what of p is for the far side, in p's own memory where it can.
// quit means that the operator ended the session; what follows is dropped.
func (e *escapes) feed(p []byte) (out []byte, quit bool) {
	if !e.pending && !e.lineStart && bytes.IndexByte(p, e.char) < 0 && bytes.IndexByte(p, '\r') < 0 && bytes.IndexByte(p, '\n') < 0 {
		return p, false
	}
	out = make([]byte, 0, len(p)+1)
	for _, c := range p {
		if e.pending {
			e.pending = false
			handled, end := e.command(c)
			if end {
				return out, true
			}
			if handled {
				continue
			}
			if c != e.char {
				out = append(out, e.char) // no escape at all: both are typed
			}
		} else if e.lineStart && c == e.char {
			e.pending = true
			continue
		}
		e.lineStart = c == '\r' || c == '\n'
		out = append(out, c)
	}
	return out, false
}

// command carries out the escape c and reports whether it was one.
func (e *escapes) command(c byte) (handled, quit bool) {
	switch c {
	case '.':
		return true, true
	case 'B':
		e.say(fmt.Sprintf("%cB\r\n", e.char))
		e.brk()
	case '#':
		e.say(fmt.Sprintf("%c#\r\n%s", e.char, e.state()))
	case '?':
		e.say(e.help())
	case 'Z' - 64:
		e.say(e.notHere("^Z"))
	case 'R', 'V', 'v', '&', 'C':
		e.say(e.notHere(string(c)))
	default:
		return false, false
	}
	return true, false
}

func (e *escapes) notHere(name string) string {
	return fmt.Sprintf("%c%s escape not available to multiplexed sessions\r\n", e.char, name)
}

func (e *escapes) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%c?\r\nSupported escape sequences:\r\n", e.char)
	for _, h := range []struct{ key, text string }{
		{".", "terminate session"},
		{"B", "send a BREAK to the remote system"},
		{"#", "list forwarded connections"},
		{"?", "this message"},
	} {
		fmt.Fprintf(&b, " %c%-3s - %s\r\n", e.char, h.key, h.text)
	}
	fmt.Fprintf(&b, " %c%c   - send the escape character by typing it twice\r\n"+
		"(Note that escapes are only recognized immediately after newline.)\r\n", e.char, e.char)
	return b.String()
}
