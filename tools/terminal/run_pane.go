package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
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
	pattern, err := patternOf(a)
	if err != nil {
		return tools.Result{}, err
	}
	p := tools.NewMeter(env)
	defer p.Stop()
	chunks, f := env.ChunksOf(tools.Terminal), &feed{}
	seen, stop := f.watch(pattern)
	defer stop()
	run, err := r.Guard.Run(ctx, a, env.Grant, guard.Dispatch{Turn: turnWait, Keep: keepBytes, Sink: io.MultiWriter(p, chunks, f)})
	if err != nil {
		return outcome(ctx, err)
	}
	defer chunks.Close()
	k := r.Jobs.begin(a, run, f)
	if a.Background {
		v := ShellValue{Pane: a.Pane, Job: k.handle}
		v.notice(`dispatched to pane %s, and not waited for%s; its end will be told`, a.Pane, r.Jobs.how(k))
		return tools.Result{Value: v, Running: running{run, a}}, nil
	}
	woke := await(ctx, run, patience{limit: a.Wait, silence: a.Until.Silence, seen: seen, screen: run.FullScreen()})
	if woke.why == interrupted {
		interrupt(ctx, run)
	}
	v, got, done := k.report(ctx, a, env, woke)
	result := tools.Result{Value: v, IsError: !got.Outcome.OK() || woke.why == interrupted, Record: Record(got, done)}
	if !done {
		result.IsError = result.IsError && woke.why != matched && woke.why != silent
		result.Record.TimedOut = true
		result.Running = running{run, a}
	}
	return result, nil
}

// patternOf is the pattern that an action waits for; nil if it waits for none.
func patternOf(a tools.Action) (*regexp.Regexp, error) {
	if a.Until.Pattern == "" {
		return nil, nil
	}
	re, err := guard.Pattern(a.Until.Pattern)
	if err != nil {
		return nil, tools.Failed("%s: the pattern %q: %w", a.Tool, a.Until.Pattern, err)
	}
	return re, nil
}

// reason says why the wait for a run has ended.
type reason uint8

const (
	hasEnded reason = iota
	looked          // it was not waited for
	matched
	silent
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

// patience is what ends the wait for a run, beside its end.
type patience struct {
	limit   time.Duration   // 0: none
	silence time.Duration   // of the run; 0: none
	seen    *watch          // of its output
	screen  <-chan struct{} // closed when a full-screen program takes the terminal; may be nil
}

// await waits for the end of a run, for as long as it makes sense: not for a
// program that waits itself, for keys that nobody types. That the time of the
// call is up ends the wait and not the command, which may be in the middle of
// what was asked for.
func await(ctx context.Context, run guard.Run, p patience) wakening {
	var timeout, grace, quiet <-chan time.Time
	if p.limit > 0 {
		timeout = time.After(p.limit)
	}
	if p.silence > 0 {
		quiet = time.After(p.silence)
	}
	question := newSilence(ctx, run)
	defer question.stop()
	for {
		select {
		case <-run.Done():
			return wakening{why: hasEnded}
		case <-p.seen.found:
			return wakening{why: matched}
		case <-p.seen.came:
			if p.silence > 0 {
				quiet = time.After(p.silence)
			}
		case <-quiet:
			return wakening{why: silent}
		case <-timeout:
			return wakening{why: timedOut}
		case <-p.screen:
			p.screen, grace = nil, time.After(screenGrace)
		case <-grace:
			return wakening{why: tookScreen}
		case asking := <-question.asking:
			return wakening{asks, asking}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return wakening{why: outOfTime}
			}
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

// report is what a call tells of a run whose wait has ended, as far as no call has told
// it before; a is the call's. done says that the end is told.
func (k *job) report(ctx context.Context, a tools.Action, env tools.Env, woke wakening) (v ShellValue, got pane.Result, done bool) {
	at := k.action.Pane
	done = isDone(k.run)
	got = k.run.Result()
	v = ShellValue{Pane: at, Job: k.handle}
	if done {
		v.Job = ""
		k.jobs.forget(k)
	}
	v.ended(got.Outcome)
	switch {
	case woke.why == interrupted:
		v.noticeStopped(ctx, a, at, done)
	case done:
		v.noticeEnd(got)
	default:
		k.noticeRunning(ctx, &v, a, woke)
	}
	v.Notices = append(v.Notices, got.Notices...)
	v.refused(k.action, got.Text)
	if a.Kind == tools.Run {
		v.notice("it ran in a terminal: stdout holds standard error, too")
	}
	whole := k.output(got)
	whole.text = k.news(whole.text)
	v.Stdout = v.text(ctx, env, "stdout", whole, budget(a))
	return v, got, done
}

// noticeStopped says that the operator has stopped the call, and what that means for the
// command.
func (v *ShellValue) noticeStopped(ctx context.Context, a tools.Action, at string, done bool) {
	switch {
	case done:
		v.notice("%s", stopped(ctx))
	case a.Kind != tools.Run:
		v.notice("%s; the command goes on in pane %s", stopped(ctx), at)
	default:
		v.notice("%s, but it has not ended: it goes on in pane %s", stopped(ctx), at)
	}
}

// noticeEnd says what is odd about the end of a run, unless the run's own notices do.
func (v *ShellValue) noticeEnd(got pane.Result) {
	unknown := got.Outcome.State == backends.Unknown
	switch {
	case !got.Executed && !unknown:
		v.notice(refusedLine)
	case got.Executed && unknown:
		v.notice("%s", Unsure)
	}
}

// noticeRunning says why the call returns although the command goes on.
func (k *job) noticeRunning(ctx context.Context, v *ShellValue, a tools.Action, woke wakening) {
	at := k.action.Pane
	switch woke.why {
	case looked:
		v.notice("running for %s", time.Since(k.began).Round(time.Second))
	case matched:
		v.notice("running: %q is there%s", a.Until.Pattern, k.jobs.how(k))
	case silent:
		v.notice("running: nothing new for %s%s", a.Until.Silence, k.jobs.how(k))
	case asks:
		v.notice("%s", waitsFor(woke.asking, at))
	case outOfTime:
		v.notice("%v: the command goes on in pane %s%s; its end will be told", context.Cause(ctx), at, k.jobs.how(k))
	case timedOut:
		v.notice("it did not end within %s and goes on in pane %s%s; its end will be told", a.Wait, at, k.jobs.how(k))
	case tookScreen:
		v.notice("a full-screen program has taken pane %s and waits for keys: look with capture-pane, type with send-keys", at)
	}
}

// waitsFor tells what a command that has not ended waits for, and what can be
// done.
func waitsFor(asking pane.Asking, pane string) string {
	switch {
	case asking.Shell != "":
		return fmt.Sprintf("running: the shell that %q opened waits for commands in pane %s. The next run_shell command goes into it, and the operator decides about each; leave it with send-keys {\"literal_text\": \"exit\", \"enter\": true}", line(asking.Shell), pane)
	case asking.Line != "":
		return fmt.Sprintf("running: the command is silent in pane %s, and %q looks like a question of it. Answer with send-keys (where it wants a secret, ask the operator to type it there), stop it with send-keys C-c, or wait with jobs and wait_for if it only works; its end will be told", pane, line(asking.Line))
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
func (r running) Describe() string { return describe(r.action.Command, r.action.Pane, r.end()) }

// end says how the command has ended, if it has.
func (r running) end() string {
	if !isDone(r.Run) {
		return "has not ended"
	}
	got := r.Record()
	return cmp.Or(got.Failed, got.Outcome.String()+but(got.Unsure))
}
