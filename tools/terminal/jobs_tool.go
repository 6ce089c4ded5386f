package terminal

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed jobs.md
var jobsGuide string

// ListJobs is the tool jobs. It tells what commands write that were granted when they
// began, so it needs no grant of its own.
type ListJobs struct {
	Guard *guard.Guard
	Jobs  *Jobs // the same as run_shell's
}

var _ tools.Tool = (*ListJobs)(nil)

// Name implements [tools.Tool].
func (*ListJobs) Name() string { return "jobs" }

// Description implements [tools.Tool].
func (*ListJobs) Description() string { return spec.Brief(jobsGuide) }

// Guidance implements [tools.Documented].
func (*ListJobs) Guidance() string { return spec.Whole(jobsGuide) }

// Parallelizable implements [tools.Tool].
func (*ListJobs) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*ListJobs) InputSchema() map[string]any {
	return spec.Schema(untilSchema(map[string]any{"job": spec.String("")}))
}

type jobsArgs struct {
	Job string `json:"job"`
	untilArgs
}

// Plan implements [tools.Tool].
func (l *ListJobs) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args jobsArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	until, err := args.until(maxWait)
	if err != nil {
		return tools.Action{}, err
	}
	if args.Job == "" && until.Waits() {
		return tools.Action{}, tools.Invalid("wait_for: name the job that is to be waited for")
	}
	if args.Job != "" {
		if _, err := l.Jobs.find(args.Job); err != nil {
			return tools.Action{}, err
		}
	}
	wait := until.Time
	if until.Waits() && wait == 0 {
		wait = lookWait
	}
	until.Time = 0
	return tools.Action{Tool: l.Name(), Kind: tools.Pure, Command: args.Job, Wait: wait, Until: until}, nil
}

// lookWait bounds the wait for a job if the call says no time.
const lookWait = 10 * time.Minute

// JobsValue is the Value of jobs' Result where no job is named.
type JobsValue struct {
	Jobs []JobValue `json:"jobs"`
	// Others are panes in which something goes on that nod did not begin.
	Others  []PaneValue `json:"others,omitempty"`
	Notices []string    `json:"notices,omitempty"`
}

// JobValue is a job in a list.
type JobValue struct {
	Job     string `json:"job"`
	Target  string `json:"target"`
	Pane    string `json:"pane"`
	Command string `json:"command"`
	State   string `json:"state"` // "running", "exited 0"
	Since   string `json:"since"` // how long ago it began: "2m3s"
	Last    string `json:"last_line"`
}

// PaneValue is a pane in a list.
type PaneValue struct {
	Target  string `json:"target"`
	Pane    string `json:"pane"`
	Name    string `json:"name"`    // "main:shared"
	Command string `json:"command"` // as far as it is known
}

// Execute implements [tools.Tool].
func (l *ListJobs) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if a.Command == "" {
		return tools.Result{Value: l.listed(), Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}
	k, err := l.Jobs.find(a.Command)
	if err != nil {
		return tools.Failure("no_job", err.Error()), nil
	}
	pattern, err := patternOf(a)
	if err != nil {
		return tools.Result{}, err
	}
	began := env.Time()
	woke := wakening{why: looked}
	if a.Wait > 0 {
		seen, stop := k.feed.watch(pattern)
		if pattern != nil && pattern.MatchString(k.unseen(k.output(k.run.Result()).text)) {
			tell(seen.found)
		}
		woke = await(ctx, k.run, patience{limit: a.Wait, silence: a.Until.Silence, seen: seen})
		stop()
	}
	v, got, _ := k.report(ctx, a, env, woke)
	return tools.Result{Value: v, Record: tools.Record{
		Outcome: backends.ExitedWith(0), TimedOut: woke.why == timedOut, Bytes: got.Total, Duration: env.Time().Sub(began),
	}}, nil
}

// listed is what goes on.
func (l *ListJobs) listed() JobsValue {
	v := JobsValue{Jobs: []JobValue{}}
	for _, k := range l.Jobs.list() {
		got := k.run.Result()
		state := "running"
		if isDone(k.run) {
			state = running{k.run, k.action}.end()
		}
		v.Jobs = append(v.Jobs, JobValue{
			Job: k.handle, Target: k.action.Target, Pane: k.action.Pane, Command: line(k.action.Command), State: state,
			Since: time.Since(k.began).Round(time.Second).String(), Last: lastLine(k.output(got).text),
		})
	}
	for _, target := range l.Guard.Targets() {
		for _, f := range l.Guard.ByHand(target) {
			v.Others = append(v.Others, PaneValue{Target: target, Pane: f.ID, Name: f.Session + ":" + f.Name, Command: line(f.Command)})
		}
	}
	if len(v.Jobs) == 0 && len(v.Others) == 0 {
		v.Notices = append(v.Notices, "nothing runs")
	}
	if len(v.Others) > 0 {
		v.Notices = append(v.Notices, "others were begun by hand, and have no handle: look with capture-pane, type with send-keys")
	}
	return v
}
