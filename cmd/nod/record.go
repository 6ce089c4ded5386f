package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/pane"
)

func recordingsDir(state string) string { return filepath.Join(state, "recordings") }

// record is the ledger and the recordings of panes as one: nothing that acts may
// run unless both can be written, and each run says where it is seen.
type record struct {
	*ledger.Ledger
	tapes *recording.Store

	mu     sync.Mutex
	places map[string]seenAt // of what runs, by the intent

	changed chan struct{} // holds one if it may be in another state than when it was looked at
}

var _ agent.Recorder = (*record)(nil)

// seenAt is where a run is seen.
type seenAt struct {
	ledger.Recording
	target, pane string
}

// bindWithin bounds how long a conclusion waits for the recording of its run. What a
// slow disk takes later is bound by the next conclusion, or when the recording ends.
const bindWithin = 250 * time.Millisecond

// recordingKind is the kind of the note that says what the file of a recording is
// that has ended.
const recordingKind = "recording"

func bound(b recording.Bound) *ledger.Bound {
	return &ledger.Bound{File: b.File, Bytes: b.Bytes, SHA256: b.SHA256}
}

// openRecord opens the recordings beside an open ledger; they pass the filter.
func openRecord(l *ledger.Ledger, state string, filter func() recording.Filter) (*record, error) {
	r := &record{Ledger: l, places: map[string]seenAt{}, changed: make(chan struct{}, 1)}
	var err error
	r.tapes, err = recording.Open(recordingsDir(state), recording.Options{
		Redact: filter, Wait: true, Changed: r.look,
		Removed: func(names []string) {
			// The ledger keeps a note that it cannot write now.
			_ = l.Note(ledger.Note{Kind: "recordings", Text: "removed to make room: " + strings.Join(names, ", "), By: "nod", Removed: names})
		},
		Ended: func(b recording.Bound) {
			// As above.
			_ = l.Note(ledger.Note{Kind: recordingKind, Text: "ended: " + b.File, By: "nod", Bound: bound(b)})
		},
	})
	return r, err
}

// tap records a pane.
func (r *record) tap(p *pane.Pane) pane.Tap {
	return r.tapes.Record(recording.Pane{Target: p.Target(), Session: p.Session(), Name: p.Name(), ID: p.ID}, p.Retap)
}

// Healthy says why nothing that acts may run now.
func (r *record) Healthy() error {
	if err := r.Ledger.Healthy(); err != nil {
		return err
	}
	return r.tapes.Healthy()
}

// Intend puts on record what is about to run, and where it is about to be seen.
func (r *record) Intend(ctx context.Context, i ledger.Intent) (ledger.Ref, error) {
	if err := r.tapes.Healthy(); err != nil {
		return ledger.Ref{}, r.noting(err)
	}
	if place, ok := r.tapes.Place(i.Target, i.Pane); ok && i.Pane != "" {
		i.Recording = &ledger.Recording{File: place.File, At: place.At}
	}
	ref, err := r.Ledger.Intend(ctx, i)
	if err == nil && i.Recording != nil {
		r.mu.Lock()
		r.places[ref.ID] = seenAt{*i.Recording, i.Target, i.Pane}
		r.mu.Unlock()
	}
	return ref, r.noting(err)
}

// Note puts on record what is no command.
func (r *record) Note(n ledger.Note) error { return r.noting(r.Ledger.Note(n)) }

// noting has who watches the record look at it after an error, which it returns.
func (r *record) noting(err error) error {
	if err != nil {
		r.look()
	}
	return err
}

// look has who watches the record look at it.
func (r *record) look() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// Conclude puts on record how it ended.
func (r *record) Conclude(ref ledger.Ref, c ledger.Conclusion) error {
	r.mu.Lock()
	place, ok := r.places[ref.ID]
	delete(r.places, ref.ID)
	r.mu.Unlock()
	if ok {
		c.Recording = &place.Recording
		if b, ok := r.tapes.Bind(place.target, place.pane, bindWithin); ok {
			c.Recording.Bound = bound(b)
		}
	}
	return r.noting(r.Ledger.Conclude(ref, c))
}

// warnAtEnd tells what the operator should know of the record when nod ends: once,
// until it is over.
func (r *record) warnAtEnd(state string, warn func(string)) func() error {
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

// alarmEvery is how often the disk of the record is asked how much is left, which no
// event tells. A write that fails shows at once.
const alarmEvery = 500 * time.Millisecond

// watchRecord calls changed with what is wrong with the record, whenever that is
// something else, until ctx ends: grave if nothing that acts may run. An empty
// text says that all is well.
func (h *house) watchRecord(ctx context.Context, changed func(text string, grave bool)) {
	ticks := time.NewTicker(alarmEvery)
	defer ticks.Stop()
	for was := ""; ; {
		text, grave := recordState(h)
		if text != was {
			changed(text, grave)
			was = text
		}
		select {
		case <-ticks.C:
		case <-h.record.changed:
		case <-ctx.Done():
			return
		}
	}
}

// recordState is what the operator should know of the record, or nothing. It is
// grave if nothing that acts may run.
func recordState(h *house) (text string, grave bool) {
	if err := h.record.Healthy(); err != nil {
		return "only plain looks run now: " + err.Error(), true
	}
	return h.ledger.Warning(), false
}
