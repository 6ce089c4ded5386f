package recording

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Bound says what a file was at a time: what the record keeps of it.
type Bound struct {
	File   string // its name in the folder
	Bytes  int64  // how many it had
	SHA256 string // of those, in hexadecimal
}

// bind waits until everything that was shown is on disk.
func (r *Recorder) bind(wait time.Duration) (Bound, bool) {
	r.mu.Lock()
	r.asked++
	mine := r.asked
	r.mu.Unlock()
	r.post()
	signal(r.hurry)
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		r.mu.Lock()
		answered, bound, answer := r.answered, r.bound, r.answer
		r.mu.Unlock()
		if answered >= mine {
			return bound, bound.File != ""
		}
		select {
		case <-answer:
		case <-r.done:
			return Bound{}, false
		case <-late.C:
			return Bound{}, false
		}
	}
}

// tell answers who waits for everything to be on disk.
func (r *Recorder) tell(asked uint64, b Bound) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered, r.bound = asked, b
	close(r.answer)
	r.answer = make(chan struct{})
}

// Checked is what a file was found to be.
type Checked struct {
	File string
	// Wrong says how it differs from what the record has; empty if it does not.
	Wrong string
	// Loose is how many bytes there are behind what the record has.
	Loose int64
	Gaps  int  // marks that say that something was not recorded
	Live  bool // it is being written
}

// Check holds a file in a folder against what the record says of it, in any order.
func Check(dir, name string, bounds []Bound) Checked {
	path := filepath.Join(dir, name)
	c := Checked{File: name, Live: live(path)}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Wrong = "it is missing, and the record does not tell of its removal"
		return c
	case err != nil:
		c.Wrong = err.Error()
		return c
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	bounds = slices.SortedFunc(slices.Values(bounds), func(a, b Bound) int { return int(min(max(a.Bytes-b.Bytes, -1), 1)) })
	sum := sha256.New()
	lines := bufio.NewReaderSize(f, 256<<10)
	var at int64
	for {
		piece, err := lines.ReadSlice('\n')
		for len(bounds) > 0 && bounds[0].Bytes <= at+int64(len(piece)) {
			n := bounds[0].Bytes - at
			sum.Write(piece[:n]) // a hash's Write never fails
			if got := hex.EncodeToString(sum.Sum(nil)); got != bounds[0].SHA256 {
				c.Wrong = fmt.Sprintf("it was changed: its first %d bytes are not what was recorded", bounds[0].Bytes)
				return c
			}
			piece, at, bounds = piece[n:], bounds[0].Bytes, bounds[1:]
			c.Loose = 0
		}
		sum.Write(piece)
		at += int64(len(piece))
		c.Loose += int64(len(piece))
		if bytes.Contains(piece, []byte(`, "m", "`+gapWord)) {
			c.Gaps++
		}
		switch {
		case errors.Is(err, io.EOF):
			if len(bounds) > 0 {
				c.Wrong = fmt.Sprintf("it was cut off: it has %d of the %d bytes that were recorded", at, bounds[len(bounds)-1].Bytes)
			}
			return c
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			c.Wrong = err.Error()
			return c
		}
	}
}

// Base is what the names of all files of a recording begin with, by the name of one.
func Base(name string) string {
	base, _, _ := splitName(name)
	return base
}
