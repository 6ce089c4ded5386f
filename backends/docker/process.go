package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// process is a program in a container.
type process struct {
	t       *Target
	remote  *remoteShell // nil in a container without a shell
	exec    string       // the engine's id of it
	out     *outputs
	in      *posix.Feed // nil if there is nothing to copy
	reports <-chan string

	polite backends.Signal // asks this kind of program to end
	// The program, its process group (0 where its waiter is in it, too), its
	// session, and the process that waits for it.
	pid, group, sid, waiter string

	ended  chan struct{} // closed when told and why are set
	told   backends.Outcome
	why    error // why told is unknown
	done   chan struct{}
	result backends.Outcome
	err    error
	notice string // of its output
}

var _ backends.Process = (*process)(nil)

// Exec implements [backends.Target]. A container that does not run is a
// *StateError.
func (t *Target) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	p, err := t.start(ctx, c, backends.Size{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// startGrace is how long a start that is under way is waited for when its
// context has ended: its program has to be known to be ended.
const startGrace = 5 * time.Second

func (t *Target) start(ctx context.Context, c backends.Command, size backends.Size) (*process, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("docker: not started: %w", context.Cause(ctx))
	}
	if err := posix.Check(c); err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	t.mu.Lock()
	select {
	case <-t.closing:
		t.mu.Unlock()
		return nil, ErrClosed
	default:
	}
	t.running.Add(1) // supervised from the first byte on
	t.mu.Unlock()

	return posix.Start(ctx, t.name, startGrace, func() (*process, error) {
		p, err := t.begin(ctx, c, size)
		if err != nil {
			t.running.Done()
			return nil, err
		}
		go func() {
			defer t.running.Done()
			p.supervise(ctx)
		}()
		return p, nil
	})
}

// begin starts a program and waits for the word about it. It goes on when ctx
// ends, since what was asked of the engine cannot be taken back.
func (t *Target) begin(ctx context.Context, c backends.Command, size backends.Size) (*process, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), startTime, errors.New("the engine does not start it in time"))
	defer cancel()
	l, err := t.alive(ctx)
	if err != nil {
		return nil, err
	}
	if l.remote == nil {
		return t.beginPlain(ctx, c, size)
	}
	p := &process{t: t, remote: l.remote, polite: backends.TERM, ended: make(chan struct{}), done: make(chan struct{})}
	if size != (backends.Size{}) {
		p.polite = backends.HUP // as if the window had been closed
		if !hasTerm(c.Env) {
			c.Env = append([]string{"TERM=" + defaultTerm}, c.Env...)
		}
	}
	id, reports := l.remote.Expect()
	p.reports = reports
	x, err := l.remote.about.launch(c, id, size)
	if err == nil {
		err = p.open(ctx, c, x)
	}
	if err != nil {
		l.remote.Forget(id)
		return nil, err
	}
	word, err := p.word(ctx)
	if err == nil && !p.known(word) {
		err = startError(word, c)
	}
	if err != nil {
		p.out.refuse() // nothing runs, or nothing can be done about it
		l.remote.Forget(id)
		return nil, err
	}
	p.out.admit()
	if c.Stdin != nil {
		p.in = posix.NewFeed(p.out.s, p.out.s.CloseWrite, c.Stdin)
		go p.in.Run()
	}
	go func() {
		p.follow()
		l.remote.Forget(id)
	}()
	return p, nil
}

// open has the engine run x and begins to read its output.
func (p *process) open(ctx context.Context, c backends.Command, x Exec) error {
	id, err := p.t.engine.CreateExec(ctx, p.t.id, x)
	if err != nil {
		return p.t.explain(ctx, err)
	}
	s, err := p.t.engine.StartExec(ctx, id, x)
	if err != nil {
		return p.t.explain(ctx, err)
	}
	p.exec = id
	p.out = newOutputs(s, c)
	go p.out.run(!x.terminal())
	// Where the container has no stty, the size can only be set now: older engines
	// do not take it any earlier.
	if x.terminal() && (p.remote == nil || p.remote.about.tools["stty"] == "") {
		if err := p.t.engine.ResizeExec(ctx, id, x.Size); err != nil && !errors.Is(err, ErrNotFound) {
			p.t.warn("the terminal's first size: %v", err)
		}
	}
	return nil
}

// word waits for the launcher's word. Where something else comes first, the
// runtime may have failed.
func (p *process) word(ctx context.Context) (string, error) {
	odd, over := p.out.first, p.out.done
	var look <-chan time.Time
	for {
		select {
		case w := <-p.reports:
			return w, nil
		case <-p.remote.Ended():
			return "", fmt.Errorf("%w: %w", ErrUnsure, p.t.explain(ctx, posix.ErrRemoteShellGone))
		case <-ctx.Done():
			return "", fmt.Errorf("%s: %w: %w", p.t.name, ErrUnsure, context.Cause(ctx))
		case <-odd:
			odd, look = nil, time.After(lookEvery)
			continue
		case <-over:
			over, look = nil, time.After(0)
			continue
		case <-look:
		}
		look = time.After(5 * lookEvery)
		state, err := p.t.engine.InspectExec(ctx, p.exec)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrUnsure, p.t.explain(ctx, err))
		}
		if state.Running {
			continue
		}
		if _, err := p.remote.Ask(ctx, "ping"); err != nil { // the word would be here by now
			continue
		}
		select {
		case w := <-p.reports:
			return w, nil
		default:
		}
		said := ""
		select {
		case <-p.out.first:
			said = ": " + strings.TrimSpace(p.out.early)
		default:
		}
		return "", fmt.Errorf("%s: not started: the engine's runtime gave up (%d)%s", p.t.name, state.ExitCode, said)
	}
}

// known reads the launcher's word "ok PID GROUP SESSION WAITER".
func (p *process) known(word string) bool {
	f := strings.Fields(word)
	if len(f) != 5 || f[0] != "ok" {
		return false
	}
	for _, s := range f[1:] {
		if n, err := strconv.Atoi(s); err != nil || n < 1 {
			return false
		}
	}
	p.pid, p.group, p.sid, p.waiter = f[1], f[2], f[3], f[4]
	if p.group == p.waiter {
		p.group = "0"
	}
	return true
}

// startError is the error of a program that cannot be started, in the launcher's
// words.
func startError(word string, c backends.Command) error {
	what, why, _ := strings.Cut(word, " ")
	reason := map[string]error{"none": fs.ErrNotExist, "denied": fs.ErrPermission, "notdir": syscall.ENOTDIR}[why]
	switch {
	case reason != nil && what == "dir":
		return fmt.Errorf("docker: not started: the directory %q: %w", c.Dir, reason)
	case reason != nil && what == "program":
		return fmt.Errorf("docker: not started: the program %q: %w", c.Argv[0], reason)
	}
	return fmt.Errorf("docker: not started: the container says %q", word)
}

// follow learns how the program ends: from the report of the process that waits
// for it, or, where that is lost, from the engine.
func (p *process) follow() {
	defer close(p.ended)
	over, gone := p.out.done, p.remote.Ended()
	var look <-chan time.Time
	pause, faults := 5*time.Millisecond, 0
	for {
		select {
		case w := <-p.reports:
			if p.report(w) {
				return
			}
			continue
		case <-over:
			over, look = nil, time.After(pause)
			continue
		case <-gone:
			gone, look = nil, time.After(pause)
			continue
		case <-look:
		}
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		state, err := p.t.engine.InspectExec(ctx, p.exec)
		if err == nil && !state.Running {
			p.unreported(ctx, state.ExitCode)
			cancel()
			return
		}
		if faults++; err == nil {
			faults = 0
		}
		if errors.Is(err, ErrNotFound) || faults > 3 {
			p.containerEnds(ctx) // which takes a moment
			p.why = p.t.explain(ctx, err)
			cancel()
			return
		}
		cancel()
		pause = min(2*pause, time.Second)
		look = time.After(pause)
	}
}

// unreported learns how a program ended that does not run any more, by the engine's number:
// from a report that is on its way, else from that number.
func (p *process) unreported(ctx context.Context, code int) {
	if _, err := p.remote.Ask(ctx, "ping"); err == nil { // the report would be here by now
		select {
		case w := <-p.reports:
			p.report(w)
		default:
		}
	}
	if p.told.State == backends.Unknown && p.why == nil {
		p.byCode(ctx, code)
	}
}

// report reads a word about the end.
func (p *process) report(word string) bool {
	how, value, _ := strings.Cut(word, " ")
	n, _ := strconv.Atoi(value)
	switch how {
	case "ended":
		p.told = byWaitStatus(value)
	case "signalled":
		p.told = bySignal(n)
	case "told":
		p.exited(n)
		return true
	default:
		return false
	}
	if p.told.State == backends.Unknown {
		p.why = fmt.Errorf("%s: the program ended in a way that the container describes as %q", p.t.name, word)
	}
	return true
}

// exited takes a number that may stand for an exit code or a signal.
func (p *process) exited(n int) {
	if n > 128 && n <= 128+64 {
		p.why = fmt.Errorf("%s: the program's status is %d: an exit code or signal %d, which cannot be told apart here", p.t.name, n, n-128)
		return
	}
	p.told = backends.ExitedWith(n)
}

// byCode takes the engine's number. With the container everything in it is
// killed, which says nothing of the program.
func (p *process) byCode(ctx context.Context, code int) {
	if code > 128 && p.containerEnds(ctx) {
		p.why = p.t.explain(ctx, errors.New("the container ended"))
		return
	}
	p.exited(code)
}

// endsWithin is how long an engine takes to notice that a container has ended,
// after its programs have.
const endsWithin = 3 * time.Second

// containerEnds reports whether the container is about to end or has ended.
func (p *process) containerEnds(ctx context.Context) bool {
	for limit := time.Now().Add(endsWithin); ; {
		c, err := p.t.engine.Inspect(ctx, p.t.id)
		if err != nil || c.State != Running {
			return true
		}
		if p.remote == nil || p.remote.Alive() || time.Now().After(limit) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Wait implements [backends.Process].
func (p *process) Wait() (backends.Outcome, error) {
	<-p.done
	return p.result, p.err
}

// OutputNotice says what [backends.OutputNotice] says of the program.
func (p *process) OutputNotice() string {
	<-p.done
	return p.notice
}

// Signal implements [backends.Process].
func (p *process) Signal(s backends.Signal) error {
	if unix.SignalNum("SIG"+string(s)) == 0 {
		return fmt.Errorf("docker: no signal %q", s)
	}
	select {
	case <-p.ended:
		return nil
	default:
	}
	if p.remote == nil {
		return fmt.Errorf("docker: signal %s: %w", s, ErrNoShell)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	answer, err := p.ask(ctx, "signal", p.pid, p.group, p.sid, p.waiter, string(s))
	switch {
	case err != nil:
		return fmt.Errorf("docker: signal %s: %w", s, err)
	case answer == "denied":
		return fmt.Errorf("docker: signal %s: the container's user may not signal process group %s", s, p.group)
	}
	return nil
}

// frozenAfter is how long an answer may take before the container is looked at:
// a paused one does not answer.
const frozenAfter = time.Second

// ask is the remote shell's ask for a container that may be paused.
func (p *process) ask(ctx context.Context, words ...string) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(frozenAfter):
			}
			c, err := p.t.engine.Inspect(ctx, p.t.id)
			if err == nil && c.State == Paused {
				cancel(Fit(p.t.name, c))
			}
		}
	}()
	return p.remote.Ask(ctx, words...)
}
