package screen

import (
	"bytes"
	"strconv"
	"sync"
)

// answers takes control strings out of the input: answers of the terminal to
// questions that another program asked, for example for its version or a colour.
// Nothing tells the beginning of one from a key with Alt
// (Alt-], Alt-P, Alt-X, Alt-^, Alt-_) but what follows: an answer comes as a whole or
// nearly so, has no control characters in it and ends. It is safe for concurrent use.
type answers struct {
	mu     sync.Mutex
	string []byte // what has come of one, from its escape on
}

const (
	answerKinds  = "]PX^_"  // of OSC, DCS, SOS, PM and APC, behind an escape
	answerLength = 64 << 10 // bytes at most
)

// take returns what is left of input without answers. An unfinished one is held
// back, except an escape at the end, which escapes has held for long enough.
func (a *answers) take(input []byte) (keys []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.string) == 0 && bytes.IndexByte(input, '\x1b') < 0 {
		return input
	}
	for i := 0; i < len(input); i++ {
		c := input[i]
		if len(a.string) == 0 {
			if n := len(keys); isAnswer(c) && n > 0 && keys[n-1] == '\x1b' {
				keys, a.string = keys[:n-1], []byte{'\x1b', c}
			} else {
				keys = append(keys, c)
			}
			continue
		}
		switch escaped := a.escaped(); {
		case c == '\a', c == '\\' && escaped:
			a.string = nil
		case escaped && isAnswer(c): // the next one begins
			a.string = a.string[:len(a.string)-1]
			keys = append(keys, a.keys()...)
			a.string = append(a.string, '\x1b', c)
		case escaped, c < ' ' && c != '\x1b', c == 0x7f, len(a.string) == answerLength: // it is none
			keys = append(keys, a.keys()...)
			i--
		default:
			a.string = append(a.string, c)
		}
	}
	return keys
}

func isAnswer(kind byte) bool { return bytes.IndexByte([]byte(answerKinds), kind) >= 0 }

// escaped reports whether the string ends in an escape, which may begin its end.
func (a *answers) escaped() bool { return len(a.string) > 2 && a.string[len(a.string)-1] == '\x1b' }

// holds reports whether input is held back that may be keys after all.
func (a *answers) holds() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.string) > 0
}

// pass is what was held back, as keys.
func (a *answers) pass() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.keys()
}

func (a *answers) keys() []byte {
	if len(a.string) == 0 {
		return nil
	}
	keys := append(withAlt(a.string[1]), a.string[2:]...)
	a.string = nil
	return keys
}

// withAlt is a character with Alt in a way that is not the beginning of an answer.
func withAlt(char byte) []byte { return []byte("\x1b[" + strconv.Itoa(int(char)) + ";3u") }
