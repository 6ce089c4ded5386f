package trace

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrNone: there is no trace in the folder.
var ErrNone = errors.New("there is no trace yet")

// followTime is how often Follow looks for more.
const followTime = 200 * time.Millisecond

// Read gives the lines of a folder's trace, the oldest first. The error is
// ErrNone, the file's, or each's. A line that was not written to its end, or is
// none, is left out.
func Read(dir string, each func(Line) error) error {
	found := false
	for _, name := range []string{earlier, file} {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("trace: %w", err)
		}
		found = true
		_, err = lines(bufio.NewReader(f), nil, each)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("trace: %w in %s", ErrNone, dir)
	}
	return nil
}

// Follow gives the lines that come from now on, until ctx ends (its error) or each
// returns one.
func Follow(ctx context.Context, dir string, each func(Line) error) error {
	path := filepath.Join(dir, file)
	f, err := os.Open(path)
	if err == nil {
		_, err = f.Seek(0, io.SeekEnd)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trace: %w", err)
	}
	defer func() {
		if f != nil {
			_ = f.Close() // it was read
		}
	}()
	var r *bufio.Reader
	if f != nil {
		r = bufio.NewReader(f)
	}
	var rest []byte
	for {
		if r != nil {
			if rest, err = lines(r, rest, each); err != nil {
				return err
			}
		}
		if next := replaced(path, f); next != nil {
			if r != nil { // what came between the two looks
				if _, err = lines(r, rest, each); err != nil {
					return err
				}
				_ = f.Close() // it was read
			}
			f, r, rest = next, bufio.NewReader(next), nil
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followTime):
		}
	}
}

// replaced is the file at a path if it is another one than f.
func replaced(path string, f *os.File) *os.File {
	next, err := os.Open(path)
	if err != nil {
		return nil
	}
	if f != nil {
		a, errA := f.Stat()
		b, errB := next.Stat()
		if errA == nil && errB == nil && os.SameFile(a, b) {
			_ = next.Close() // nothing was read
			return nil
		}
	}
	return next
}

// lines gives the whole lines that are there; rest is the beginning of one.
func lines(r *bufio.Reader, rest []byte, each func(Line) error) ([]byte, error) {
	for {
		part, err := r.ReadBytes('\n')
		rest = append(rest, part...)
		if errors.Is(err, io.EOF) {
			return rest, nil
		}
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		var l Line
		if json.Unmarshal(rest, &l) == nil {
			if err := each(l); err != nil {
				return nil, err
			}
		}
		rest = rest[:0]
	}
}
