package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	dbFile = "history.db"
	// busyTimeout bounds the wait for another process's transaction, which
	// takes milliseconds.
	busyTimeout = 5 * time.Second
	// minSQLite is the oldest version without the defect that could lose
	// pages of a write-ahead log which two processes reset at once.
	minSQLite = "3.51.3"
)

// Options of Open. The zero value is ready for use.
type Options struct {
	// ReadOnly opens a store that must be there already, and never writes. It
	// works on a disk that is mounted read-only.
	ReadOnly bool
	// Now is the clock of the rows; nil means time.Now.
	Now func() time.Time
	// Spare makes a folder in which the store goes on when a write finds that its own
	// takes nothing any more, for the reason why; Move leads back. It is called on the
	// goroutine that writes, never twice at once. Nil means that the write fails.
	Spare func(why error) (dir string, err error)

	maxPages int    // a small disk, for tests
	steps    []step // other migrations, for tests
}

// Store is the history in one folder. Safe for concurrent use, also by several
// processes.
type Store struct {
	now  func() time.Time
	seat atomic.Pointer[seat] // where it is now; see Move
	left []*seat              // where it was, until Close

	spare  func(why error) (string, error)
	moving sync.RWMutex // held for reading by each write, for writing by what changes seat
}

// seat is a folder with an open database.
type seat struct {
	db     *sql.DB
	dir    string
	path   string
	holder *holder // nil if it is read-only
	turn   *turn   // nil until it is open for writing
}

func (s *Store) at() *seat { return s.seat.Load() }

// Open opens the history in dir, which is made if it is missing, and brings it
// to the newest version. The error is an *Error, the context's, or ErrNone if
// a store that is only to be read is not there.
func Open(ctx context.Context, dir string, opt Options) (*Store, error) {
	s := &Store{now: opt.Now}
	s.seat.Store(&seat{dir: dir, path: filepath.Join(dir, dbFile)})
	if s.now == nil {
		s.now = time.Now
	}
	if opt.steps == nil {
		opt.steps = migrations
	}
	if err := s.open(ctx, opt); err != nil {
		return nil, errors.Join(fault(s.at().path, err), s.Close())
	}
	s.spare = opt.Spare
	return s, nil
}

func (s *Store) open(ctx context.Context, opt Options) error {
	if err := s.prepare(opt.ReadOnly); err != nil {
		return err
	}
	if !opt.ReadOnly {
		enter, err := holdDoor(s.at().dir)
		if err != nil {
			return err
		}
		defer enter()
	}
	db, err := sql.Open("sqlite", s.dsn(opt))
	if err != nil {
		return err
	}
	s.at().db = db
	db.SetMaxOpenConns(4) // readers beside the one writer
	if err := s.checkEngine(ctx); err != nil {
		return err
	}
	if opt.ReadOnly {
		version, err := s.version(ctx, db)
		if err == nil && version != len(opt.steps) {
			err = s.otherVersion(version, len(opt.steps))
		}
		return err
	}
	if err := s.migrate(ctx, opt.steps); err != nil {
		return err
	}
	s.at().holder, err = newHolder(s.at().dir)
	s.at().turn = newTurn(s.at().dir)
	return err
}

// prepare makes the folder and an empty file with the right mode, which SQLite
// then gives its other files, too.
func (s *Store) prepare(readOnly bool) error {
	if readOnly {
		_, err := os.Stat(s.at().path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w in %s", ErrNone, s.at().dir)
		}
		return err
	}
	if err := makeFolder(s.at().dir); err != nil {
		return err
	}
	f, err := os.OpenFile(s.at().path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Store) dsn(opt Options) string {
	q := url.Values{}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	if opt.ReadOnly {
		q.Set("mode", "ro")
		if !s.hasLog() && unix.Access(s.at().dir, unix.W_OK) != nil {
			// The disk takes no shared-memory file, and nobody writes there or
			// has died writing.
			q.Set("immutable", "1")
		}
	} else {
		q.Set("_txlock", "immediate")
		q.Add("_pragma", "journal_mode(WAL)")
		q.Add("_pragma", "synchronous(FULL)")
		q.Add("_pragma", "foreign_keys(1)")
		q.Add("_pragma", "secure_delete(1)") // what is deleted is gone
		if opt.maxPages > 0 {
			q.Add("_pragma", fmt.Sprintf("max_page_count(%d)", opt.maxPages))
		}
	}
	return fileURI(s.at().path, q)
}

func fileURI(path string, q url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

func (s *Store) hasLog() bool {
	_, err := os.Stat(s.at().path + "-wal")
	return err == nil
}

// checkEngine asserts the SQLite that is built in, and that the file is one of
// its databases.
func (s *Store) checkEngine(ctx context.Context) error {
	var version string
	var tables int
	if err := s.at().db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	if older(version, minSQLite) {
		return fmt.Errorf("this nod was built with SQLite %s, which can lose data; it needs %s or newer", version, minSQLite)
	}
	return s.at().db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
}

// older compares dotted numbers.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX != nil || errY != nil {
			return true // not a version that we know to be good
		}
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}

func (s *Store) otherVersion(found, known int) error {
	if found > known {
		return s.newer(found, known)
	}
	return &Error{
		Problem: Older, Path: s.at().path,
		Message: fmt.Sprintf("written by an older nod (version %d; this one knows %d)", found, known),
		Hint:    "start nod once where the folder can be written, so that it can be brought up to date",
	}
}

// Close lets go of the store. What is not ended can be resumed.
func (s *Store) Close() error {
	var errs []error
	for _, at := range append(s.left, s.at()) {
		errs = append(errs, at.close())
	}
	return errors.Join(errs...)
}

func (s *seat) close() error {
	var err error
	if s.db != nil {
		if s.holder != nil {
			leave, doorErr := holdDoor(s.dir)
			if doorErr == nil {
				defer leave()
			}
			err = doorErr
		}
		err = errors.Join(err, s.db.Close())
	}
	if s.holder != nil {
		err = errors.Join(err, s.holder.release())
	}
	return err
}

// Check reads the whole database and says whether it is sound.
func (s *Store) Check(ctx context.Context) error {
	var found string
	if err := s.at().db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return fault(s.at().path, err)
	}
	if found == "ok" {
		return nil
	}
	return damaged(s.at().path, errors.New(strings.Join(strings.Fields(found), " ")))
}

// write runs f in a transaction that nobody else writes in. Where the disk refuses
// it and there is a spare folder, f runs again there.
func (s *Store) write(ctx context.Context, f func(tx *sql.Tx) error) error {
	for {
		at, err := s.writeOnce(ctx, f)
		if err == nil {
			return nil
		}
		again, err := s.leave(ctx, at, err)
		if !again {
			return err
		}
	}
}

func (s *Store) writeOnce(ctx context.Context, f func(tx *sql.Tx) error) (*seat, error) {
	s.moving.RLock()
	defer s.moving.RUnlock()
	return s.at(), s.transact(ctx, f)
}

func (s *Store) transact(ctx context.Context, f func(tx *sql.Tx) error) error {
	release, err := s.at().turn.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	tx, err := s.at().db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		// The rollback's own error says nothing new: the transaction is gone
		// either way.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}
