package terminal

import (
	"context"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

const (
	// turnWait is how long a command waits for another one that was about to
	// run in its pane.
	turnWait = 5 * time.Second
	// screenGrace is how long a full-screen program may take the terminal
	// before the call returns without waiting for it.
	screenGrace = time.Second
	// interruptWait is how long an interrupted command may take to end before
	// the call returns without it.
	interruptWait = 2 * time.Second
)

// run runs a command in a pane.
func (r *RunShell) run(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	p := newProgress(env)
	defer p.stop()
	run, err := r.Guard.Run(ctx, a, env.Grant, guard.Dispatch{Turn: turnWait, Keep: keepBytes, Sink: p})
	if err != nil {
		return outcome(ctx, err)
	}
	if a.Background {
		v := ShellValue{Pane: a.Pane}
		v.notice("dispatched to pane %s, and not waited for: look with capture-pane; its end will be told", a.Pane)
		return tools.Result{Value: v, Running: running{run, a}}, nil
	}
	why := await(ctx, run, a.Wait)
	return paneResult(ctx, run, a, env, why), nil
}

// reason says why the wait for a run has ended.
type reason uint8

const (
	hasEnded reason = iota
	timedOut
	tookScreen
	interrupted
)

// await waits for the end of a run, for as long as it makes sense.
func await(ctx context.Context, run guard.Run, limit time.Duration) reason {
	var timeout, grace <-chan time.Time
	if limit > 0 {
		timeout = time.After(limit)
	}
	screen := run.FullScreen()
	for {
		select {
		case <-run.Done():
			return hasEnded
		case <-timeout:
			return timedOut
		case <-screen:
			screen, grace = nil, time.After(screenGrace)
		case <-grace:
			return tookScreen
		case <-ctx.Done():
			interrupt(ctx, run)
			return interrupted
		}
	}
}

// interrupt types Ctrl-C at once and gives the command a moment to end. That it
// could not be typed shows in the result: the command has not ended.
func interrupt(ctx context.Context, run guard.Run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruptWait)
	defer cancel()
	_ = run.Interrupt(ctx)
	select {
	case <-run.Done():
	case <-ctx.Done():
	}
}

// paneResult is the result of a run whose wait has ended.
func paneResult(ctx context.Context, run guard.Run, a tools.Action, env tools.Env, why reason) tools.Result {
	done := isDone(run)
	got := run.Result()
	v := ShellValue{Pane: a.Pane}
	v.ended(got.Outcome)
	switch {
	case why == interrupted && done:
		v.notice("%s", stopped(ctx))
	case why == interrupted:
		v.notice("%s, but it has not ended: it goes on in pane %s", stopped(ctx), a.Pane)
	case done && !got.Executed:
		v.notice("the shell refused the command: nothing of it was run")
	case done:
	case why == timedOut:
		v.notice("it did not end within %s and goes on in pane %s: look with capture-pane, stop it with send-keys C-c; its end will be told", a.Wait, a.Pane)
	case why == tookScreen:
		v.notice("a full-screen program has taken pane %s and waits for keys: look with capture-pane, type with send-keys", a.Pane)
	}
	v.Notices = append(v.Notices, got.Notices...)
	v.notice("it ran in a terminal: stdout holds standard error, too")
	var lost int64
	if got.Truncated {
		lost = got.Total - int64(len(got.Raw))
	}
	v.Stdout = v.text(ctx, env, "stdout", got.Text, lost)
	result := tools.Result{Value: v, IsError: !got.Outcome.OK() || why == interrupted, Record: recordOf(got)}
	if !done {
		result.Record.TimedOut = true
		result.Running = running{run, a}
	}
	return result
}

func isDone(run guard.Run) bool {
	select {
	case <-run.Done():
		return true
	default:
		return false
	}
}

// recordOf is a run's outcome for the ledger.
func recordOf(r pane.Result) tools.Record {
	record := tools.Record{
		Outcome:   r.Outcome,
		Bytes:     r.Total,
		Truncated: r.Truncated || r.Incomplete,
		Duration:  r.Duration,
	}
	if r.Outcome.State != backends.Unknown && !r.Executed {
		record.Failed = "the shell refused the command"
	}
	return record
}

// running is a run whose call has returned.
type running struct {
	guard.Run
	action tools.Action
}

var _ tools.Running = running{}

// Record implements [tools.Running].
func (r running) Record() tools.Record { return recordOf(r.Result()) }

// Describe implements [tools.Running].
func (r running) Describe() string {
	end := "has not ended"
	if isDone(r.Run) {
		end = r.Result().Outcome.String()
	}
	return describe(r.action.Command, r.action.Pane, end)
}
