package tools

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// mostHeld bounds what is held of a line that has no end yet, in bytes.
const mostHeld = 4 << 10

// Chunks passes on what is written to it as it comes, in whole lines where it can: what is
// looked for in a line, such as a secret, is not cut in two. A nil *Chunks drops it. It is
// safe for concurrent use.
type Chunks struct {
	tell func(text string)

	mu   sync.Mutex
	held []byte
}

// NewChunks returns chunks that are told to tell, one at a time; nil if that is nil.
func NewChunks(tell func(text string)) *Chunks {
	if tell == nil {
		return nil
	}
	return &Chunks{tell: tell}
}

// ChunksOf are those of one of a call's streams; nil if nobody listens.
func (e Env) ChunksOf(stream Stream) *Chunks {
	if e.Chunk == nil {
		return nil
	}
	return NewChunks(func(text string) { e.Chunk(stream, text) })
}

// Write implements [io.Writer] and never fails.
func (c *Chunks) Write(p []byte) (int, error) {
	if c == nil {
		return len(p), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = append(c.held, p...)
	end := bytes.LastIndexByte(c.held, '\n') + 1
	if end == 0 && len(c.held) > mostHeld {
		end = len(c.held)
		for n := 1; n < utf8.UTFMax && n <= end; n++ { // a character that has begun
			if b := c.held[end-n]; utf8.RuneStart(b) {
				if !utf8.FullRune(c.held[end-n:]) {
					end -= n
				}
				break
			}
		}
	}
	if end > 0 {
		c.tell(string(c.held[:end]))
		c.held = append(c.held[:0], c.held[end:]...)
	}
	return len(p), nil
}

// Close passes on what is left.
func (c *Chunks) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) > 0 {
		c.tell(string(c.held))
		c.held = nil
	}
}
