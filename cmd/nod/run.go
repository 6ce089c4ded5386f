package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/risk"
)

// keepOutput is how much of each stream "nod run --json" prints, in bytes.
const keepOutput = 16 << 20

// runFlags are the flags of "nod run".
type runFlags struct {
	targets    []string
	pane       string
	json       bool
	timeout    time.Duration
	approveAll bool
}

// inOwnPane is the value of --pane without a name: a pane that is gone with
// the command.
const inOwnPane = "-"

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND",
		Short: "run one command through risk, rules, approval and record",
		Long: `run assesses COMMAND, asks where the rules say so, writes it down and runs it. A
single word is a line of shell; several words are a program and its arguments,
exactly. Without a terminal to ask on, whatever would ask is denied.

The exit status is the command's own; 124 if it did not end in time, 125 if nod
failed, 126 if it was denied, 128+N after signal N.`,
		Example: `  nod run -- df -h
  nod run -- 'journalctl -p err -n 20 | tail'
  nod run --pane --json -- 'make -C /srv/app test'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run1(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.targets, "target", "t", nil, "where to run it (default local)")
	flags.StringVar(&f.pane, "pane", "", "run it tracked in a tmux pane; --pane=NAME keeps the pane")
	flags.Lookup("pane").NoOptDefVal = inOwnPane
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.DurationVar(&f.timeout, "timeout", 0, "end the command after this long, for example 30s")
	flags.BoolVar(&f.approveAll, "dangerously-approve-all", false, "do not ask; rules that deny still do")
	return cmd
}

// run1 is the body of "nod run".
func (a *app) run1(ctx context.Context, f runFlags, args []string) error {
	command, err := commandLine(args)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	for _, t := range f.targets {
		if t != local.Name {
			return fmt.Errorf("run: target %q is not known; known: %s", t, local.Name)
		}
	}
	c, err := a.config()
	if err != nil {
		return err
	}
	approver, closeTTY := a.askOnTerminal()
	defer closeTTY()
	p := plan{
		approver: approver, approveAll: f.approveAll,
		panes: f.pane != "", agent: "run", unbounded: true,
	}
	if p.panes && f.pane != inOwnPane {
		// Sessions of their own, which a run in a pane of its own does not end.
		p.keep, p.agent = true, "kept"
	}
	h, err := a.openHouse(ctx, c, p)
	if err != nil {
		return err
	}
	r := runner{app: a, house: h, flags: f}
	answer, report := r.run(ctx, command)
	if err := h.Close(); err != nil {
		a.complain("run: %v", err)
	}
	return r.tell(answer, report)
}

// commandLine is the line of shell that args mean: one word is a line, several
// are a program and its arguments, each quoted.
func commandLine(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", errors.New("no command given; put it after --: nod run -- df -h")
	case 1:
		if strings.TrimSpace(args[0]) == "" {
			return "", errors.New("the command is empty; put it after --: nod run -- df -h")
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

// runReport is what "nod run --json" prints.
type runReport struct {
	Target     string       `json:"target"`
	Pane       string       `json:"pane"`
	Outcome    string       `json:"outcome"`
	ExitCode   *int         `json:"exit_code"`
	Signal     string       `json:"signal,omitempty"`
	Stdout     string       `json:"stdout"`
	Stderr     string       `json:"stderr"`
	Truncated  bool         `json:"truncated"`
	DurationMS int64        `json:"duration_ms"`
	Risk       risk.Verdict `json:"risk"`
	Notices    []string     `json:"notices,omitempty"`
}

// runner takes one command through the gate.
type runner struct {
	app   *app
	house *house
	flags runFlags
}

var errRunTimeout = errors.New("the command did not end in time")

// run passes the command through the gate and reports what became of it.
func (r *runner) run(ctx context.Context, command string) (agent.Answer, *runReport) {
	report := &runReport{Target: local.Name}
	action, err := r.plan(ctx, command)
	if err != nil {
		return agent.Answer{Err: err}, report
	}
	report.Pane = action.Pane
	answer := r.house.gate.Pass(ctx, agent.Step{
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
	report.Risk = answer.Decision.Verdict
	report.DurationMS = answer.Duration.Milliseconds()
	return answer, report
}

// plan is the action that the command means.
func (r *runner) plan(ctx context.Context, command string) (tools.Action, error) {
	about, err := r.house.guard.About(local.Name)
	if err != nil {
		return tools.Action{}, err
	}
	a := tools.Action{
		Tool: "run", Kind: tools.Exec, Target: about.Target, User: about.User,
		Command: command, Dialect: about.Shell, Wait: r.flags.timeout,
	}
	if r.flags.pane == "" {
		return a, nil
	}
	if r.house.panes == nil {
		return a, fmt.Errorf("no pane: %s", strings.Join(r.house.notes, "; "))
	}
	name, err := r.pane(ctx)
	if err != nil {
		return a, err
	}
	state, err := r.house.guard.Look(ctx, about.Target, "", name)
	if err != nil {
		return a, err
	}
	a.Kind, a.Pane, a.Dialect, a.Dir, a.Prompt = tools.Run, state.ID, state.Shell, state.Dir, state.AtPrompt
	return a, nil
}

// pane is the name of the pane to run in, which is made if it is not there;
// empty means the session's own.
func (r *runner) pane(ctx context.Context) (string, error) {
	name := r.flags.pane
	if name == inOwnPane {
		return "", nil
	}
	if _, err := r.house.panes.Shared(ctx); err != nil { // makes the session
		return "", err
	}
	_, err := r.house.panes.Get("", name)
	if errors.Is(err, pane.ErrNotFound) {
		_, err = r.house.panes.CreatePane(ctx, "", name)
	}
	return name, err
}

// exec runs the action in a shell of its own. Its output goes to nod's own
// streams as it comes, or into the report.
func (r *runner) exec(ctx context.Context, a tools.Action, env tools.Env, report *runReport) (tools.Result, error) {
	var stdout, stderr sink
	if !r.flags.json {
		stdout.to, stderr.to = r.app.out, r.app.err
	}
	begin := time.Now()
	process, err := r.house.guard.Exec(ctx, a, env.Grant, &stdout, &stderr)
	if err != nil {
		return tools.Result{}, tools.Failed("%w", err)
	}
	outcome, err := process.Wait()
	report.Stdout, report.Stderr = stdout.text(), stderr.text()
	report.Truncated = stdout.cut || stderr.cut
	record := tools.Record{
		Outcome: outcome, Bytes: stdout.total + stderr.total, Truncated: report.Truncated, Duration: time.Since(begin),
		TimedOut: errors.Is(context.Cause(ctx), errRunTimeout),
	}
	if err != nil && ctx.Err() == nil {
		record.Failed = err.Error()
	}
	return tools.Result{Record: record}, nil
}

// inPane runs the action as a tracked run in a pane.
func (r *runner) inPane(ctx context.Context, a tools.Action, env tools.Env, report *runReport) (tools.Result, error) {
	run, err := r.house.guard.Run(ctx, a, env.Grant, guard.Dispatch{Turn: turnWait, Keep: keepOutput})
	if err != nil {
		return tools.Result{}, tools.Failed("%w", err)
	}
	select {
	case <-run.Done():
	case <-ctx.Done():
		r.interrupt(ctx, run)
	}
	got := run.Result()
	report.Stdout, report.Truncated, report.Notices = got.Text, got.Truncated || got.Incomplete, got.Notices
	if !r.flags.json {
		if _, err := io.WriteString(r.app.out, got.Text); err != nil {
			return tools.Result{}, tools.Failed("%w", err)
		}
	}
	return tools.Result{Record: tools.Record{
		Outcome: got.Outcome, Bytes: got.Total, Truncated: report.Truncated, Duration: got.Duration,
		TimedOut: errors.Is(context.Cause(ctx), errRunTimeout),
	}}, nil
}

const (
	// turnWait bounds the wait for a pane that is about to take another command.
	turnWait = 5 * time.Second
	// interruptWait is how long an interrupted command has to end.
	interruptWait = 2 * time.Second
)

// interrupt types Ctrl-C and gives the command a moment to end.
func (r *runner) interrupt(ctx context.Context, run guard.Run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruptWait)
	defer cancel()
	if err := run.Interrupt(ctx); err != nil {
		r.app.complain("run: interrupt: %v", err)
	}
	select {
	case <-run.Done():
	case <-ctx.Done():
	}
}

// tell prints the report and turns the answer into the exit status.
func (r *runner) tell(answer agent.Answer, report *runReport) error {
	status, reason := r.judge(answer, report)
	if reason != "" {
		r.app.complain("run: %s", printable(reason))
	}
	if !r.flags.json {
		for _, n := range report.Notices {
			r.app.complain("run: %s", printable(n))
		}
	} else if err := json.NewEncoder(r.app.out).Encode(report); err != nil {
		return err
	}
	if status != 0 {
		return exitStatus(status)
	}
	return nil
}

// judge names the outcome, and says what there is to say about it.
func (r *runner) judge(answer agent.Answer, report *runReport) (status int, reason string) {
	record := answer.Result.Record
	switch {
	case answer.Interrupted:
		report.Outcome = "unknown"
		return statusInterrupted, "interrupted"
	case answer.Denied:
		report.Outcome = "denied"
		return statusDenied, deniedBecause(answer)
	case answer.Err != nil:
		report.Outcome = "unknown"
		return statusFailed, answer.Err.Error()
	case record.TimedOut:
		report.Outcome = "timeout"
		return statusTimeout, fmt.Sprintf("did not end within %s and was stopped", r.flags.timeout)
	}
	report.Outcome = record.Outcome.State.String()
	switch record.Outcome.State {
	case backends.Exited:
		report.ExitCode = &record.Outcome.Code
		return record.Outcome.Code, ""
	case backends.Signalled:
		report.Signal = string(record.Outcome.Signal)
		return signalStatus(record.Outcome.Signal), "ended by signal " + report.Signal
	}
	return statusFailed, "how the command ended is not known: look at the target before you run it again"
}

// deniedBecause says why, and what to do where nobody could be asked.
func deniedBecause(answer agent.Answer) string {
	reason := "denied"
	if r := answer.Decision.Reason; r != "" {
		reason += ": " + r
	}
	if errors.Is(answer.Err, policy.ErrNoApprover) {
		reason += "; run it on a terminal, or allow it in rules.toml"
	}
	return reason
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
