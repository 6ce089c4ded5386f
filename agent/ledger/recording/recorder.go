package recording

import (
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
)

// mergeWithin is the time within which output is one event.
const mergeWithin = 8 * time.Millisecond

// mostMerged bounds such an event, in bytes.
const mostMerged = 64 << 10

// newPart is the kind of an item that begins a file; its text is the size.
const newPart = 'n'

// item is an event that is not written yet.
type item struct {
	at    time.Duration // since the beginning of the recording
	kind  byte
	text  []byte
	alone bool // an event by itself: a whole picture, or one that was filtered
	clean bool // it has passed the filter
}

// Recorder takes what one pane shows. It never waits for the disk. Safe for
// concurrent use.
type Recorder struct {
	store *Store
	pane  Pane
	retap func()
	began time.Time
	base  string

	wake  chan struct{} // holds one: there is something to do
	hurry chan struct{} // holds one: do it at once
	done  chan struct{} // closed when everything is written, or never will be

	mu     sync.Mutex
	queue  []item
	bytes  int64 // in queue
	size   backends.Size
	shown  bool // there was a picture
	turn   bool // the next picture begins a file
	closed bool
	gap    gap
	budget int64 // how much output may come now
	filled time.Time

	asked, answered uint64        // how often somebody wanted all of it on disk, and got it
	answer          chan struct{} // closed with the next answer
	bound           Bound         // what is on disk; zero until something is

	failed error       // why nothing can be written
	busy   time.Time   // since when the disk is at work; zero if it is not
	late   *time.Timer // tells that the disk is stuck
}

// gap is what was not recorded.
type gap struct {
	open  bool
	why   string
	bytes int64     // since the last mark that told of it
	told  time.Time // when that was
}

// tellGap is the least time between two marks for gaps, of which a flood has
// many.
const tellGap = 5 * time.Second

func newRecorder(s *Store, p Pane, retap func()) *Recorder {
	r := &Recorder{
		store: s, pane: p, retap: retap, began: s.opt.Now(), wake: make(chan struct{}, 1), done: make(chan struct{}),
		hurry: make(chan struct{}, 1), answer: make(chan struct{}),
		budget: s.opt.burst,
	}
	r.filled = r.began
	r.base = baseName(r.began, p)
	r.late = time.AfterFunc(time.Hour, s.changed)
	r.late.Stop()
	return r
}

// Screen takes the whole picture: its size, and the bytes that make a terminal
// show it. The first one begins the recording.
func (r *Recorder) Screen(size backends.Size, restore []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	now := r.now()
	r.refill()
	if r.bytes > 0 && r.bytes+int64(len(restore)) > r.store.opt.maxQueue {
		r.miss("the disk was too slow", 0)
		return
	}
	switch {
	case !r.shown || r.turn:
		r.push(item{at: now, kind: newPart, text: []byte(sizeText(size))})
	case size != r.size:
		r.push(item{at: now, kind: Resize, text: []byte(sizeText(size))})
	}
	r.shown, r.turn, r.size = true, false, size
	if r.gap.open {
		r.gap.open = false
		r.tellGap(now, false)
	}
	r.budget -= int64(len(restore))
	r.push(item{at: now, kind: Output, text: append([]byte(nil), restore...), alone: true})
	r.post()
}

// Output takes what programs have written.
func (r *Recorder) Output(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch n := int64(len(p)); {
	case r.closed || !r.shown:
		return // what came before the first picture is in it
	case r.gap.open:
		r.gap.bytes += n
	case r.bytes+n > r.store.opt.maxQueue:
		r.miss("the disk was too slow", n)
	case !r.afford(n):
		r.miss("the output came faster than it is recorded", n)
	default:
		r.output(r.now(), p)
	}
	r.post()
}

// Began takes the beginning of a command.
func (r *Recorder) Began(command string) { r.mark(beginning(command)) }

// Ended takes the end of a command.
func (r *Recorder) Ended(command string, outcome backends.Outcome) {
	r.mark(ending(command, outcome))
}

// Lost takes that output has not come. The picture follows.
func (r *Recorder) Lost(why string) { r.mark(clip(gapWord + why)) }

// Closed ends the recording.
func (r *Recorder) Closed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.shown {
		r.tellGap(r.now(), true)
	}
	r.closed = true
	r.post()
	signal(r.hurry)
}

func (r *Recorder) mark(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || !r.shown {
		return
	}
	now := r.now()
	r.tellGap(now, true)
	if r.bytes < 2*r.store.opt.maxQueue { // marks are small, but a disk may be away for long
		r.push(item{at: now, kind: Mark, text: []byte(text)})
	}
	r.post()
}

// From here on, r.mu is held.

func (r *Recorder) now() time.Duration { return r.store.opt.Now().Sub(r.began) }

// output queues output.
func (r *Recorder) output(now time.Duration, p []byte) {
	if len(p) == 0 {
		return
	}
	if n := len(r.queue); n > 0 {
		last := &r.queue[n-1]
		if last.kind == Output && !last.alone && now-last.at < mergeWithin && len(last.text)+len(p) <= mostMerged {
			last.text = append(last.text, p...)
			r.bytes += int64(len(p))
			return
		}
	}
	r.push(item{at: now, kind: Output, text: append([]byte(nil), p...)})
}

func (r *Recorder) push(i item) {
	r.queue = append(r.queue, i)
	r.bytes += int64(len(i.text))
}

// miss begins a gap, or goes on with it.
func (r *Recorder) miss(why string, n int64) {
	r.gap.open, r.gap.why = true, why
	r.gap.bytes += n
}

// tellGap marks what was not recorded, in a flood only now and then.
func (r *Recorder) tellGap(now time.Duration, surely bool) {
	if r.gap.bytes == 0 || !surely && r.store.opt.Now().Sub(r.gap.told) < tellGap {
		return
	}
	r.push(item{
		at: now, kind: Mark,
		text: fmt.Appendf(nil, "%s%d bytes are missing before this: %s", gapWord, r.gap.bytes, r.gap.why),
	})
	r.gap.bytes, r.gap.told = 0, r.store.opt.Now()
}

// refill lets more output come as time goes by.
func (r *Recorder) refill() {
	now := r.store.opt.Now()
	more := int64(now.Sub(r.filled).Seconds() * float64(r.store.opt.rate))
	if more > 0 {
		r.budget = min(r.budget+more, r.store.opt.burst)
		r.filled = now
	}
}

// afford reports whether so much output may be recorded now.
func (r *Recorder) afford(n int64) bool {
	r.refill()
	if r.budget < n {
		return false
	}
	r.budget -= n
	return true
}

// post wakes the writer.
func (r *Recorder) post() { signal(r.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// place is where the recording stands.
func (r *Recorder) place() (Place, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Place{File: partName(r.base, 1), At: r.now()}, r.shown && !r.closed
}

func (r *Recorder) healthy() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return r.failed
	}
	if took := time.Since(r.busy); !r.busy.IsZero() && took > r.store.opt.stuck {
		return fmt.Errorf("%w since %s", ErrStuck, took.Round(time.Second))
	}
	return nil
}

func (r *Recorder) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}
