package recording

import (
	"sort"
	"time"

	"github.com/nod-console/nod/backends/vt"
)

// pictureEvery is how much output lies between two pictures that are kept, in
// bytes: as much as is played in some ten milliseconds.
const pictureEvery = 1 << 20

// Playback shows a recording at any time of it. It is not safe for concurrent
// use; the pictures that it gives are.
type Playback struct {
	rec      *Recording
	term     *vt.Terminal
	next     int       // the first event that is not played
	pictures []picture // in order; the first one is the beginning
	played   int       // bytes of output since the last picture
	every    int       // pictureEvery; less in tests
}

// picture is the state of the terminal before an event.
type picture struct {
	next    int
	size    vt.Size
	restore []byte
}

// Play shows a recording, at its beginning.
func Play(rec *Recording) *Playback {
	p := &Playback{rec: rec, every: pictureEvery}
	size := vt.Size{Cols: rec.Header.Width, Rows: rec.Header.Height}
	p.pictures = []picture{{size: size}}
	p.term = vt.New(size, vt.Options{Scrollback: vt.DefaultScrollback})
	return p
}

// Recording is what is played.
func (p *Playback) Recording() *Recording { return p.rec }

// Seek shows the recording as it was at a time: all events up to it, and with it,
// have happened.
func (p *Playback) Seek(at time.Duration) {
	end := sort.Search(len(p.rec.Events), func(i int) bool { return p.rec.Events[i].At > at })
	p.Step(end)
}

// Step shows the recording with its first n events.
func (p *Playback) Step(n int) {
	n = min(max(n, 0), len(p.rec.Events))
	i := sort.Search(len(p.pictures), func(i int) bool { return p.pictures[i].next > n }) - 1
	// Forward, from here or from a picture that is nearer.
	if from := p.pictures[i]; n < p.next || from.next > p.next {
		p.term = vt.New(from.size, vt.Options{Scrollback: vt.DefaultScrollback})
		_, _ = p.term.Write(from.restore) // never fails
		p.next, p.played = from.next, 0
	}
	for p.next < n {
		p.apply(p.rec.Events[p.next])
		p.next++
		if last := p.pictures[len(p.pictures)-1]; p.played >= p.every && p.next > last.next {
			p.pictures = append(p.pictures, picture{p.next, p.term.Snapshot().Size, p.term.Restore()})
			p.played = 0
		}
	}
}

func (p *Playback) apply(e Event) {
	switch e.Kind {
	case Output:
		_, _ = p.term.Write([]byte(e.Text)) // never fails
		p.played += len(e.Text)
	case Resize:
		if size, err := e.Size(); err == nil { // else it is no size, and nothing changes
			p.term.Resize(vt.Size{Cols: size.Cols, Rows: size.Rows})
		}
	}
}

// Next is the number of events that have happened.
func (p *Playback) Next() int { return p.next }

// Screen is what shows now.
func (p *Playback) Screen() *vt.Snapshot { return p.term.Snapshot() }
