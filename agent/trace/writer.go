package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds, in bytes.
const (
	MaxFile = 32 << 20
	MaxLine = 1 << 20
)

// file is the name of the newest lines, and earlier of those before them.
const (
	file    = "trace.jsonl"
	earlier = "trace.1.jsonl"
)

// Line is one of the trace.
type Line struct {
	Time         time.Time       `json:"time"`
	PID          int             `json:"pid"`
	Conversation string          `json:"conversation"`
	Kind         string          `json:"kind"` // "request", "reply", "call", "result"
	Value        json.RawMessage `json:"value"`
	Cut          int             `json:"cut,omitempty"` // bytes that the value had beyond its head, which is a string then
}

// Writer adds lines. Safe for concurrent use.
type Writer struct {
	path    string
	maxFile int64
	now     func() time.Time
	warn    func(string)

	mu     sync.Mutex
	f      *os.File
	warned bool
}

// Open opens the trace in a folder, which is made if it is missing. warn is told,
// once, that lines are lost.
func Open(dir string, warn func(string)) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	w := &Writer{path: filepath.Join(dir, file), maxFile: MaxFile, now: time.Now, warn: warn}
	if err := w.open(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Writer) open() error {
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if err := f.Chmod(0o600); err != nil {
		return errors.Join(fmt.Errorf("trace: %w", err), f.Close())
	}
	w.f = f
	return nil
}

// Trace adds a line. Value is valid JSON.
func (w *Writer) Trace(conversation, kind string, value json.RawMessage) {
	line := Line{Time: w.now(), PID: os.Getpid(), Conversation: conversation, Kind: kind, Value: value}
	// JSON within JSON grows by its escapes: to six times at worst.
	if most := MaxLine / 8; len(value) > MaxLine-1024 {
		line.Cut = len(value) - most
		line.Value, _ = json.Marshal(string(value[:most])) // a string: cannot fail
	}
	text, err := json.Marshal(line)
	if err == nil {
		err = w.write(append(text, '\n'))
	}
	w.mu.Lock()
	first := err != nil && !w.warned
	w.warned = w.warned || err != nil
	w.mu.Unlock()
	if first && w.warn != nil {
		w.warn("the trace has gaps: " + err.Error())
	}
}

func (w *Writer) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return fmt.Errorf("trace: %w", fs.ErrClosed)
	}
	if err := w.lock(int64(len(line))); err != nil {
		return err
	}
	_, err := w.f.Write(line) // one call: lines of several processes stay whole
	return errors.Join(err, w.unlock())
}

// lock makes room in the file and locks it: a full file becomes the earlier one.
// Whoever finds that another process has done so goes over to the new file.
func (w *Writer) lock(more int64) error {
	for {
		if err := unix.Flock(int(w.f.Fd()), unix.LOCK_EX); err != nil {
			return fmt.Errorf("trace: lock: %w", err)
		}
		mine, err := w.f.Stat()
		if err != nil {
			return errors.Join(err, w.unlock())
		}
		there, err := os.Lstat(w.path)
		moved := err != nil || !os.SameFile(mine, there)
		if !moved && (mine.Size() == 0 || mine.Size()+more <= w.maxFile) {
			return nil
		}
		if !moved {
			if err := os.Rename(w.path, filepath.Join(filepath.Dir(w.path), earlier)); err != nil {
				return errors.Join(err, w.unlock())
			}
		}
		old := w.f
		if err := w.open(); err != nil {
			w.f = old
			return errors.Join(err, w.unlock())
		}
		if err := old.Close(); err != nil { // which unlocks it
			return err
		}
	}
}

func (w *Writer) unlock() error { return unix.Flock(int(w.f.Fd()), unix.LOCK_UN) }

// Close ends the writing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return nil
	}
	err := w.f.Close()
	w.f = nil
	return err
}
