package terminal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
)

// errTimeout is the cause of death of a command that took too long.
var errTimeout = errors.New("the time-out of the call")

// exec runs a command in a shell of its own.
func (r *RunShell) exec(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	p := tools.NewMeter(env)
	defer p.Stop()
	stdout, stderr := &collector{progress: p, chunks: env.ChunksOf(tools.Stdout)}, &collector{progress: p, chunks: env.ChunksOf(tools.Stderr)}
	part := a.PartOf != ""
	if part {
		stdout.most, stderr.most, stdout.sum, stderr.sum = keepOfPart, keepOfPart, sha256.New(), sha256.New()
	}
	bounded, cancel := context.WithTimeoutCause(ctx, a.Wait, errTimeout)
	defer cancel()
	process, err := r.Guard.Exec(bounded, a, env.Grant, stdout, stderr)
	if err != nil {
		return r.notBegun(ctx, a, err)
	}
	ended, err := process.Wait()
	r.Guard.Ended(a, ended)
	stdout.chunks.Close()
	stderr.chunks.Close()

	var v ShellValue
	v.ended(ended)
	record := tools.Record{Outcome: ended, Duration: env.Time().Sub(began)}
	switch {
	case errors.Is(err, errTimeout):
		record.TimedOut = true
		v.notice("%s", late(a))
	case ctx.Err() != nil:
		v.notice("%s", stopped(ctx))
	case err != nil:
		record.Unsure = fmt.Sprintf("%v; %s", err, Unsure)
		v.notice("%s", record.Unsure)
	}
	if notice := backends.OutputNotice(process); notice != "" {
		v.notice("%s", notice)
		record.Truncated = notice == backends.OutputCut
	}
	for _, s := range []struct {
		name string
		from *collector
		to   *string
	}{{"stdout", stdout, &v.Stdout}, {"stderr", stderr, &v.Stderr}} {
		all, total := s.from.content()
		v.refused(a, all.text)
		if part { // what goes into the result is cut once they are folded
			*s.to = v.valid(s.name, all.text)
		} else {
			*s.to = v.text(ctx, env, s.name, all, budget(a))
		}
		record.Bytes += total
		record.Truncated = record.Truncated || all.lost > 0
	}
	result := tools.Result{Value: v, IsError: err != nil || !ended.OK(), Record: record}
	if part {
		result.Value = partValue{v, string(stdout.sum.Sum(nil)) + string(stderr.sum.Sum(nil))}
	}
	return result, nil
}

// notBegun is the result of a command that did not begin. On one target of several it is the
// usual thing that the target is not connected.
func (r *RunShell) notBegun(ctx context.Context, a tools.Action, err error) (tools.Result, error) {
	result, err := outcome(ctx, err)
	if problem, ok := result.Value.(tools.Problem); ok && a.PartOf != "" && r.Fleet != nil {
		if problem = r.Fleet.Explained(problem, a.Target); problem.Code == fleet.NotConnected {
			result = tools.Failure(problem.Code, problem.Error)
		}
	}
	return result, err
}

// late says that a command was ended because it took too long.
func late(a tools.Action) string {
	text := fmt.Sprintf("it did not end within %s and was ended", a.Wait.Round(time.Millisecond))
	if a.PartOf == "" {
		text += "; in a pane (without stdin and cwd) it could go on"
	}
	return text
}
