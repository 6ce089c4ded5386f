package marks

import (
	"bytes"
	"regexp"
	"sync"
)

// Between the announcement of a command and the command itself fish writes a
// title (unless it is told to have none), colours back to normal, and, after a
// title, a carriage return.
var (
	fishTitled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\x1b\]0;[^\x07\x1b]*(?:\x07|\x1b\\)(?:\x1b\[[0-9;]*m|\x1b\(B|\x0f)*\r`)
	})
	fishUntitled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\x1b\[30m(?:\x1b\(B)?\x1b\[m\x0f?`) })
)

// maxPreamble bounds the preamble, which holds as much of the command as the
// user's title function takes.
const maxPreamble = 8 << 10

// Preamble is the beginning of a run's output as long as it may yet be the
// shell's own and not the command's.
type Preamble struct {
	Pending bool // the output may still begin with it
	held    []byte
}

// Cut takes output and returns what of it is the command's as far as is known.
func (p *Preamble) Cut(data []byte) []byte {
	if !p.Pending || len(data) == 0 {
		return data
	}
	p.held = append(p.held, data...)
	if !bytes.HasPrefix(p.held, []byte("\x1b]0;")) {
		if len(p.held) < len("\x1b[30m\x1b(B\x1b[m\x0f") && bytes.HasPrefix(p.held, []byte("\x1b")) {
			return nil
		}
		return p.Rest(len(fishUntitled().Find(p.held)))
	}
	if n := len(fishTitled().Find(p.held)); n > 0 || len(p.held) > maxPreamble {
		return p.Rest(n)
	}
	return nil
}

// Rest ends the preamble after n bytes and returns what follows.
func (p *Preamble) Rest(n int) []byte {
	rest := p.held[n:]
	*p = Preamble{}
	return rest
}
