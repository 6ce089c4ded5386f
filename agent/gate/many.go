package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
)

// atOnce bounds on how many targets one action runs at the same time.
const atOnce = 64

// bound reports how an action on several targets is not the one that was granted: for these
// targets, each with its user, its folder and its wall, and for no others. It is nil for what
// has no parts, which the guard checks.
func bound(s Step, d policy.Decision) error {
	a := s.Action
	if len(a.Parts) == 0 {
		return nil
	}
	if err := a.Same(); err != nil {
		return err
	}
	if s.Fold == nil {
		return fmt.Errorf("%s is for one target", a.Tool)
	}
	set := a.Digest()
	if d.Grant.Digest() != set || len(d.Grants) != len(a.Parts) {
		return tools.ErrNotGranted
	}
	for i, part := range a.Parts {
		if part.PartOf != set.String() || d.Grants[i].Digest() != part.Digest() {
			return tools.ErrNotGranted
		}
	}
	return nil
}

// each executes the parts of a step's action, several at once, and folds what came of them.
// Each is on record before it begins, and its end is, too.
func (g *Gate) each(s Step, d policy.Decision) func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
	return func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
		parts := make([]tools.Part, len(a.Parts))
		turns := make(chan struct{}, atOnce)
		var running sync.WaitGroup
		var ended atomic.Int64
		for i := range a.Parts {
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
				parts[i] = unbegun(ctx, a.Parts[i])
				continue
			}
			running.Go(func() {
				defer func() { <-turns }()
				parts[i] = g.part(ctx, s, d, i, env)
				env.Report(tools.Progress{Note: fmt.Sprintf("%d of %d targets", ended.Add(1), len(parts))})
			})
		}
		running.Wait()
		r := s.Fold(ctx, a, parts, env)
		r.Record = together(parts, r.Record)
		return r, nil
	}
}

// unbegun is the end of a part for which there was no time any more.
func unbegun(ctx context.Context, a tools.Action) tools.Part {
	return tools.Part{Action: a, Result: tools.Failure("interrupted", "not begun: "+stoppedBy(ctx))}
}

// stoppedBy says why a context has ended; empty if it has not.
func stoppedBy(ctx context.Context) string {
	switch {
	case ctx.Err() == nil:
		return ""
	case errors.Is(context.Cause(ctx), errTimeout):
		return errTimeout.Error()
	}
	return agent.InterruptedText
}

// part executes one part of a step's action.
func (g *Gate) part(ctx context.Context, s Step, d policy.Decision, i int, env tools.Env) tools.Part {
	a := s.Action.Parts[i]
	if ctx.Err() != nil {
		return unbegun(ctx, a)
	}
	s.Action = a
	p := tools.Part{Action: a}
	var ref *ledger.Ref
	if a.Kind.Acts() && s.unrecorded == nil {
		r, err := g.cfg.Ledger.Intend(ctx, g.intent(s, d))
		if err != nil {
			p.Result = failure(tools.Denied("not run, because it cannot be put on record: %w", err))
			return p
		}
		ref = &r
	}
	p.Begun = true
	began := g.cfg.Now()
	env = tools.Env{Call: env.Call, Target: a.Target, Grant: d.Grants[i], Now: env.Now, Conversation: env.Conversation}
	end := <-begin(a.Tool, func() (tools.Result, error) { return s.Execute(ctx, a, env) })
	if p.Result = end.value; end.err != nil {
		p.Result = failure(end.err)
	}
	if ref != nil {
		c := conclusion(end, stoppedBy(ctx), g.cfg.Now().Sub(began))
		// What cannot be written now is kept, and the ledger says so by not being healthy.
		_ = g.cfg.Ledger.Conclude(*ref, c)
		g.did(s, c)
	}
	return p
}

// together is the record of an action from those of its parts: the highest exit status if
// all have one, else what is wrong, and where.
func together(parts []tools.Part, r tools.Record) tools.Record {
	highest, failed, unsure := 0, []string{}, []string{}
	for _, p := range parts {
		one := p.Result.Record
		r.Bytes += one.Bytes
		r.Truncated = r.Truncated || one.Truncated
		r.TimedOut = r.TimedOut || one.TimedOut
		switch {
		case !p.Begun, one.Failed != "":
			failed = append(failed, p.Action.Target)
		case one.Outcome.State == backends.Exited:
			highest = max(highest, one.Outcome.Code)
		default:
			unsure = append(unsure, p.Action.Target)
		}
	}
	if len(failed) > 0 {
		r.Failed = fmt.Sprintf("%d of %d failed: %s", len(failed), len(parts), nodeset.Fold(failed))
	}
	if len(unsure) > 0 {
		r.Unsure = fmt.Sprintf("%d of %d did not end by themselves: %s", len(unsure), len(parts), nodeset.Fold(unsure))
	}
	if len(failed)+len(unsure) == 0 {
		r.Outcome = backends.ExitedWith(highest)
	}
	return r
}
