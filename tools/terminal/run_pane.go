package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
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
	// lookFirst and lookMost are the pauses between two looks on the target
	// whether a silent command reads the terminal, which cost a process there.
	lookFirst = 3 * time.Second
	lookMost  = 30 * time.Second
	// interruptWait is how long an interrupted command may take to end before
	// the call returns without it.
	interruptWait = 2 * time.Second
)

// run runs a command in a pane.
func (r *RunShell) run(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	p := tools.NewMeter(env)
	defer p.Stop()
	chunks := env.ChunksOf(tools.Terminal)
	run, err := r.Guard.Run(ctx, a, env.Grant, guard.Dispatch{Turn: turnWait, Keep: keepBytes, Sink: io.MultiWriter(p, chunks)})
	if err != nil {
		return outcome(ctx, err)
	}
	defer chunks.Close()
	if a.Background {
		v := ShellValue{Pane: a.Pane}
		v.notice("dispatched to pane %s, and not waited for: look with capture-pane; its end will be told", a.Pane)
		return tools.Result{Value: v, Running: running{run, a}}, nil
	}
	return paneResult(ctx, run, a, env, await(ctx, run, a.Wait)), nil
}

// reason says why the wait for a run has ended.
type reason uint8

const (
	hasEnded reason = iota
	timedOut
	tookScreen
	asks
	outOfTime // the call's own time, which nod bounds, is up
	interrupted
)

// wakening is the end of the wait for a run.
type wakening struct {
	why    reason
	asking pane.Asking // what the command waits for, where it asks
}

// await waits for the end of a run, for as long as it makes sense: not for a
// program that waits itself, for keys that nobody types. That the time of the
// call is up ends the wait and not the command, which may be in the middle of
// what was asked for; what the operator interrupts is interrupted.
func await(ctx context.Context, run guard.Run, limit time.Duration) wakening {
	var timeout, grace <-chan time.Time
	if limit > 0 {
		timeout = time.After(limit)
	}
	screen := run.FullScreen()
	silence := newSilence(ctx, run)
	defer silence.stop()
	for {
		select {
		case <-run.Done():
			return wakening{why: hasEnded}
		case <-timeout:
			return wakening{why: timedOut}
		case <-screen:
			screen, grace = nil, time.After(screenGrace)
		case <-grace:
			return wakening{why: tookScreen}
		case asking := <-silence.asking:
			return wakening{asks, asking}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return wakening{why: outOfTime}
			}
			interrupt(ctx, run)
			return wakening{why: interrupted}
		}
	}
}

// silence tells what a run waits for, as soon as it waits for something.
type silence struct {
	asking chan pane.Asking
	stop   func()
}

// newSilence watches a run until it is stopped.
func newSilence(ctx context.Context, run guard.Run) silence {
	ctx, cancel := context.WithCancel(ctx)
	s := silence{asking: make(chan pane.Asking, 1)}
	var watching sync.WaitGroup
	s.stop = func() { cancel(); watching.Wait() }
	watching.Go(func() {
		pause, due := lookFirst, time.Now().Add(lookFirst)
		for {
			look := !time.Now().Before(due)
			asking, next := run.Asks(ctx, look)
			if asking.Any() {
				s.asking <- asking
				return
			}
			if look {
				pause = min(2*pause, lookMost)
				due = time.Now().Add(pause)
			}
			select {
			case <-time.After(next):
			case <-run.Done():
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return s
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
func paneResult(ctx context.Context, run guard.Run, a tools.Action, env tools.Env, woke wakening) tools.Result {
	why := woke.why
	done := isDone(run)
	got := run.Result()
	v := ShellValue{Pane: a.Pane}
	v.ended(got.Outcome)
	switch {
	case why == interrupted && done:
		v.notice("%s", stopped(ctx))
	case why == interrupted:
		v.notice("%s, but it has not ended: it goes on in pane %s", stopped(ctx), a.Pane)
	case done && !got.Executed && got.Outcome.State == backends.Unknown: // the notices of the run say why
	case done && !got.Executed:
		v.notice(refusedLine)
	case done && got.Outcome.State == backends.Unknown:
		v.notice("%s", Unsure)
	case done:
	case why == asks:
		v.notice("%s", waitsFor(woke.asking, a.Pane))
	case why == outOfTime:
		v.notice("%v: the command goes on in pane %s: look with capture-pane, stop it with send-keys C-c; its end will be told", context.Cause(ctx), a.Pane)
	case why == timedOut:
		v.notice("it did not end within %s and goes on in pane %s: look with capture-pane, stop it with send-keys C-c; its end will be told", a.Wait, a.Pane)
	case why == tookScreen:
		v.notice("a full-screen program has taken pane %s and waits for keys: look with capture-pane, type with send-keys", a.Pane)
	}
	v.Notices = append(v.Notices, got.Notices...)
	v.refused(a, got.Text)
	v.notice("it ran in a terminal: stdout holds standard error, too")
	var lost int64
	if got.Truncated {
		lost = got.Total - int64(len(got.Raw))
	}
	v.Stdout = v.text(ctx, env, "stdout", got.Text, lost)
	result := tools.Result{Value: v, IsError: !got.Outcome.OK() || why == interrupted, Record: Record(got, done)}
	if !done {
		result.Record.TimedOut = true
		result.Running = running{run, a}
	}
	return result
}

// waitsFor tells what a command that has not ended waits for, and what can be
// done.
func waitsFor(asking pane.Asking, pane string) string {
	switch {
	case asking.Shell != "":
		return fmt.Sprintf("running: the shell that %q opened waits for commands in pane %s. The next run_shell command goes into it, and the operator decides about each; leave it with send-keys {\"literal_text\": \"exit\", \"enter\": true}", line(asking.Shell), pane)
	case asking.Line != "":
		return fmt.Sprintf("running: the command is silent in pane %s, and %q looks like a question of it. Answer with send-keys (where it wants a secret, ask the operator to type it there), stop it with send-keys C-c, or wait with capture-pane and a delay if it only works; its end will be told", pane, line(asking.Line))
	}
	return fmt.Sprintf("running: the command is silent in pane %s, and a program of it reads the terminal. Type with send-keys, stop it with send-keys C-c (or C-d, the end of the input); its end will be told", pane)
}

func isDone(run guard.Run) bool {
	select {
	case <-run.Done():
		return true
	default:
		return false
	}
}

// Unsure says of a command whose end nobody knows what to do next.
const Unsure = "how the command ended is not known: look at the target before you run it again"

// refusedLine says that the shell has not begun with a line, such as one with a
// syntax error.
const refusedLine = "the shell refused the command: nothing of it was run"

// Record is what became of a run, for the ledger: Failed where nothing of it was
// run, Unsure where nobody will ever know. ended says that the run has ended.
func Record(r pane.Result, ended bool) tools.Record {
	record := tools.Record{
		Outcome:   r.Outcome,
		Bytes:     r.Total,
		Truncated: r.Truncated || r.Incomplete,
		Duration:  r.Duration,
	}
	switch unknown := r.Outcome.State == backends.Unknown; {
	case !ended:
	case !unknown && !r.Executed:
		record.Failed = refusedLine
	case !r.Executed:
		record.Failed = strings.Join(append(slices.Clone(r.Notices), "nothing was run"), "; ")
	case unknown:
		record.Unsure = strings.Join(append(slices.Clone(r.Notices), Unsure), "; ")
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
func (r running) Record() tools.Record { return Record(r.Result(), true) }

// but puts a reason behind what it is for.
func but(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// Describe implements [tools.Running].
func (r running) Describe() string {
	end := "has not ended"
	if isDone(r.Run) {
		got := r.Record()
		end = cmp.Or(got.Failed, got.Outcome.String()+but(got.Unsure))
	}
	return describe(r.action.Command, r.action.Pane, end)
}
