package plugin

import (
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// Bounds of what a plugin says without being asked.
const (
	mostLines = 20 // of each kind, in a linesTime
	linesTime = time.Minute
	mostLine  = 300 // characters
)

// lines bounds what a plugin says without being asked: one line each, and no more than a
// few in a minute. How many were left out is said in a line of its own when the minute is
// over.
type lines struct {
	tell  func(method, text string)
	after func(time.Duration, func()) (stop func() bool) // time.AfterFunc's

	mu     sync.Mutex
	said   map[string]int // by method, in this minute
	stop   map[string]func() bool
	closed bool
}

func newLines(tell func(method, text string)) *lines {
	return &lines{
		tell: tell, said: map[string]int{}, stop: map[string]func() bool{},
		after: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	}
}

// say passes a line on, or counts it.
func (l *lines) say(method, text string) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	if l.said[method] == 0 {
		l.stop[method] = l.after(linesTime, func() { l.over(method) })
	}
	l.said[method]++
	left := l.said[method] > mostLines
	l.mu.Unlock()
	if !left {
		l.tell(method, harmless.Line(text, mostLine))
	}
}

// over ends a minute.
func (l *lines) over(method string) {
	l.mu.Lock()
	left, closed := l.said[method]-mostLines, l.closed
	l.said[method] = 0
	l.mu.Unlock()
	if left > 0 && !closed {
		l.tell(method, leftOut(left))
	}
}

func leftOut(n int) string {
	if n == 1 {
		return "1 line more in a minute was left out"
	}
	return fmt.Sprintf("%d lines more in a minute were left out", n)
}

// close ends it; how many lines were left out until now is said.
func (l *lines) close() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.closed = true
	left := map[string]int{}
	for method, n := range l.said {
		if n > mostLines {
			left[method] = n - mostLines
		}
	}
	for _, stop := range l.stop {
		stop()
	}
	l.mu.Unlock()
	for method, n := range left {
		l.tell(method, leftOut(n))
	}
}
