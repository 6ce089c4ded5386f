package recording

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

// Limits. See the package comment.
const (
	maxQueue = 8 << 20
	maxPart  = 64 << 20
	maxTotal = 2 << 30
	maxFiles = 5000
	burst    = 32 << 20
	rate     = 256 << 10 // bytes a second

	// refuseBelow is the free space, in bytes, from which on nothing is
	// written: what is left is the ledger's.
	refuseBelow = 16 << 20
)

// stuckAfter is how long the disk may take for one write before the recording
// counts as failed.
const stuckAfter = 3 * time.Second

// closeWait bounds how long Close waits for the disk.
const closeWait = 5 * time.Second

// ErrDiskLow: what is left on the disk is kept for the ledger.
var ErrDiskLow = errors.New("the disk is almost full")

// ErrStuck: the disk did not take what was written in time.
var ErrStuck = errors.New("the disk does not answer")

// Filter takes what is secret out of a stream. It may hold back what cannot be
// judged yet until Flush, which is called before each mark and at the end.
type Filter interface {
	Push(p []byte) []byte
	Flush() []byte
}

// Options of Open. The zero value is ready for use.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Redact makes the filter of one recording; nil means that there is none.
	Redact func() Filter
	// Wait has Open succeed where the disk takes nothing: it is read-only or
	// full, or the rights are missing. Recordings begin as soon as that is
	// possible; until then Healthy says why they do not.
	Wait bool
	// Removed is told the names of files that were removed to make room. It is
	// called on a goroutine of the store's and may take its time. May be nil.
	Removed func(names []string)
	// Ended is told what a file is that is not written any more. It is called on a
	// goroutine of the store's and may take its time. May be nil.
	Ended func(Bound)
	// Changed is told when Healthy may have something else to say. It is called on
	// a goroutine of the store's, which waits for it. May be nil.
	Changed func()

	disk                               disk // for tests, like the rest; zero means the real ones
	maxQueue, maxPart, maxTotal, burst int64
	rate                               int64
	gather, stuck                      time.Duration
}

// Pane names what is recorded.
type Pane struct {
	Target, Session, Name string
	// ID is the terminal's present name for it. It must not block.
	ID func() string
}

// Place is somewhere in a recording.
type Place struct {
	File string        // the name of its first file, in the folder
	At   time.Duration // since its beginning
}

// Store records into one folder. Safe for concurrent use.
type Store struct {
	dir string
	opt Options

	mu        sync.Mutex
	recorders []*Recorder
	closed    bool
	tidied    sync.Once
	running   sync.WaitGroup
}

// Open prepares the folder. The error says that it must not or cannot be used.
func Open(dir string, opt Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.disk == nil {
		opt.disk = osDisk{}
	}
	for _, limit := range []struct {
		of    *int64
		value int64
	}{{&opt.maxQueue, maxQueue}, {&opt.maxPart, maxPart}, {&opt.maxTotal, maxTotal}, {&opt.burst, burst}, {&opt.rate, rate}} {
		if *limit.of == 0 {
			*limit.of = limit.value
		}
	}
	if opt.gather == 0 {
		opt.gather = gatherFor
	}
	if opt.stuck == 0 {
		opt.stuck = stuckAfter
	}
	if err := private.MakeDir(dir); err != nil && (!opt.Wait || !private.Unwritable(err)) {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	return &Store{dir: dir, opt: opt}, nil
}

// tidy mends what a crash has cut off, and makes room, once. Neither is needed to
// record, and the next process tries both again.
func (s *Store) tidy() {
	s.tidied.Do(func() {
		_ = mend(s.dir)
		s.makeRoom()
	})
}

// makeRoom keeps the folder within its bound.
func (s *Store) makeRoom() {
	removed, _ := makeRoom(s.dir, s.opt.maxTotal) // what cannot be removed now may be later
	if len(removed) > 0 && s.opt.Removed != nil {
		s.opt.Removed(removed)
	}
}

// Record begins to record a pane. retap has the pane tell the Recorder what it
// shows; it is called on a goroutine of the Recorder's own. Whether the
// recording can be written, Healthy tells. After Close it records nothing.
func (s *Store) Record(p Pane, retap func()) *Recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := newRecorder(s, p, retap)
	if s.closed {
		r.Closed()
		close(r.done)
		return r
	}
	s.recorders = append(s.recorders, r)
	s.running.Go(func() {
		s.tidy()
		r.write()
		s.forget(r)
	})
	return r
}

// forget takes a recorder off that has ended.
func (s *Store) forget(r *Recorder) {
	defer s.changed() // what was wrong with it is not any more
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.recorders {
		if other == r {
			s.recorders = append(s.recorders[:i:i], s.recorders[i+1:]...)
			return
		}
	}
}

func (s *Store) all() []*Recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Recorder(nil), s.recorders...)
}

// changed tells that Healthy may have something else to say.
func (s *Store) changed() {
	if s.opt.Changed != nil {
		s.opt.Changed()
	}
}

// Healthy says why nothing that acts may run now, or nil. Ask it before each run
// and, for a banner, when Changed is called.
func (s *Store) Healthy() error {
	for _, r := range s.all() {
		if err := r.healthy(); err != nil {
			return fmt.Errorf("recording: %s %s/%s: %w", r.pane.Target, r.pane.Session, r.pane.Name, err)
		}
	}
	return nil
}

// Place is where the recording of a pane stands now, by the terminal's name for
// the pane. There may be none.
func (s *Store) Place(target, pane string) (Place, bool) {
	for _, r := range s.all() {
		// Only a pane that shows something surely has an ID.
		if place, ok := r.place(); ok && r.pane.Target == target && r.pane.ID() == pane {
			return place, true
		}
	}
	return Place{}, false
}

// Bind has everything that a pane has shown on disk, and says what its file is then.
// It waits no longer than that; ok is false where the disk took longer, or nothing is
// recorded.
func (s *Store) Bind(target, pane string, wait time.Duration) (b Bound, ok bool) {
	for _, r := range s.all() {
		if _, on := r.place(); on && r.pane.Target == target && r.pane.ID() == pane {
			return r.bind(wait)
		}
	}
	return Bound{}, false
}

// Dir is the folder.
func (s *Store) Dir() string { return s.dir }

// Close ends all recordings. The error says that the disk has not taken all of
// them in time.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	all := append([]*Recorder(nil), s.recorders...)
	s.mu.Unlock()
	for _, r := range all {
		r.Closed()
	}
	late := time.NewTimer(closeWait)
	defer late.Stop()
	var errs []error
	for _, r := range all {
		select {
		case <-r.done:
			if err := r.failure(); err != nil {
				errs = append(errs, fmt.Errorf("recording: %s: the end is missing: %w", r.base, err))
			}
		case <-late.C:
			return errors.Join(append(errs, fmt.Errorf("recording: %s: the end is missing: %w", r.base, ErrStuck))...)
		}
	}
	s.running.Wait()
	return errors.Join(errs...)
}
