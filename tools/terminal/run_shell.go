package terminal

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
	"github.com/nod-console/nod/tools/risk"
)

// Limits of a command that runs without a pane.
const (
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 600 * time.Second
)

//go:embed run_shell.md
var runShellGuide string

// RunShell is the tool run_shell.
type RunShell struct {
	Guard *guard.Guard
	// Timeout bounds a command without a pane if the call does not; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// Jobs are told of what runs in panes; nil: there are no panes anywhere.
	Jobs *Jobs
	// Fleet finds the targets of a call for several; nil: there is one only.
	Fleet *fleet.Fleet
}

var (
	_ tools.Tool = (*RunShell)(nil)
	_ tools.Many = (*RunShell)(nil)
)

// Name implements [tools.Tool].
func (*RunShell) Name() string { return "run_shell" }

// Description implements [tools.Tool].
func (r *RunShell) Description() string {
	return spec.Brief(runShellGuide, spec.If("panes", r.Jobs != nil), spec.If("targets", r.Fleet.Offered()))
}

// Guidance implements [tools.Documented].
func (*RunShell) Guidance() string { return spec.Whole(runShellGuide) }

// Parallelizable implements [tools.Tool].
func (*RunShell) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (r *RunShell) InputSchema() map[string]any {
	properties := map[string]any{
		"command":   spec.String(""),
		"stdin":     spec.String(""),
		"cwd":       spec.String(""),
		"target":    spec.Target(),
		"max_chars": map[string]any{"type": "integer"},
		"wait":      waitSchema(),
	}
	if r.Jobs != nil {
		untilSchema(selectorSchema(properties))
	}
	if r.Fleet.Offered() {
		properties["targets"] = fleet.Schema()
	}
	return spec.Schema(spec.Acting(properties), spec.ClaimNames("command")...)
}

// waitSchema is the schema of how long a call waits.
func waitSchema() map[string]any {
	return map[string]any{
		"anyOf": []any{
			map[string]any{"type": "boolean"},
			map[string]any{"type": "string", "pattern": "^[0-9]+[smh]$"},
			map[string]any{"type": "integer", "minimum": 1},
		},
	}
}

type shellArgs struct {
	Command *string         `json:"command"`
	Wait    json.RawMessage `json:"wait"`
	Stdin   *string         `json:"stdin"`
	Cwd     string          `json:"cwd"`
	Targets fleet.Names     `json:"targets"`
	untilArgs
	selector
	spec.Claim
}

// own reports whether the command needs a shell of its own.
func (s shellArgs) own() bool { return s.Stdin != nil || s.Cwd != "" }

// Plan implements [tools.Tool]. On a target with panes it makes the shared one
// if it is not there yet.
func (r *RunShell) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args shellArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Command == nil {
		return tools.Action{}, spec.Missing("command")
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	w, err := args.wait()
	if err != nil {
		return tools.Action{}, err
	}
	if err := args.check(); err != nil {
		return tools.Action{}, err
	}
	if args.Targets != nil {
		return r.planMany(ctx, args, w, claim)
	}
	about, err := args.place(r.Guard, env)
	if err != nil {
		return tools.Action{}, err
	}
	a := tools.Action{Tool: r.Name(), Target: about.Target, User: about.User, Command: *args.Command, Claim: claim}
	if about.Panes && (!args.own() || args.explicit()) {
		return r.planRun(ctx, a, args, w)
	}
	return r.planExec(a, about, args, w)
}

// wait is what ends the wait for the command.
func (s shellArgs) wait() (wait, error) {
	w, err := parseWait(s.Wait)
	if err != nil {
		return wait{}, err
	}
	if w.until, err = s.until(maxWait); err != nil {
		return wait{}, err
	}
	switch {
	case w.background && w.until.Waits():
		return wait{}, tools.Invalid("wait=false does not wait, and wait_for does: give one of them")
	case w.limit > 0 && w.until.Time > 0:
		return wait{}, tools.Invalid("wait and wait_for.seconds are two times: give one of them")
	}
	w.limit, w.until.Time = max(w.limit, w.until.Time), 0
	return w, nil
}

// check finds what no target could do.
func (s shellArgs) check() error {
	switch {
	case strings.TrimSpace(*s.Command) == "":
		return tools.Invalid("command is empty")
	case strings.ContainsRune(*s.Command, 0):
		return tools.Invalid("command holds a zero byte, which no shell can take")
	case s.Cwd != "" && (!path.IsAbs(s.Cwd) || strings.ContainsRune(s.Cwd, 0)):
		return tools.Invalid("cwd %q is not absolute", s.Cwd)
	case s.own() && s.explicit():
		return tools.Invalid("stdin and cwd need a shell of their own: leave session and pane out, or put cd and the input into the command")
	}
	return nil
}

func (r *RunShell) planRun(ctx context.Context, a tools.Action, args shellArgs, w wait) (tools.Action, error) {
	state, err := args.look(ctx, r.Guard)
	if err != nil {
		return tools.Action{}, err
	}
	if state.Busy != "" && !state.Waits() {
		return tools.Action{}, tools.Reject("pane_busy", "nothing was run: %s still runs %q, for %s. Its end will be told%s, send-keys answers it; or use another pane (tmux-create-pane).",
			args.name(), line(state.Busy), time.Since(state.Since).Round(time.Second), r.Jobs.busy(args.Target, state.ID))
	}
	if has := r.held(ctx, args, state); has != "" {
		return tools.Action{}, tools.Reject("pane_busy", "nothing was run: %s is not free: %s. Ask the operator to end it, type into it with send-keys, or use another pane (tmux-create-pane).",
			args.name(), has)
	}
	if state.Pending != "" {
		return tools.Action{}, tools.Reject("pending_line", "nothing was run: %q stands on the prompt's line of %s, perhaps typed by the operator. Ask, or clear it with send-keys C-u.", state.Pending, args.name())
	}
	dialect, err := risk.ParseDialect(state.Shell)
	if err != nil {
		return tools.Action{}, tools.Failed("run_shell: %w", err)
	}
	if found := risk.ShellKillers(a.Command, dialect); len(found) > 0 {
		return tools.Action{}, endsShell(a.Command, found[0], state.Inside)
	}
	a.Kind, a.Pane, a.Dialect, a.Dir, a.Prompt = tools.Run, state.ID, state.Shell, state.Dir, state.AtPrompt
	a.Inside, a.Shell = state.Inside, state.Generation
	a.Wait, a.Background, a.Until = w.limit, w.background, w.until
	return a, nil
}

// heldWait is how long the target may take to say what is in front in a pane. Over a
// link that is too slow for that, the operator is asked first, and the command finds
// the pane busy then.
const heldWait = 500 * time.Millisecond

// held says which program waits for keys in a pane, so that nobody is asked about a
// command that could not be given to a shell.
func (r *RunShell) held(ctx context.Context, args shellArgs, state guard.State) string {
	if state.AtPrompt || state.Busy != "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, heldWait)
	defer cancel()
	return r.Guard.Held(ctx, args.Target, args.Session, args.Pane)
}

// endsShell rejects a command that would end or cripple the shell that it is
// for: the pane's own, or the one that the last of inside has opened there.
func endsShell(command string, f risk.Finding, inside []string) error {
	at := min(max(f.Start, 0), len(command))
	end := min(max(f.End, at), len(command))
	number := strings.Count(command[:at], "\n") + 1
	why := strings.TrimPrefix(f.Why, fmt.Sprintf("line %d ", number))
	if n := len(inside); n > 0 {
		return tools.Reject("ends_shell",
			"nothing was run: line %d has %q, which %s. To leave the shell that %q opened: send-keys {\"literal_text\": \"exit\", \"enter\": true}. For a command of its own: bash -lc '…', or ( … ) around it.",
			number, line(command[at:end]), why, line(inside[n-1]))
	}
	return tools.Reject("ends_shell",
		"nothing was run: line %d has %q, which %s. The pane's shell is shared with the operator. Give the command a shell of its own: bash -lc '…', or ( … ) around it.",
		number, line(command[at:end]), why)
}

func (r *RunShell) planExec(a tools.Action, about guard.About, args shellArgs, w wait) (tools.Action, error) {
	limit := w.limit
	if limit == 0 {
		if limit = r.Timeout; limit <= 0 {
			limit = DefaultTimeout
		}
	}
	switch {
	case !about.Panes && args.explicit():
		return tools.Action{}, tools.Reject("no_panes", "%s has no panes: leave session and pane out", a.Target)
	case w.until.Waits():
		return tools.Action{}, tools.Reject("no_panes", "a pattern and a silence are waited for in panes alone: leave stdin, cwd and wait_for out, or bound the command itself (timeout, head, grep -m1)")
	case w.background && about.Panes:
		return tools.Action{}, tools.Invalid("wait=false dispatches into a pane, which stdin and cwd rule out: put cd and the input into the command")
	case w.background:
		return tools.Action{}, tools.Reject("no_panes", "wait=false needs a pane, and %s has none: start the command with nohup and & instead", a.Target)
	case limit > MaxTimeout && about.Panes:
		return tools.Action{}, tools.Invalid("without a pane a command may take %s at most: leave stdin and cwd out", MaxTimeout)
	case limit > MaxTimeout:
		return tools.Action{}, tools.Invalid("on %s a command may take %s at most: start it with nohup and &", a.Target, MaxTimeout)
	}
	a.Kind, a.Dialect, a.Dir, a.Wait, a.Until = tools.Exec, about.Shell, args.Cwd, limit, w.until
	if args.Stdin != nil {
		a.Stdin = []byte(*args.Stdin)
	}
	return a, nil
}

// Execute implements [tools.Tool].
func (r *RunShell) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if a.Kind == tools.Run {
		return r.run(ctx, a, env)
	}
	return r.exec(ctx, a, env)
}

// line is a command in one short line.
func line(command string) string {
	head, omitted := tools.Head(strings.Join(strings.Fields(command), " "), 80)
	if omitted > 0 {
		head += "…"
	}
	return head
}

// describe names a command and its end in one line.
func describe(command, pane, end string) string {
	return fmt.Sprintf("%s in %s: %s", line(command), pane, end)
}
