package screen

import (
	"bytes"
	"sync"
	"time"
)

// escapeTime is how long the beginning of a key's sequence waits for the rest: an
// escape is a key by itself, too.
const escapeTime = 50 * time.Millisecond

// escapes holds back what may be the beginning of a key's sequence at the end of the
// input. Nothing but time tells an escape, Alt-[ and Alt-O from it; Alt-N begins
// nothing. It is safe for concurrent use.
type escapes struct {
	mu   sync.Mutex
	held []byte
}

// take returns what was held back and input, up to the next beginning at the end.
func (e *escapes) take(input []byte) (keys []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	input, e.held = append(e.held, input...), nil
	for i := 0; i < len(input); i++ {
		rest := input[i:]
		switch {
		case rest[0] != '\x1b':
			keys = append(keys, rest[0])
		case len(rest) == 1 || bytes.Count(rest, rest[:1]) == len(rest), // escapes to the end
			len(rest) == 2 && (rest[1] == '[' || rest[1] == 'O'):
			e.held = bytes.Clone(rest)
			return keys
		case rest[1] == 'N', (rest[1] == '[' || rest[1] == 'O') && rest[2] < ' ': // nothing begins like that
			keys = append(keys, withAlt(rest[1])...)
			i++
		default:
			keys = append(keys, rest[0])
		}
	}
	return keys
}

// holds reports whether something is held back.
func (e *escapes) holds() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.held) > 0
}

// pass is what was held back, as keys: none of them waits for another.
func (e *escapes) pass() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	held := e.held
	e.held = nil
	last := []byte(nil)
	if n := len(held); n > 1 && held[n-1] != '\x1b' {
		held, last = held[:n-2], withAlt(held[n-1])
	}
	return append(bytes.Repeat([]byte("\x1b[27u"), len(held)), last...)
}
