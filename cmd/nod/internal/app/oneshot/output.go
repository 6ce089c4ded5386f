package oneshot

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// printer is nod's standard output and error for commands that run on several
// targets at once: each line then says whose it is, and no two are mixed.
type printer struct {
	sys     *process.System
	several bool
	mu      sync.Mutex
}

// outputs are those of one target.
type outputs struct {
	printer        *printer
	target         string
	stdout, stderr io.Writer
	lines          []*lineWriter
}

func (o *printer) on(target string) *outputs {
	t := &outputs{printer: o, target: target, stdout: o.sys.Out, stderr: o.sys.Err}
	if o.several {
		out, errs := &lineWriter{printer: o, name: target, to: o.sys.Out}, &lineWriter{printer: o, name: target, to: o.sys.Err}
		t.stdout, t.stderr, t.lines = out, errs, []*lineWriter{out, errs}
	}
	return t
}

// complain says something to the operator.
func (t *outputs) complain(format string, args ...any) {
	t.printer.mu.Lock()
	defer t.printer.mu.Unlock()
	name := ""
	if t.printer.several {
		name = t.target + ": "
	}
	t.printer.sys.Complain("run: "+name+format, args...)
}

// object prints one JSON object on a line.
func (t *outputs) object(v any) error {
	t.printer.mu.Lock()
	defer t.printer.mu.Unlock()
	return json.NewEncoder(t.printer.sys.Out).Encode(v)
}

// flush prints lines that have no end.
func (t *outputs) flush() error {
	for _, l := range t.lines {
		if err := l.flush(); err != nil {
			return err
		}
	}
	return nil
}

// longestLine bounds what is held of a line before it is printed in pieces.
const longestLine = 64 << 10

// lineWriter prints whole lines with a name before each.
type lineWriter struct {
	printer *printer
	name    string
	to      io.Writer
	held    []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	end := bytes.LastIndexByte(w.held, '\n') + 1
	if end == 0 && len(w.held) < longestLine {
		return len(p), nil
	}
	if end == 0 {
		end = len(w.held)
	}
	err := w.print(w.held[:end])
	w.held = append(w.held[:0], w.held[end:]...)
	return len(p), err
}

func (w *lineWriter) flush() error {
	rest := w.held
	w.held = nil
	return w.print(rest)
}

func (w *lineWriter) print(text []byte) error {
	w.printer.mu.Lock()
	defer w.printer.mu.Unlock()
	for line := range bytes.Lines(text) {
		all := append([]byte(w.name+": "), line...)
		if line[len(line)-1] != '\n' {
			all = append(all, '\n')
		}
		if _, err := w.to.Write(all); err != nil {
			return err
		}
	}
	return nil
}

// sink keeps the beginning of a stream, or passes all of it on.
type sink struct {
	to    io.Writer
	mu    sync.Mutex
	kept  bytes.Buffer
	total int64
	cut   bool
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += int64(len(p))
	if s.to != nil {
		return s.to.Write(p)
	}
	n := min(len(p), keepOutput-s.kept.Len())
	s.kept.Write(p[:n])
	s.cut = s.cut || n < len(p)
	return len(p), nil
}

func (s *sink) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.String()
}
