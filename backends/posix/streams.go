package posix

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
)

// NewNonce is a word that nothing else says: it marks what is nod's own in a
// stream.
func NewNonce() string {
	var id [12]byte
	rand.Read(id[:]) // never fails: see crypto/rand.Read
	return "nod-" + hex.EncodeToString(id[:])
}

// SameWriter reports whether both are the same comparable value.
func SameWriter(a, b io.Writer) bool {
	return a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// Feed copies a reader to a program's standard input.
type Feed struct {
	dst     io.Writer
	end     func() error
	src     io.Reader
	failed  chan error
	stopped atomic.Bool
}

// NewFeed makes a feed; end tells the program that there is no more.
func NewFeed(dst io.Writer, end func() error, src io.Reader) *Feed {
	return &Feed{dst: dst, end: end, src: src, failed: make(chan error, 1)}
}

// Run copies until the source ends or fails, or the program has ended.
func (f *Feed) Run() {
	buf := make([]byte, 32<<10)
	for !f.stopped.Load() {
		n, err := f.src.Read(buf)
		if n > 0 {
			if _, werr := f.dst.Write(buf[:n]); werr != nil {
				return // the program has ended
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, os.ErrClosed):
			_ = f.end() // the program may have ended
			return
		default:
			// The input stays open: the program must not take what it has for
			// the whole, and is ended.
			f.failed <- err
			return
		}
	}
}

// Failed gets the error of a source that fails.
func (f *Feed) Failed() <-chan error { return f.failed }

// Stop has Run return after the read that it is in.
func (f *Feed) Stop() { f.stopped.Store(true) }

// TailSize is how much a [Tail] keeps, in bytes.
const TailSize = 2 << 10

// Tail keeps the last bytes that were written, for error messages. The zero value
// is ready.
type Tail struct {
	mu   sync.Mutex
	data []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if n := len(t.data) - TailSize; n > 0 {
		t.data = t.data[n:]
	}
	return len(p), nil
}

// String is what was kept.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}

// LastWords is what was kept, short and without blanks around it: for a message.
func (t *Tail) LastWords() string {
	const short = 500 // bytes
	s := t.String()
	return strings.TrimSpace(s[max(0, len(s)-short):])
}
