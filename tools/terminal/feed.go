package terminal

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/nod-console/nod/backends/pane/marks"
)

const (
	// tailBytes is how much of the end of an output is kept, beyond the beginning.
	tailBytes = 64 << 10
	// lookBack is how far before what has just come a pattern may begin, in bytes.
	lookBack = 4 << 10
)

// ring keeps the last tailBytes of what is put into it.
type ring struct{ b []byte }

func (r *ring) put(p []byte) {
	p = p[max(0, len(p)-tailBytes):]
	if len(r.b)+len(p) > 2*tailBytes {
		keep := r.b[max(0, len(r.b)-(tailBytes-len(p))):]
		r.b = append(r.b[:0], keep...)
	}
	r.b = append(r.b, p...)
}

// last are the last n bytes, or as many as are kept; a copy.
func (r *ring) last(n int64) []byte {
	return bytes.Clone(r.b[max(0, int64(len(r.b))-min(n, tailBytes)):])
}

// feed takes a run's output as it comes, keeps its end, and tells who watches it. The
// zero value is ready for use. It is safe for concurrent use.
type feed struct {
	mu      sync.Mutex
	end     ring
	watches map[*watch]struct{}
}

// watch is one wait for something in an output.
type watch struct {
	pattern *regexp.Regexp // nil: for none
	text    []byte         // the end of what came
	found   chan struct{}  // holds a value once the pattern was there
	came    chan struct{}  // holds a value if something came since it was last read
}

// watch begins a watch of what comes from now on, which stop ends.
func (f *feed) watch(pattern *regexp.Regexp) (w *watch, stop func()) {
	w = &watch{pattern: pattern, found: make(chan struct{}, 1), came: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watches == nil {
		f.watches = map[*watch]struct{}{}
	}
	f.watches[w] = struct{}{}
	return w, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watches, w)
	}
}

// Write implements [io.Writer] and never fails.
func (f *feed) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end.put(p)
	for w := range f.watches {
		w.take(p)
	}
	return len(p), nil
}

// last are the last n bytes of the output, or as many as are kept.
func (f *feed) last(n int64) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.end.last(n)
}

// take looks at what has come. Lines that are old enough are not looked at again.
func (w *watch) take(p []byte) {
	tell(w.came)
	if w.pattern == nil {
		return
	}
	w.text = append(w.text, p...)
	if w.pattern.MatchString(marks.Render(w.text)) {
		tell(w.found)
	}
	if old := len(w.text) - lookBack; old > 0 {
		if end := bytes.IndexByte(w.text[old:], '\n'); end >= 0 {
			old += end + 1
		}
		w.text = append(w.text[:0], w.text[old:]...)
	}
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
