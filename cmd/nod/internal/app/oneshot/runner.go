package oneshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/terminal"
)

// keepOutput is how much of each stream "nod run --json" prints, in bytes.
const keepOutput = 16 << 20

// runner takes one command through the gate, on one target.
type runner struct {
	out    *outputs
	core   *app.Core
	asked  Command
	target *targets.Target
}

// on runs the command on a target, tells what became of it and returns the exit
// status.
func (r *runner) on(ctx context.Context, name, command string) int {
	report := &Report{Target: name}
	var answer gate.Answer
	if r.target, answer.Err = r.core.Targets.Open(ctx, name); answer.Err == nil {
		answer = r.run(ctx, command, report)
	}
	return r.tell(ctx, answer, report)
}

var errRunTimeout = errors.New("the --timeout is up")

// run passes the command through the gate and reports what became of it.
func (r *runner) run(ctx context.Context, command string, report *Report) gate.Answer {
	report.Target = r.target.Name()
	action, err := r.plan(ctx, command)
	if err != nil {
		return gate.Answer{Err: err}
	}
	report.Pane = action.Pane
	answer := r.core.Gate.Pass(ctx, gate.Step{
		Action: action, Operator: true,
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			if r.asked.Timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, r.asked.Timeout, errRunTimeout)
				defer cancel()
			}
			if a.Kind == tools.Run {
				return r.inPane(ctx, a, env, report)
			}
			return r.exec(ctx, a, env, report)
		},
	}, nil)
	report.Risk, report.Held = &answer.Decision.Verdict, string(answer.Action.Wall)
	report.DurationMS = answer.Duration.Milliseconds()
	return answer
}

// plan is the action that the command means.
func (r *runner) plan(ctx context.Context, command string) (tools.Action, error) {
	about, err := r.core.Guard.About(r.target.Name())
	if err != nil {
		return tools.Action{}, err
	}
	a := tools.Action{
		Tool: "run", Kind: tools.Exec, Target: about.Target, User: about.User,
		Command: command, Dialect: about.Shell, Wait: r.asked.Timeout,
	}
	if r.asked.Held {
		a.Wall, err = r.hold(ctx)
		return a, err
	}
	if r.asked.Pane == "" {
		return a, nil
	}
	if r.target.Panes == nil {
		return a, errors.New("no pane: [tools] shell_enabled is false in the configuration")
	}
	name, err := r.pane(ctx)
	if err != nil {
		return a, err
	}
	state, err := r.core.Guard.Look(ctx, about.Target, "", name)
	for begun := time.Now(); err == nil && state.Dir == "" && !state.Unready && time.Since(begun) < dirWait; {
		select {
		case <-time.After(dirPause):
		case <-ctx.Done():
			return a, context.Cause(ctx)
		}
		state, err = r.core.Guard.Look(ctx, about.Target, "", name)
	}
	if err != nil {
		return a, err
	}
	a.Kind, a.Pane, a.Dialect, a.Dir, a.Prompt = tools.Run, state.ID, state.Shell, state.Dir, state.AtPrompt
	a.Inside, a.Shell = state.Inside, state.Generation
	return a, nil
}

// pane is the name of the pane to run in, which is made if it is not there;
// empty means the session's own.
func (r *runner) pane(ctx context.Context) (string, error) {
	name := r.asked.Pane
	if name == OwnPane || existingOnly(name) != "" {
		return "", nil
	}
	if why := r.target.Panes.WithoutTmux(); why != nil {
		return "", fmt.Errorf("--pane=%s: the pane cannot be kept: %w; install tmux, or use --pane without a name", name, why)
	}
	if _, err := r.target.Panes.Shared(ctx); err != nil { // makes the session
		return "", err
	}
	p, err := r.target.Panes.Get("", name)
	if errors.Is(err, pane.ErrNotFound) {
		p, err = r.target.Panes.CreatePane(ctx, "", name)
	}
	if err == nil {
		p.Warm(ctx) // it may be an earlier command's, of whose shell nothing is known
	}
	return name, err
}

// exec runs the action in a shell of its own. Its output goes to nod's own
// streams as it comes, or into the report.
func (r *runner) exec(ctx context.Context, a tools.Action, env tools.Env, report *Report) (tools.Result, error) {
	var stdout, stderr sink
	if !r.asked.JSON {
		stdout.to, stderr.to = r.out.stdout, r.out.stderr
	}
	begin := time.Now()
	chunks := [2]*tools.Chunks{r.chunks(tools.Stdout), r.chunks(tools.Stderr)}
	process, err := r.core.Guard.Exec(ctx, a, env.Grant, io.MultiWriter(&stdout, chunks[0]), io.MultiWriter(&stderr, chunks[1]))
	var unsure *guard.UnsureError
	if errors.As(err, &unsure) {
		return tools.Result{Record: tools.Record{Unsure: fmt.Sprintf("%v; %s", unsure, terminal.Unsure), Duration: time.Since(begin)}}, nil
	}
	if err != nil {
		return notRun(err)
	}
	outcome, err := process.Wait()
	r.core.Guard.Ended(a, outcome)
	chunks[0].Close()
	chunks[1].Close()
	report.Stdout, report.Stderr = stdout.text(), stderr.text()
	if what := guard.Refused(a, report.Stderr); what != "" {
		report.Notices = append(report.Notices, heldNotice+what)
	}
	notice := backends.OutputNotice(process)
	if notice != "" {
		report.Notices = append(report.Notices, notice)
	}
	report.Truncated = stdout.cut || stderr.cut || notice == backends.OutputCut
	record := tools.Record{
		Outcome: outcome, Bytes: stdout.total + stderr.total, Truncated: report.Truncated, Duration: time.Since(begin),
		TimedOut: errors.Is(context.Cause(ctx), errRunTimeout),
	}
	if err != nil && ctx.Err() == nil {
		record.Unsure = fmt.Sprintf("%v; %s", err, terminal.Unsure)
	}
	return tools.Result{Record: record}, nil
}

// chunks print what a stream of the command gets, as it comes; nil without --progress.
func (r *runner) chunks(stream tools.Stream) *tools.Chunks {
	if !r.asked.Progress {
		return nil
	}
	return tools.NewChunks(func(text string) {
		piece := outputPiece{Type: "output", Target: r.target.Name(), Chunk: tools.NewChunk(stream, text)}
		_ = r.out.object(piece) // the object at the end says that nothing can be written
	})
}

// notRun is the result of an action that the guard, the target or the pane has
// not begun with: nothing ran.
func notRun(err error) (tools.Result, error) {
	if errors.Is(err, tools.ErrNotGranted) || errors.Is(err, guard.ErrMalformed) {
		return tools.Result{}, tools.Denied("%w", err)
	}
	return tools.Result{IsError: true, Record: tools.Record{Failed: err.Error()}}, nil
}

// inPane runs the action as a tracked run in a pane.
func (r *runner) inPane(ctx context.Context, a tools.Action, env tools.Env, report *Report) (tools.Result, error) {
	chunks := r.chunks(tools.Terminal)
	how := guard.Dispatch{Turn: turnWait, Keep: keepOutput}
	if chunks != nil {
		how.Sink = chunks
	}
	run, err := r.core.Guard.Run(ctx, a, env.Grant, how)
	if err != nil {
		return notRun(err)
	}
	defer chunks.Close()
	ended := true
	select {
	case <-run.Done():
	case <-ctx.Done():
		if ended = r.interrupt(ctx, run); !ended {
			report.left, report.GoesOn = r.leave(ctx, a.Pane)
		}
	}
	got := run.Result()
	if what := guard.Refused(a, got.Text); what != "" && r.asked.JSON {
		report.Notices = append(report.Notices, heldNotice+what)
	}
	report.Form, report.Stdout, report.Truncated = rendered, got.Text, got.Truncated || got.Incomplete
	said := got.Text
	if r.asked.Raw {
		report.Raw, said = got.Raw, string(got.Raw)
		got.Notices = slices.DeleteFunc(got.Notices, func(n string) bool { return n == pane.NoTextNotice })
	}
	report.Notices = append(report.Notices, got.Notices...)
	if !r.asked.JSON {
		_, report.unwritten = io.WriteString(r.out.stdout, said)
	}
	record := terminal.Record(got, ended)
	record.TimedOut = errors.Is(context.Cause(ctx), errRunTimeout)
	return tools.Result{Record: record}, nil
}

const (
	// dirWait bounds the wait for a fresh pane to say where it is: known later,
	// that would be a change of what was planned.
	dirWait  = 3 * time.Second
	dirPause = 50 * time.Millisecond
	// turnWait bounds the wait for a pane that is about to take another command.
	turnWait = 5 * time.Second
	// interruptWait is how long an interrupted command has to end.
	interruptWait = 2 * time.Second
)

// interrupt types Ctrl-C, gives the command a moment to end and reports whether
// it did.
func (r *runner) interrupt(ctx context.Context, run guard.Run) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruptWait)
	defer cancel()
	if err := run.Interrupt(ctx); err != nil {
		r.out.complain("interrupt: %v", err)
	}
	select {
	case <-run.Done():
		return true
	case <-ctx.Done():
		return false
	}
}

// heldNotice begins what "nod run --json" says of a command that the cage refused
// something. Without --json the helper's own line on standard error says it.
const heldNotice = "it ran held, where it can change nothing, and the cage refused: "

// hold says what holds a command on the target that the operator wants held.
func (r *runner) hold(ctx context.Context) (confine.Wall, error) {
	cage, err := r.target.Cage.Cage(ctx)
	if err != nil {
		return confine.None, fmt.Errorf("run: --held: %w; without --held it asks as usual", err)
	}
	return cage.Wall(), nil
}
