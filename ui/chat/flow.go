package chat

import (
	"time"

	"github.com/nod-console/nod/ui/result"
)

const (
	// flowFrom is how many bytes are worth a word.
	flowFrom = 64 << 10
	// flowTime is how long a rate counts after it was measured: what has stopped
	// reports nothing.
	flowTime = 2 * time.Second
)

// flow is how much a running call has moved, and how fast.
type flow struct {
	bytes, since int64 // all, and at the time from
	from, at     time.Time
	rate         float64 // bytes a second
}

// add takes the sum at a moment. The rate is measured over at least a second.
func (f *flow) add(bytes int64, now time.Time) {
	f.bytes = bytes
	if took := now.Sub(f.from); took >= time.Second {
		f.rate = float64(bytes-f.since) / took.Seconds()
		f.since, f.from, f.at = bytes, now, now
	}
}

// words are the sum and the rate; none for what is little.
func (f *flow) words(now time.Time) []string {
	if f.bytes < flowFrom {
		return nil
	}
	words := []string{result.Bytes(f.bytes)}
	if f.rate >= 1 && now.Sub(f.at) < flowTime {
		words = append(words, result.Bytes(int64(f.rate))+"/s")
	}
	return words
}
