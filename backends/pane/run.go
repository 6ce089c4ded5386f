package pane

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
)

// DefaultKeep is how many bytes of a run's output are kept if the request does
// not say.
const DefaultKeep = 1 << 20

// maxSinkLag bounds how far a request's sink may be behind. Output beyond that
// is not given to it, and the result is incomplete.
const maxSinkLag = 32 << 20

// sinkGrace is how long a sink has after the end of a run to take what is left.
const sinkGrace = 2 * time.Second

// Request is a command for the shell in a pane.
type Request struct {
	// Command is one or more lines of shell.
	Command string
	// Keep is how many bytes of the output are kept, from its beginning; the
	// rest is counted. 0 means DefaultKeep.
	Keep int
	// Sink, if not nil, gets all output as it comes, on a goroutine of its own.
	Sink io.Writer
	// Generation, if not 0, is the pane's when the command was decided on: Run
	// gives a *ChangedError if another shell would get it now.
	Generation uint64
	// Inside says which shell is meant: the commands that have opened it in the
	// pane's own, as [Pane.Inside] gave them. Run gives a *ChangedError where
	// the pane is inside others.
	Inside []string
}

// Result is how a run ended.
type Result struct {
	// Outcome is Exited with the status that the shell reported, or what the
	// end of the shell itself told, or Unknown.
	Outcome backends.Outcome
	// Executed is false if it is sure that nothing of the command was run: the
	// shell refused the line, for example because of a syntax error. Text then
	// is what the shell said. Before the end of the run, it tells whether the
	// shell is known to have begun.
	Executed bool
	// Raw is the kept output as the programs wrote it to the terminal; Text is
	// the same for reading: escape sequences resolved, "\n" at the end of lines.
	Raw  []byte
	Text string
	// Total counts all bytes of output. Truncated says that it is more than was
	// kept, Incomplete that some were lost before they were counted.
	Total      int64
	Truncated  bool
	Incomplete bool
	// FullScreen says that a full-screen program took over the terminal.
	FullScreen bool
	// Notices tell what a reader of the result should know.
	Notices  []string
	Duration time.Duration
}

// Run is one tracked command. It is safe for concurrent use.
type Run struct {
	Command string
	Started time.Time

	keep       int
	number     int       // of the pane's entries
	prompt     int       // at which it was dispatched, as the shell counts
	key        byte      // with which its line is entered, one of marks.Keys; 0 if with none of them
	unsure     bool      // it is not known whether it was typed; the pane's mutex guards it
	way        chan bool // whether the terminal has taken it, once that is known
	done       chan struct{}
	fullScreen chan struct{}
	sink       *sink

	mu      sync.Mutex
	running bool // the shell has begun with it
	refused bool // nothing of it was run
	ended   bool
	aside   output // what may yet be all of the command's
	result  Result
}

func newRun(req Request) *Run {
	r := &Run{
		Command:    req.Command,
		Started:    time.Now(),
		keep:       req.Keep,
		way:        make(chan bool, 1),
		done:       make(chan struct{}),
		fullScreen: make(chan struct{}),
	}
	if r.keep <= 0 {
		r.keep = DefaultKeep
	}
	if req.Sink != nil {
		r.sink = newSink(req.Sink)
	}
	return r
}

// Done is closed when the run has ended and its result is there.
func (r *Run) Done() <-chan struct{} { return r.done }

// FullScreen is closed when a full-screen program has taken over the terminal:
// it may wait for keys for ever.
func (r *Run) FullScreen() <-chan struct{} { return r.fullScreen }

// Result is the run's result once Done is closed, and what is known so far,
// with an unknown outcome, before.
func (r *Run) Result() Result {
	r.mu.Lock()
	res := r.result
	if !r.ended {
		res.Duration = time.Since(r.Started)
		if !r.running { // so far there is only the echo of what was typed
			res.Raw, res.Total, res.Truncated = nil, 0, false
		}
	}
	// The slices are only ever appended to, so a header that ends here is safe.
	res.Raw = res.Raw[:len(res.Raw):len(res.Raw)]
	res.Notices = res.Notices[:len(res.Notices):len(res.Notices)]
	r.mu.Unlock()
	select {
	case <-r.done:
		return res
	default:
	}
	res.Text = marks.Render(res.Raw)
	return res
}

// begin says that the shell has begun with the command: what it wrote before
// was the echo.
func (r *Run) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.running {
		r.running = true
		r.result.Executed = true
		r.reset()
	}
}

// output is what was recorded.
type output struct {
	raw       []byte
	total     int64
	truncated bool
}

// setAside sets aside what was recorded so far: a prompt comes up, and it is not known
// yet whether that is the one behind the command.
func (r *Run) setAside() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aside = output{r.result.Raw, r.result.Total, r.result.Truncated}
	r.running, r.result.Executed = false, false
	r.reset()
}

// recordAnew drops what was recorded, which was a prompt.
func (r *Run) recordAnew() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset()
}

// reset drops what was recorded. r.mu is held.
func (r *Run) reset() { r.result.Raw, r.result.Total, r.result.Truncated = nil, 0, false }

// takeUp is begin where it has turned out that what was set aside is all output of the
// command: the terminal has not shown what was typed.
func (r *Run) takeUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running, r.result.Executed = true, true
	r.result.Raw, r.result.Total, r.result.Truncated = r.aside.raw, r.aside.total, r.aside.truncated
	if r.sink != nil && !r.sink.put(r.result.Raw) {
		r.result.Incomplete = true
	}
}

// resume takes back that the output so far was set aside: all of it is the command's.
func (r *Run) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, total := r.result.Raw, r.result.Total
	r.running, r.result.Executed = true, true
	r.result.Raw, r.result.Total = r.aside.raw, r.aside.total+total
	if n := min(len(since), r.keep-len(r.aside.raw)); n > 0 {
		r.result.Raw = append(r.result.Raw, since[:n]...)
	}
	r.result.Truncated = r.result.Total > int64(len(r.result.Raw))
	if r.sink != nil && (!r.sink.put(since) || total > int64(len(since))) {
		r.result.Incomplete = true
	}
}

// shows reports whether what was set aside holds the beginning of the command: the
// terminal shows what is typed.
func (r *Run) shows() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, _, _ := strings.Cut(r.Command, "\n")
	return line != "" && strings.Contains(marks.Render(r.aside.raw), line[:min(len(line), 8)])
}

// behindInterrupt reports whether what was set aside is the line that was typed alone, behind
// the echo of an interrupt.
func (r *Run) behindInterrupt(typed string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.HasSuffix(strings.TrimRight(marks.Render(r.aside.raw), "\n"), "^C"+typed)
}

// arrive says whether the terminal has taken the command. Only the first call
// counts.
func (r *Run) arrive(typed bool) {
	select {
	case r.way <- typed:
	default:
	}
}

// refuse says that nothing of the command was run.
func (r *Run) refuse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = true
}

// record takes output. It never blocks on the sink.
func (r *Run) record(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.result.Total += int64(len(p))
	if n := min(len(p), r.keep-len(r.result.Raw)); n > 0 {
		r.result.Raw = append(r.result.Raw, p[:n]...)
	}
	r.result.Truncated = r.result.Total > int64(len(r.result.Raw))
	if r.running && r.sink != nil && !r.sink.put(p) && !r.result.Incomplete {
		r.result.Incomplete = true
		r.result.Notices = append(r.result.Notices, "part of the output was not stored: the store was too slow")
	}
}

func (r *Run) notice(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noticeLocked(s)
}

func (r *Run) noticeLocked(s string) {
	for _, n := range r.result.Notices {
		if n == s {
			return
		}
	}
	r.result.Notices = append(r.result.Notices, s)
}

// lost says that output is missing.
func (r *Run) lost(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Incomplete = true
	r.noticeLocked(why)
}

// tookScreen says that a full-screen program shows.
func (r *Run) tookScreen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.result.FullScreen {
		r.result.FullScreen = true
		r.noticeLocked("a full-screen program took over the terminal")
		close(r.fullScreen)
	}
}

// end ends the run. Only the first call counts. It does not block; done is
// closed a little later, when the sink has everything.
func (r *Run) end(outcome backends.Outcome, notices ...string) {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return
	}
	r.ended = true
	r.result.Outcome = outcome
	r.result.Executed = r.running || !r.refused
	r.result.Duration = time.Since(r.Started)
	for _, n := range notices {
		r.noticeLocked(n)
	}
	if !r.running {
		r.result.Raw = withoutEcho(r.result.Raw, strings.Count(r.Command, "\n")+1)
		r.result.Total = int64(len(r.result.Raw))
	}
	raw := r.result.Raw
	r.mu.Unlock()
	go func() {
		whole := r.sink == nil || r.sink.close(sinkGrace)
		text := marks.Render(raw)
		r.mu.Lock()
		r.result.Text = text
		if marks.Binary(raw) {
			r.noticeLocked(NoTextNotice)
		}
		if !whole {
			r.result.Incomplete = true
			r.noticeLocked("part of the output was not stored: the store did not take it")
		}
		r.mu.Unlock()
		close(r.done)
	}()
}

// NoTextNotice is told of output that is no text.
const NoTextNotice = "the output holds bytes that are no text: what a pane gives is what its terminal shows of them; for the bytes themselves run the command without a pane, or have it write to a file"

// withoutEcho is what follows the echo of a typed command of n lines.
func withoutEcho(p []byte, n int) []byte {
	for i, b := range p {
		if b == '\n' {
			if n--; n == 0 {
				return p[i+1:]
			}
		}
	}
	return nil
}

// sink writes to a writer that may be slow.
type sink struct {
	to io.Writer

	mu     sync.Mutex
	ready  sync.Cond
	held   []byte
	closed bool
	failed bool
	done   chan struct{}
}

func newSink(to io.Writer) *sink {
	s := &sink{to: to, done: make(chan struct{})}
	s.ready.L = &s.mu
	go s.pump()
	return s
}

// put queues output. It reports whether it could.
func (s *sink) put(p []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed || len(s.held)+len(p) > maxSinkLag {
		return false
	}
	s.held = append(s.held, p...)
	s.ready.Signal()
	return true
}

func (s *sink) pump() {
	defer close(s.done)
	var spare []byte
	for {
		s.mu.Lock()
		for len(s.held) == 0 && !s.closed {
			s.ready.Wait()
		}
		p := s.held
		s.held = spare[:0]
		s.mu.Unlock()
		if len(p) == 0 {
			return
		}
		if _, err := s.to.Write(p); err != nil {
			s.mu.Lock()
			s.failed = true
			s.mu.Unlock()
			return
		}
		spare = p
	}
}

// close waits for what is queued, for at most d. It reports whether the writer
// took everything.
func (s *sink) close(d time.Duration) bool {
	s.mu.Lock()
	s.closed = true
	s.ready.Signal()
	s.mu.Unlock()
	select {
	case <-s.done:
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.failed
	case <-time.After(d):
		return false
	}
}
