package record

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Recorder is the ledger and the recordings of panes as one: nothing that acts may
// run unless both can be written, and each run says where it is seen.
type Recorder struct {
	*ledger.Ledger
	Recordings *recording.Store
	// Watcher hears of all that is put on record; nil if nobody wants to.
	Watcher Watcher

	mu     sync.Mutex
	places map[string]place // of what runs, by the intent

	Changed chan struct{} // holds one if it may be in another state than when it was looked at
}

var _ gate.Recorder = (*Recorder)(nil)

// Watcher hears of what is on record from now on. Its methods must not block.
type Watcher interface {
	Begun(id string, i ledger.Intent)
	Ended(id string, c ledger.Conclusion)
	Noted(n ledger.Note)
}

// place is where a run is seen.
type place struct {
	ledger.Recording
	target, pane string
}

// bindWithin bounds how long a conclusion waits for the recording of its run. What a
// slow disk takes later is bound by the next conclusion, or when the recording ends.
const bindWithin = 250 * time.Millisecond

// EndedKind is the kind of the note that says what the file of a recording is
// that has ended.
const EndedKind = "recording"

func bound(b recording.Bound) *ledger.Bound {
	return &ledger.Bound{File: b.File, Bytes: b.Bytes, SHA256: b.SHA256}
}

// OpenRecorder opens the recordings beside an open ledger; they pass the filter.
func OpenRecorder(l *ledger.Ledger, state string, filter func() recording.Filter) (*Recorder, error) {
	r := &Recorder{Ledger: l, places: map[string]place{}, Changed: make(chan struct{}, 1)}
	var err error
	r.Recordings, err = recording.Open(config.RecordingsDir(state), recording.Options{
		Redact: filter, Wait: true, Changed: r.look,
		Removed: func(names []string) {
			// The ledger keeps a note that it cannot write now.
			_ = l.Note(ledger.Note{Kind: "recordings", Text: "removed to make room: " + strings.Join(names, ", "), By: "nod", Removed: names})
		},
		Ended: func(b recording.Bound) {
			// As above.
			_ = l.Note(ledger.Note{Kind: EndedKind, Text: "ended: " + b.File, By: "nod", Bound: bound(b)})
		},
	})
	return r, err
}

// Tap records a pane.
func (r *Recorder) Tap(p *pane.Pane) pane.Tap {
	return r.Recordings.Record(recording.Pane{Target: p.Target(), Session: p.Session(), Name: p.Name(), ID: p.ID}, p.Retap)
}

// Healthy says why nothing that acts may run now.
func (r *Recorder) Healthy() error {
	if err := r.Ledger.Healthy(); err != nil {
		return err
	}
	return r.Recordings.Healthy()
}

// Intend puts on record what is about to run, and where it is about to be seen.
func (r *Recorder) Intend(ctx context.Context, i ledger.Intent) (ledger.Ref, error) {
	if err := r.Recordings.Healthy(); err != nil {
		return ledger.Ref{}, r.noting(err)
	}
	if place, ok := r.Recordings.Place(i.Target, i.Pane); ok && i.Pane != "" {
		i.Recording = &ledger.Recording{File: place.File, At: place.At}
	}
	ref, err := r.Ledger.Intend(ctx, i)
	if err == nil && r.Watcher != nil {
		r.Watcher.Begun(ref.ID, i)
	}
	if err == nil && i.Recording != nil {
		r.mu.Lock()
		r.places[ref.ID] = place{*i.Recording, i.Target, i.Pane}
		r.mu.Unlock()
	}
	return ref, r.noting(err)
}

// Note puts on record what is no command.
func (r *Recorder) Note(n ledger.Note) error {
	if r.Watcher != nil {
		r.Watcher.Noted(n)
	}
	return r.noting(r.Ledger.Note(n))
}

// noting has who watches the record look at it after an error, which it returns.
func (r *Recorder) noting(err error) error {
	if err != nil {
		r.look()
	}
	return err
}

// look has who watches the record look at it.
func (r *Recorder) look() {
	select {
	case r.Changed <- struct{}{}:
	default:
	}
}

// Conclude puts on record how it ended.
func (r *Recorder) Conclude(ref ledger.Ref, c ledger.Conclusion) error {
	r.mu.Lock()
	place, ok := r.places[ref.ID]
	delete(r.places, ref.ID)
	r.mu.Unlock()
	if ok {
		c.Recording = &place.Recording
		if b, ok := r.Recordings.Bind(place.target, place.pane, bindWithin); ok {
			c.Recording.Bound = bound(b)
		}
	}
	if r.Watcher != nil {
		r.Watcher.Ended(ref.ID, c)
	}
	return r.noting(r.Ledger.Conclude(ref, c))
}

// WarnAtEnd tells what the operator should know of the record when nod ends: once,
// until it is over.
func (r *Recorder) WarnAtEnd(state string, warn func(string)) func() error {
	return func() error {
		told := filepath.Join(state, "warned")
		text := r.Warning()
		if warn == nil {
			return nil
		}
		if text == "" {
			_ = os.Remove(told) // there may be none
			return nil
		}
		about := strings.TrimLeft(text, "0123456789") // how much is left is another number each time
		if before, err := os.ReadFile(told); err == nil && string(before) == about {
			return nil
		}
		warn(text)
		_ = os.WriteFile(told, []byte(about), 0o600) // else it is told again
		return nil
	}
}
