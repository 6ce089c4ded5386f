package pane

import (
	"bytes"
	"regexp"
)

// Between the announcement of a command and the command itself fish writes a
// title (unless it is told to have none), colours back to normal, and, after a
// title, a carriage return.
var (
	fishTitled   = regexp.MustCompile(`^\x1b\]0;[^\x07\x1b]*(?:\x07|\x1b\\)(?:\x1b\[[0-9;]*m|\x1b\(B|\x0f)*\r`)
	fishUntitled = regexp.MustCompile(`^\x1b\[30m(?:\x1b\(B)?\x1b\[m\x0f?`)
)

// maxPreamble bounds the preamble, which holds as much of the command as the
// user's title function takes.
const maxPreamble = 8 << 10

// preamble is the beginning of a run's output as long as it may yet be the
// shell's own and not the command's.
type preamble struct {
	pending bool
	held    []byte
}

// cut takes output and returns what of it is the command's as far as is known.
func (p *preamble) cut(data []byte) []byte {
	if !p.pending || len(data) == 0 {
		return data
	}
	p.held = append(p.held, data...)
	if !bytes.HasPrefix(p.held, []byte("\x1b]0;")) {
		if len(p.held) < len("\x1b[30m\x1b(B\x1b[m\x0f") && bytes.HasPrefix(p.held, []byte("\x1b")) {
			return nil
		}
		return p.rest(len(fishUntitled.Find(p.held)))
	}
	if n := len(fishTitled.Find(p.held)); n > 0 || len(p.held) > maxPreamble {
		return p.rest(n)
	}
	return nil
}

// rest ends the preamble after n bytes and returns what follows.
func (p *preamble) rest(n int) []byte {
	rest := p.held[n:]
	*p = preamble{}
	return rest
}
