package recording

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nod-console/nod/backends"
)

// mostLoaded bounds a recording that is loaded, in bytes.
const mostLoaded = 1 << 30

// mostLine bounds one line of it.
const mostLine = 64 << 20

// Recording is a recording that was read.
type Recording struct {
	Header Header
	Events []Event
	// Torn says what follows the last event, where that is not the end: what a
	// crash has cut off, or what is no event. It is empty in a whole recording.
	Torn string
}

// FormatError says that a file is no recording.
type FormatError struct {
	Line int
	Why  string
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("line %d: %s; want an asciicast of version 2 or 3", e.Line, e.Why)
}

// Load reads a recording of version 2 or 3. Events behind a line that is none
// are left out, which Torn tells.
func Load(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("recording: %s: %w", path, err)
	}
	return r, nil
}

// Read is Load from a stream.
func Read(from io.Reader) (*Recording, error) {
	lines := bufio.NewScanner(io.LimitReader(from, mostLoaded))
	lines.Buffer(make([]byte, 0, 64<<10), mostLine)
	r := &Recording{}
	n := 0
	var at time.Duration
	for lines.Scan() {
		n++
		line := lines.Bytes()
		switch {
		case n == 1:
			if err := r.readHeader(line); err != nil {
				return nil, err
			}
			continue
		case len(line) == 0, r.Header.Version == 3 && line[0] == '#':
			continue
		}
		e, err := parseEvent(line)
		if err != nil {
			r.Torn = fmt.Sprintf("line %d is no event: %v", n, err)
			return r, nil
		}
		if r.Header.Version == 3 {
			e.At += at
		}
		e.At = max(e.At, at)
		at = e.At
		r.Events = append(r.Events, e)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.Torn = fmt.Sprintf("line %d is longer than %d MiB", n+1, mostLine>>20)
	case err != nil:
		return nil, err
	}
	if n == 0 {
		return nil, &FormatError{1, "there is nothing"}
	}
	return r, nil
}

func (r *Recording) readHeader(line []byte) error {
	h := struct {
		Header
		Term struct { // of version 3
			Cols, Rows int
		} `json:"term"`
	}{}
	if err := json.Unmarshal(line, &h); err != nil {
		return &FormatError{1, "not a header: " + err.Error()}
	}
	r.Header = h.Header
	if h.Version == 3 {
		r.Header.Width, r.Header.Height = h.Term.Cols, h.Term.Rows
	}
	switch {
	case h.Version != 2 && h.Version != 3:
		return &FormatError{1, fmt.Sprintf("version %d", h.Version)}
	case r.Header.Width < 1 || r.Header.Height < 1:
		return &FormatError{1, fmt.Sprintf("a size of %dx%d", r.Header.Width, r.Header.Height)}
	}
	return nil
}

// Size is the size that the recording begins with.
func (r *Recording) Size() backends.Size {
	return backends.Size{Cols: r.Header.Width, Rows: r.Header.Height}
}

// Duration is when the last event is.
func (r *Recording) Duration() time.Duration {
	if len(r.Events) == 0 {
		return 0
	}
	return r.Events[len(r.Events)-1].At
}

// Command is a command that ran in a recording.
type Command struct {
	At      time.Duration // when it began
	Text    string
	End     time.Duration // valid if Outcome is not empty
	Outcome string        // "exited 0"; empty if the recording does not tell
}

// Commands are the commands of a recording, in the order in which they began.
func (r *Recording) Commands() []Command {
	var all []Command
	var open []int // of all, the outermost first
	for _, e := range r.Events {
		if text, ok := e.Begins(); ok {
			open = append(open, len(all))
			all = append(all, Command{At: e.At, Text: text})
			continue
		}
		outcome, text, ok := e.Ends()
		for i := len(open) - 1; ok && i >= 0; i-- {
			if c := &all[open[i]]; c.Text == text {
				c.End, c.Outcome = e.At, outcome
				open = open[:i]
				break
			}
		}
	}
	return all
}

// PartAt is the file of a recording in a folder that shows a time since its
// beginning, and when that file begins. name is that of the recording's first
// file.
func PartAt(dir, name string, at time.Duration) (part string, begins time.Duration, err error) {
	base, _, ok := splitName(name)
	if !ok {
		return "", 0, fmt.Errorf("recordings: %q: %w", name, ErrNone)
	}
	all, err := List(dir)
	if err != nil {
		return "", 0, err
	}
	for _, f := range all {
		if b, _, _ := splitName(f.Name); b != base {
			continue
		}
		h, err := loadHeader(filepath.Join(dir, f.Name))
		if err != nil || h.Nod == nil {
			continue // a crash has come before it had begun
		}
		if from := time.Duration(h.Nod.Begins * float64(time.Second)); part == "" || from <= at {
			part, begins = f.Name, from
		}
	}
	if part == "" {
		return "", 0, fmt.Errorf("recordings: %q: %w", name, ErrNone)
	}
	return part, begins, nil
}

// loadHeader reads the header of a file.
func loadHeader(path string) (Header, error) {
	f, err := os.Open(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	line, err := bufio.NewReader(io.LimitReader(f, 1<<20)).ReadBytes('\n')
	if err != nil {
		return Header{}, err
	}
	r := &Recording{}
	err = r.readHeader(line)
	return r.Header, err
}
