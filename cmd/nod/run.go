package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/terminal"
)

// keepOutput is how much of each stream "nod run --json" prints, in bytes.
const keepOutput = 16 << 20

// runFlags are the flags of "nod run".
type runFlags struct {
	targets    []string
	pane       string
	json       bool
	raw        bool
	held       bool
	timeout    time.Duration
	approveAll bool
	progress   bool
}

// inOwnPane is the value of --pane without a name: a pane that is gone with
// the command.
const inOwnPane = "-"

func (a *program) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND",
		Short: "run one command through risk, rules, approval and record",
		Long: `run assesses COMMAND, asks where the rules say so, writes it down and runs it. A
single word is a line of shell; several words are a program and its arguments,
exactly. Without a terminal to ask on, whatever would ask is denied.

The exit status is the command's own; 124 if it did not end in time, 125 if nod
failed or cannot tell how it ended, 126 if it was denied, 128+N after signal N, to
the command or to nod itself. With --json, "outcome" tells which (nod man).

--held runs COMMAND where the kernel lets it change nothing: no file, no process, no
connection. What would ask runs unasked then, since it can do no harm; a rule of
yours and the posture ask-all still ask. Where nothing can hold it, it does not run.

--timeout ends the command. In a pane that is Ctrl-C, as an operator would press
it: a command that ignores it goes on in a pane that is kept, and nod says where;
a pane of its own is closed, which hangs it up.`,
		Example: `  nod run -- df -h
  nod run -- 'journalctl -p err -n 20 | tail'
  nod run --held -- ./check.sh
  nod run --pane=%3 -- 'git pull'
  nod run --pane --json -- 'make -C /srv/app test'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("pane") && f.pane == "" {
				return a.refuse(f, errors.New("run: --pane= names no pane; --pane alone takes one of its own, --pane=NAME keeps one, --pane=%3 is one that you have"))
			}
			if f.raw && f.pane == "" {
				return a.refuse(f, errors.New("run: --raw is for --pane: without a pane the output is what the command writes"))
			}
			if f.held && cmd.Flags().Changed("pane") {
				return a.refuse(f, errors.New("run: --held runs without a pane: leave out --pane"))
			}
			if f.progress && !f.json {
				return a.refuse(f, errors.New("run: --progress is for --json: without it the output comes as the command writes it"))
			}
			if f.timeout < 0 {
				return a.refuse(f, fmt.Errorf("run: --timeout=%s: want how long the command may take, such as 30s; without it there is no limit", f.timeout))
			}
			return a.run1(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.targets, "target", "t", nil, "where to run it (default local)")
	flags.StringVar(&f.pane, "pane", "", "run it tracked in a pane; --pane=NAME keeps the pane, for which tmux is needed; --pane=%3 is one that you already have")
	flags.Lookup("pane").NoOptDefVal = inOwnPane
	flags.BoolVar(&f.raw, "raw", false, "in a pane: print the bytes that its terminal got, not what it shows")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.progress, "progress", false, "with --json: before that, an object for each piece of output as it comes")
	flags.BoolVar(&f.held, "held", false, "run it where the kernel lets it change nothing")
	flags.DurationVar(&f.timeout, "timeout", 0, "end the command after this long, for example 30s; in a pane by Ctrl-C")
	flags.BoolVar(&f.approveAll, "dangerously-approve-all", false, "do not ask; rules that deny still do")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		own := a.args
		if end := slices.Index(own, "--"); end >= 0 {
			own = own[:end]
		}
		f.json = f.json || slices.Contains(own, "--json") // it may stand behind what is wrong
		return a.refuse(f, wrongFlag(cmd, err))
	})
	return cmd
}

// refuse is the end of a "nod run" that did not come as far as to a target: with
// --json, each target has an object nevertheless.
func (a *program) refuse(f runFlags, err error) error {
	if !f.json || err == nil {
		return err
	}
	if len(f.targets) == 0 {
		f.targets = []string{local.Name}
	}
	out := json.NewEncoder(a.Out)
	for _, target := range f.targets {
		if printErr := out.Encode(runReport{Target: target, Outcome: outcomeRefused, Error: err.Error()}); printErr != nil {
			return errors.Join(err, printErr)
		}
	}
	return err
}

// run1 is the body of "nod run".
func (a *program) run1(ctx context.Context, f runFlags, args []string) error {
	command, err := commandLine(args)
	if err != nil {
		return a.refuse(f, fmt.Errorf("run: %w", err))
	}
	if f.pane != "" && f.pane != inOwnPane && existingOnly(f.pane) == "" {
		if f.pane, err = pane.PaneName(f.pane); err != nil {
			return a.refuse(f, fmt.Errorf("run: %w", err))
		}
	}
	c, err := a.config()
	if err != nil {
		return a.refuse(f, err)
	}
	there, err := targets.FindOwnPane(c, a.Getenv, a.flags.socket, existingOnly(f.pane))
	if err != nil {
		return a.refuse(f, fmt.Errorf("run: %w", err))
	}
	var h *app.Core
	approver, closeTTY := approveOnTTY(&a.System, &h, nil)
	defer closeTTY()
	questions := questions.OnTerminal(&a.System)
	defer questions.Close()
	armed := newArmed(a.Warn)
	p := app.Options{
		Options:  targets.Options{Ask: questions.Asker(), Warn: a.Warn, Panes: f.pane != "", Existing: there, Agent: "run"},
		Approver: approver, ApproveAll: f.approveAll, Reverting: armed.take, Unbounded: true,
	}
	if p.Panes && f.pane != inOwnPane && there == nil {
		// Sessions of their own, which a run in a pane of its own does not end.
		p.Keep, p.Agent = true, "kept"
	}
	if h, err = app.Open(c, a.Getenv, p); err != nil {
		return a.refuse(f, err)
	}
	statuses := a.runOn(ctx, h, f, command)
	armed.settle(ctx)
	if err := h.Close(); err != nil {
		a.Complain("run: %v", err)
	}
	for _, status := range statuses {
		if status != 0 {
			return process.ExitStatus(status)
		}
	}
	return nil
}

// runOn runs the command on each target at once and returns the exit statuses,
// in the order of the targets.
func (a *program) runOn(ctx context.Context, h *app.Core, f runFlags, command string) []int {
	if len(f.targets) == 0 {
		f.targets = []string{local.Name}
	}
	out := &outlet{app: a, several: len(f.targets) > 1, json: f.json}
	statuses := make([]int, len(f.targets))
	var running sync.WaitGroup
	for i, name := range f.targets {
		running.Go(func() {
			r := runner{out: out.on(name), core: h, flags: f}
			statuses[i] = r.on(ctx, name, command)
		})
	}
	running.Wait()
	return statuses
}

// existingOnly is the value of --pane if it names a pane that is there.
func existingOnly(pane string) string {
	if strings.HasPrefix(pane, "%") {
		return pane
	}
	return ""
}

// commandLine is the line of shell that args mean: one word is a line, several
// are a program and its arguments, each quoted.
func commandLine(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", errors.New("no command given; put it at the end, after --, as in: -- df -h")
	case 1:
		if strings.TrimSpace(args[0]) == "" {
			return "", errors.New("the command is empty; put it at the end, after --, as in: -- df -h")
		}
		return args[0], nil
	}
	words := make([]string, len(args))
	for i, arg := range args {
		word, err := syntax.Quote(arg, syntax.LangPOSIX)
		if err != nil {
			return "", fmt.Errorf("argument %q cannot be quoted for a shell: %w", arg, err)
		}
		words[i] = word
	}
	return strings.Join(words, " "), nil
}

// runner takes one command through the gate, on one target.
type runner struct {
	out    *outputs
	core   *app.Core
	flags  runFlags
	target *targets.Target
}

// on runs the command on a target, tells what became of it and returns the exit
// status.
func (r *runner) on(ctx context.Context, name, command string) int {
	report := &runReport{Target: name}
	var answer gate.Answer
	if r.target, answer.Err = r.core.Targets.Open(ctx, name); answer.Err == nil {
		answer = r.run(ctx, command, report)
	}
	return r.tell(ctx, answer, report)
}

var errRunTimeout = errors.New("the --timeout is up")

// run passes the command through the gate and reports what became of it.
func (r *runner) run(ctx context.Context, command string, report *runReport) gate.Answer {
	report.Target = r.target.Name()
	action, err := r.plan(ctx, command)
	if err != nil {
		return gate.Answer{Err: err}
	}
	report.Pane = action.Pane
	answer := r.core.Gate.Pass(ctx, gate.Step{
		Action: action, Operator: true,
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			if r.flags.timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, r.flags.timeout, errRunTimeout)
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
		Command: command, Dialect: about.Shell, Wait: r.flags.timeout,
	}
	if r.flags.held {
		a.Wall, err = r.hold(ctx)
		return a, err
	}
	if r.flags.pane == "" {
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
	name := r.flags.pane
	if name == inOwnPane || existingOnly(name) != "" {
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
func (r *runner) exec(ctx context.Context, a tools.Action, env tools.Env, report *runReport) (tools.Result, error) {
	var stdout, stderr sink
	if !r.flags.json {
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
	if !r.flags.progress {
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
func (r *runner) inPane(ctx context.Context, a tools.Action, env tools.Env, report *runReport) (tools.Result, error) {
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
	if what := guard.Refused(a, got.Text); what != "" && r.flags.json {
		report.Notices = append(report.Notices, heldNotice+what)
	}
	report.Form, report.Stdout, report.Truncated = rendered, got.Text, got.Truncated || got.Incomplete
	said := got.Text
	if r.flags.raw {
		report.Raw, said = got.Raw, string(got.Raw)
		got.Notices = slices.DeleteFunc(got.Notices, func(n string) bool { return n == pane.NoTextNotice })
	}
	report.Notices = append(report.Notices, got.Notices...)
	if !r.flags.json {
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
