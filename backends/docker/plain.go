package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// This file is for containers without a usable shell: the engine itself starts
// the program, and all it tells is a number at the end.

// runtimeFailed begins what a runtime writes in the program's place when it could
// not start it. Older engines send that as the program's output, newer ones as an
// error. Docker's, and podman's ("Error: crun: …" and "Error: runc: …").
var runtimeFailed = []string{"OCI runtime exec failed", "Error: ", "exec failed: "}

// couldNotRun and couldNotFind are what an engine gives as the exit code of a
// program that it could not start.
const (
	couldNotRun  = 126
	couldNotFind = 127
)

func (t *Target) beginPlain(ctx context.Context, c backends.Command, size backends.Size) (*process, error) {
	for _, s := range append(append([]string{c.Dir}, c.Argv...), c.Env...) {
		if !utf8.ValidString(s) {
			return nil, fmt.Errorf("%s: %q cannot be handed over: the engine takes UTF-8 only, and %w", t.name, s, ErrNoShell)
		}
	}
	p := &process{t: t, ended: make(chan struct{}), done: make(chan struct{})}
	x := Exec{Argv: c.Argv, Env: posix.Latest(c.Env), Dir: c.Dir, Stdin: c.Stdin != nil, Size: size}
	if x.terminal() && !hasTerm(c.Env) {
		x.Env = append(x.Env, "TERM="+defaultTerm)
	}
	if err := p.open(ctx, c, x); err != nil {
		return nil, refused(err, c)
	}
	if c.Stdin != nil {
		p.in = posix.NewFeed(p.out.s, p.out.s.CloseWrite, c.Stdin)
	}
	state, err := p.running(ctx)
	if err == nil && !state.Running && (state.ExitCode == couldNotFind || state.ExitCode == couldNotRun) {
		if said, failed := p.runtimeSays(); failed {
			p.out.refuse()
			return nil, refused(errors.New(said), c)
		}
	}
	if err != nil {
		p.out.refuse() // nothing is known of it
		return nil, fmt.Errorf("%w: %w", ErrUnsure, t.explain(ctx, err))
	}
	p.out.admit()
	if p.in != nil {
		go p.in.Run()
	}
	go p.followPlain(state) //nolint:gosec // the program outlives the call
	return p, nil
}

// runtimeSays is what begins the output, if that is the runtime's word that it could not start
// the program.
func (p *process) runtimeSays() (said string, failed bool) {
	select {
	case <-p.out.first:
		said = p.out.early // Docker says it on standard output, podman on the other
	case <-p.out.done: // a program that says nothing
		return "", false
	}
	failed = slices.ContainsFunc(runtimeFailed, func(s string) bool { return strings.HasPrefix(said, s) })
	return strings.TrimSpace(said), failed
}

// refused is the error of a program that the engine could not start, in the
// runtime's words.
func refused(err error, c backends.Command) error {
	said := err.Error()
	var reason error
	for _, says := range []struct {
		text   string
		reason error
	}{
		{"chdir to cwd", fs.ErrNotExist}, {"no such file or directory", fs.ErrNotExist},
		{"executable file not found", fs.ErrNotExist}, {"not found in $PATH", fs.ErrNotExist},
		{"permission denied", fs.ErrPermission},
	} {
		if strings.Contains(strings.ToLower(said), strings.ToLower(says.text)) {
			reason = says.reason
			break
		}
	}
	switch {
	case reason == nil:
		return err
	case strings.Contains(said, "chdir") || strings.Contains(said, "cwd"):
		return fmt.Errorf("docker: not started: the directory %q: %w", c.Dir, reason)
	}
	if c.Argv[0] == "sh" && errors.Is(reason, fs.ErrNotExist) {
		return fmt.Errorf("docker: not started: the container has no shell to read a command line (%w): look into it from another beside it (docker run --pid container:NAME …)", reason)
	}
	return fmt.Errorf("docker: not started: the program %q: %w", c.Argv[0], reason)
}

// running waits until the engine says that the program runs or has ended.
func (p *process) running(ctx context.Context) (ExecState, error) {
	over, odd := p.out.done, p.out.first
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		state, err := p.t.engine.InspectExec(ctx, p.exec)
		if err != nil || state.Running && state.PID != 0 || !state.Running && odd == nil {
			return state, err
		}
		select {
		case <-over: // podman and Docker end the stream after the program
			return p.t.engine.InspectExec(ctx, p.exec)
		case <-odd: // it has begun, or the runtime complains
			odd, pause = nil, time.Millisecond
		case <-time.After(pause):
		case <-ctx.Done():
			return state, context.Cause(ctx)
		}
	}
}

// followPlain learns how the program ends.
func (p *process) followPlain(state ExecState) {
	defer close(p.ended)
	ctx := context.Background()
	<-p.out.done // Docker cuts the stream 2 s after the end, if not before
	for pause := 5 * time.Millisecond; state.Running; pause = min(2*pause, time.Second) {
		var err error
		if state, err = p.t.engine.InspectExec(ctx, p.exec); err != nil {
			p.why = p.t.explain(ctx, err)
			return
		}
		if state.Running {
			select {
			case <-time.After(pause):
			case <-p.done: // it was let go
				p.why = ErrNoShell
				return
			}
		}
	}
	p.byCode(ctx, state.ExitCode)
}

// letGo ends the connection to a program that cannot be ended.
func (p *process) letGo() error {
	_ = p.out.s.Close() // a program that reads or writes notices
	return fmt.Errorf("%w: the program may run on; restart the container to be sure", ErrNoShell)
}
