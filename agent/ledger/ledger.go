package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

// The files of a ledger.
const (
	logFile    = "ledger.jsonl"
	headFile   = "head"
	keyFile    = "key"
	lockFile   = "lock"
	livePrefix = "live-"
)

// Limits of free space, in bytes.
const (
	WarnBelow   = 64 << 20 // Warning speaks
	RefuseBelow = 16 << 20 // Healthy fails; what is left is for conclusions
)

// Errors of a Ledger.
var (
	// ErrDiskLow: there is less than RefuseBelow left.
	ErrDiskLow = errors.New("the disk is almost full")
	// ErrNoIntent: Conclude was given a Ref that this Ledger did not hand out,
	// or one that is concluded already.
	ErrNoIntent = errors.New("no such open intent")
	// ErrClosed: the ledger was closed.
	ErrClosed = errors.New("the ledger is closed")
)

// Options of Open. The zero value is ready for use.
type Options struct {
	// Now is the clock of the records; nil means time.Now.
	Now func() time.Time
	// Witness is told of each head; nil means nobody is. The Ledger closes it.
	Witness Witness
	// Wait has Open succeed where the disk takes nothing: it is read-only or
	// full, or the rights are missing. Healthy says so, and the files are opened
	// as soon as that is possible.
	Wait bool
	// Heads is a folder elsewhere in which the last head of each ledger is kept, so
	// that a ledger that was put back to an older state is noticed. Empty means that
	// none is kept. A folder that cannot be written keeps none, and stops nothing.
	Heads string
	// Spool are folders that outlive the process, best in memory: what the disk did
	// not take before Close is kept in the first that takes it, for the next Open,
	// which looks in all. Without one it is lost.
	Spool []string

	disk disk // for tests; nil means the real one
}

// Ref names an intent to its Conclude.
type Ref struct{ ID string }

// Ledger appends to the ledger in one folder. Safe for concurrent use, also by
// several processes.
type Ledger struct {
	dir     string
	disk    disk
	now     func() time.Time
	process string // names this Ledger's live file

	mu      sync.Mutex // also guards the advisory lock, which is per open file
	closed  bool
	live    *os.File // locked for as long as this Ledger is open
	lock    *os.File
	log     file // nil until the files could be opened
	seal    *sealer
	at      position          // everything before it is verified
	open    map[string]string // open intents of all processes: ref to process
	mine    map[string]bool   // acknowledged and not concluded yet
	pending []body            // what the disk did not take yet, in order
	swept   bool              // the intents of dead processes were concluded
	failure error             // why the last append failed
	name    string            // for the witness
	told    Witness           // nil if there is none
	untold  error             // why the witness does not have the last head
	heads   *heads            // nil if there is none
	known   *known            // what heads knew when the ledger was opened; nil once that was compared
	lost    string            // what was missing then

	signed  uint64      // how many records are in epochs that have ended
	checked bool        // the epochs' key was found to be the right one
	due     *time.Timer // ends the present epoch

	headsDir string
	spool    []string
	tail     []byte // the last record of the log when it was opened
}

// Open opens the ledger in dir and creates it if there is none. Intents whose
// process is gone get the conclusion "unknown".
//
// An error means that dir cannot be used: it belongs to somebody else, it is a
// link, it cannot be written, or the log or the key is missing. A ledger whose
// records do not hold opens, but Healthy and Intend fail and say why.
func Open(dir string, opt Options) (*Ledger, error) {
	l := &Ledger{
		disk: opt.disk, now: opt.Now, process: rand.Text(),
		at: start(), open: map[string]string{}, mine: map[string]bool{}, told: opt.Witness,
		headsDir: opt.Heads, spool: opt.Spool,
	}
	if l.disk == nil {
		l.disk = osDisk{}
	}
	if l.now == nil {
		l.now = time.Now
	}
	var err error
	if l.dir, err = filepath.Abs(dir); err != nil {
		return nil, unopened(dir, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.prepare(); err != nil && (!opt.Wait || !private.Unwritable(err)) {
		return nil, errors.Join(err, l.tellNoMore())
	}
	if err := l.locked(context.Background(), l.catchUp); err != nil {
		l.fail(err)
	}
	return l, nil
}

// prepare opens the folder's files and creates what is missing. After an error
// none is open.
func (l *Ledger) prepare() error {
	if err := l.openFiles(); err != nil {
		return errors.Join(unopened(l.dir, err), l.discard())
	}
	return nil
}

// unopened is the error of a ledger that cannot be opened. One of a file names that itself.
func unopened(dir string, err error) error {
	var file *fs.PathError
	if errors.As(err, &file) && strings.HasPrefix(file.Path, dir) {
		return fmt.Errorf("ledger: %w", err)
	}
	return fmt.Errorf("ledger: open %q: %w", dir, err)
}

func (l *Ledger) openFiles() (err error) {
	if err := private.MakeDir(l.dir); err != nil {
		return err
	}
	if l.lock, err = openOwn(l.path(lockFile), os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	return l.alone(context.Background(), func() error {
		if l.live, err = openOwn(l.path(livePrefix+l.process), os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
			return err
		}
		if err := flock(l.live, unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return err
		}
		if err := l.create(); err != nil {
			return err
		}
		key, err := readKey(l.disk, l.dir)
		if err != nil {
			return err
		}
		l.seal = newSealer(key)
		l.name = l.seal.name()
		if err := l.adoptEpochs(); err != nil {
			return err
		}
		if l.headsDir != "" {
			l.heads = headsOf(l.headsDir, l.name)
			l.known, _ = l.heads.last(l.name) // what cannot be read tells nothing
		}
		l.log, err = l.disk.open(l.path(logFile), os.O_RDWR)
		return err
	})
}

func (l *Ledger) path(name string) string { return filepath.Join(l.dir, name) }

// Intend puts on record that something is about to run. It is on disk when
// Intend returns nil; after an error nothing may run.
func (l *Ledger) Intend(ctx context.Context, i Intent) (Ref, error) {
	if i.ID == "" {
		i.ID = rand.Text()
	}
	if i.Time.IsZero() {
		i.Time = l.now()
	}
	i.Time = i.Time.UTC()
	if i.PID == 0 {
		i.PID = os.Getpid()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.space(); err != nil {
		return Ref{}, err
	}
	if _, taken := l.open[i.ID]; taken {
		return Ref{}, fmt.Errorf("ledger: the intent %q is on record already", i.ID)
	}
	b := body{Type: TypeIntent, Ref: i.ID, Process: l.process, Time: i.Time, Intent: &i}
	if err := l.append(ctx, b); err != nil {
		return Ref{}, err
	}
	l.mine[i.ID] = true
	return Ref{i.ID}, nil
}

// Conclude puts on record how the run that ref names ended. After an error the
// conclusion is kept and written as soon as that is possible; it must not be
// given again.
func (l *Ledger) Conclude(ref Ref, c Conclusion) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mine[ref.ID] {
		return fmt.Errorf("ledger: conclude %q: %w", ref.ID, ErrNoIntent)
	}
	delete(l.mine, ref.ID)
	return l.keep(l.conclusion(ref.ID, c))
}

// Note puts something on record that is no run. After an error it is kept and
// written as soon as that is possible.
func (l *Ledger) Note(n Note) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keep(l.note(n))
}

// Healthy says why nothing that acts may run now, or nil. It tries to put right
// what is wrong. Ask it before each run and, for a banner, every second.
func (l *Ledger) Healthy() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if err := l.space(); err != nil {
		return err
	}
	if l.failure == nil {
		return nil
	}
	if err := l.locked(context.Background(), l.settle); err != nil {
		l.fail(err)
	}
	return l.failure
}

// Warning is what the operator should know although the ledger is healthy: that
// the disk runs low, or that the witness is not reached. It is empty if there is
// nothing to say.
func (l *Ledger) Warning() string {
	l.mu.Lock()
	untold := l.untold
	l.mu.Unlock()
	if untold != nil {
		return fmt.Sprintf("the record is not copied: %v", untold)
	}
	left, err := l.disk.free(l.dir)
	if err != nil || left >= WarnBelow {
		return ""
	}
	return fmt.Sprintf("%d MiB are left for the record in %s; below %d MiB nothing that acts may run", left>>20, l.dir, RefuseBelow>>20)
}

// Lost says what was missing when the ledger was opened, of what the heads outside
// of its folder know. It is on record, too. Empty if nothing was.
func (l *Ledger) Lost() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Close writes what is still pending, ends the epoch and lets go of the ledger.
// Intents without a conclusion are "unknown" from the next Open on. A *[Spooled]
// says that records were set aside for it.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	var err error
	if len(l.pending) > 0 {
		if err = l.locked(context.Background(), l.settle); err != nil {
			err = l.setAside(err)
		}
	}
	return errors.Join(err, l.lastTurn(), l.discard(), l.tellNoMore())
}

// discard removes the live file and closes all files.
func (l *Ledger) discard() error {
	var errs []error
	if l.live != nil {
		errs = append(errs, os.Remove(l.live.Name()))
	}
	if l.log != nil {
		errs = append(errs, l.log.Close())
	}
	for _, f := range []*os.File{l.live, l.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if l.heads != nil {
		errs = append(errs, l.heads.Close())
	}
	l.log, l.live, l.lock, l.heads = nil, nil, nil, nil
	return errors.Join(errs...)
}

func (l *Ledger) tellNoMore() error {
	if l.told == nil {
		return nil
	}
	return l.told.Close()
}

func (l *Ledger) conclusion(ref string, c Conclusion) body {
	return body{Type: TypeConclusion, Ref: ref, Process: l.process, Time: l.now().UTC(), Conclusion: &c}
}

func (l *Ledger) note(n Note) body {
	return body{Type: TypeNote, Process: l.process, Time: l.now().UTC(), Note: &n}
}

// space refuses when the disk is almost full. Where the files could not be opened
// yet, the next try says more.
func (l *Ledger) space() error {
	if l.log == nil {
		return nil
	}
	left, err := l.disk.free(l.dir)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if left < RefuseBelow {
		return fmt.Errorf("ledger: %w: %d MiB are left in %s; make room for at least %d MiB", ErrDiskLow, left>>20, l.dir, RefuseBelow>>20)
	}
	return nil
}
