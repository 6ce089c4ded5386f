package posix

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"

	_ "embed"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/search"
)

//go:embed scripts/search.sh
var searchScript string

// Search looks below a folder by one program: see [backends.Searcher]. The errors
// are those of Open, and what Compile says of the query.
func (f Files) Search(ctx context.Context, q backends.Query, found func(backends.Hit) bool) (backends.Survey, error) {
	plan, err := search.Compile(q)
	if err != nil {
		return backends.Survey{}, err
	}
	depth, what := "", "names"
	if plan.Depth > 0 {
		depth = strconv.Itoa(plan.Depth)
	}
	if plan.Lines {
		what = "lines"
	}
	life, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	pr, pw := io.Pipe()
	var complaints lineCounter
	p, err := f.Exec(life, backends.Command{
		Argv:   []string{f.Shell, "-c", Brief(searchScript), "sh", q.Root, depth, plan.FindName, what, plan.ERE},
		Stdout: pw, Stderr: &complaints,
	})
	if err != nil {
		return backends.Survey{}, err
	}
	ended := make(chan struct{})
	go func() {
		o, err := p.Wait()
		if err == nil && !o.OK() {
			err = ToolError(complaints.tail.String(), o)
		}
		_ = pw.CloseWithError(err) // nil is the end of what was found
		close(ended)
	}()
	r := report{plan: plan, found: found, r: bufio.NewReaderSize(pr, 64<<10)}
	err = r.read()
	if errors.Is(err, errEnough) {
		stop(errEnough)
		err = nil
	}
	_ = pr.Close() // nothing more is wanted
	stop(nil)
	<-ended
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	r.survey.Unreadable = complaints.count()
	return r.survey, err
}

// errEnough says that no more hits are wanted.
var errEnough = errors.New("enough was found")

// report reads what the script tells.
type report struct {
	plan   search.Plan
	found  func(backends.Hit) bool
	r      *bufio.Reader
	survey backends.Survey
}

func (r *report) read() error {
	said, err := r.r.ReadString('\n')
	if err != nil {
		return unexpected(err)
	}
	if tool, ok := strings.CutPrefix(said, "missing "); ok {
		return fmt.Errorf("%w: there is no %s there", backends.ErrNoSearch, strings.TrimSpace(tool))
	}
	if said != "ok\n" {
		return WordError(strings.TrimSuffix(said, "\n"))
	}
	if r.plan.Lines {
		return r.lines()
	}
	return r.names()
}

// names reads paths, each with a zero byte behind it: the folders, an empty one,
// the others.
func (r *report) names() error {
	folders := true
	for {
		name, err := r.r.ReadString(0)
		if errors.Is(err, io.EOF) && name == "" && !folders {
			return nil
		}
		if err != nil {
			return unexpected(err)
		}
		name = strings.TrimSuffix(name, "\x00")
		if name == "" {
			folders = false
			continue
		}
		relative := strings.TrimPrefix(name, "./")
		if r.plan.Name(relative) && !r.found(backends.Hit{Path: path.Join(r.plan.Root, relative), Dir: folders}) {
			return errEnough
		}
	}
}

// lines reads paths, and behind each the lines of that file.
func (r *report) lines() error {
	file, wanted := "", false
	for {
		raw, err := r.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case len(raw) > 0 && raw[0] == '/':
			file = string(raw)
			relative := strings.TrimPrefix(strings.TrimPrefix(file, r.plan.Root), "/")
			wanted = file == r.plan.Root || r.plan.Name(relative)
		case !wanted:
		case string(raw) == "binary":
			r.survey.Binary++
		default:
			number, text, ok := bytes.Cut(raw, []byte(":"))
			n, err := strconv.Atoi(string(number))
			if !ok || err != nil {
				return fmt.Errorf("the other side says %.80q where lines were expected", raw)
			}
			if text, ok := r.plan.Line(text); ok && !r.found(backends.Hit{Path: file, Line: n, Text: text}) {
				return errEnough
			}
		}
	}
}

// line is the next line without its line feed; of a long one only so much as is
// looked at.
func (r *report) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		if len(line) <= backends.MaxLine+20 { // with its number
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// unexpected is an error where something should have come.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// lineCounter counts lines and keeps the last ones.
type lineCounter struct {
	mu   sync.Mutex
	n    int
	tail Tail
}

func (c *lineCounter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += bytes.Count(p, []byte("\n"))
	return c.tail.Write(p)
}

func (c *lineCounter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
