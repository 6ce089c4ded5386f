package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// errTimeout is the cause of the end of an execution that took too long.
var errTimeout = errors.New("the tool's time is up")

// PanicError is what a tool's panic becomes. It is wrapped in a *tools.Error.
type PanicError struct {
	Tool  string
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.Tool, e.Value) }

// safely runs f and turns a panic into an error.
func safely[T any](who string, f func() (T, error)) (value T, err error) {
	defer func() {
		if v := recover(); v != nil {
			var none T
			value, err = none, tools.Failed("%w", &PanicError{Tool: who, Value: v, Stack: debug.Stack()})
		}
	}()
	return f()
}

// result holds the value and the error of a function.
type result[T any] struct {
	value T
	err   error
}

// begin runs f, safely, on a goroutine of its own.
func begin[T any](who string, f func() (T, error)) <-chan result[T] {
	done := make(chan result[T], 1)
	go func() {
		value, err := safely(who, f)
		done <- result[T]{value, err}
	}()
	return done
}

// await waits for done. Once ctx has ended, it waits only a little longer: ok
// is false if there is nothing even then.
func await[T any](ctx context.Context, done <-chan T, patience time.Duration) (end T, ok bool) {
	select {
	case end := <-done:
		return end, true
	case <-ctx.Done():
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case end := <-done:
		return end, true
	case <-late.C:
		return end, false
	}
}

// abandonable runs f, which only looks and may be left alone: where it ignores the end
// of ctx, such as on a file system that does not answer, abandonable returns without it.
func abandonable[T any](ctx context.Context, who string, f func() (T, error)) (T, error) {
	end, ok := await(ctx, begin(who, f), leaveAfter)
	if !ok {
		return end.value, context.Cause(ctx)
	}
	return end.value, end.err
}

// ending is what an execution came to.
type ending = result[tools.Result]

// execute runs an allowed step and puts its end on record. ref is nil for what
// does not act.
func (g *Gate) execute(ctx context.Context, s Step, answer Answer, ref *ledger.Ref, sink agent.Sink) Answer {
	answer.Started = true
	a := s.Action
	sink(agent.CallStarted{
		Call: s.Call, Tool: a.Tool, Target: a.Target, Pane: a.Pane,
		Effect: answer.Decision.Verdict.Effect.String(), Action: a,
	})
	reports := agent.NewSequencer(sink)
	defer reports.Close()
	for _, note := range s.notes {
		reports.Send(agent.CallProgress{Call: s.Call, Progress: tools.Progress{Note: note, Step: true}})
	}
	env := g.environment(s, answer.Decision, reports)
	began := g.cfg.Now()
	limited, stop := g.limit(ctx, a)
	run := s.Execute
	if len(a.Parts) > 0 {
		run = g.each(s, answer.Decision)
	}
	done := begin(a.Tool, func() (tools.Result, error) {
		defer stop()
		return run(limited, a, env)
	})
	end, ok := await(limited, done, g.abandon)
	answer.Duration = g.cfg.Now().Sub(began)
	answer.Interrupted = ctx.Err() != nil
	stopped := ""
	switch {
	case answer.Interrupted:
		stopped = agent.InterruptedText
	case errors.Is(context.Cause(limited), errTimeout):
		stopped = errTimeout.Error()
	}
	if !ok {
		answer.pending = true
		g.detach(s, ref, done, stopped, began)
		answer.Result = tools.Failure("not_ended", stopped+"; it has not ended yet. How it ends will be reported")
		return answer
	}
	answer.Result = end.value
	if end.err != nil {
		answer.Err, answer.Result = asToolError(end.err), failure(end.err)
	}
	if running := answer.Result.Running; running != nil {
		answer.pending = true
		g.follow(s, ref, running, stopped)
		return answer
	}
	if ref != nil {
		c := conclusion(end, stopped, answer.Duration)
		if err := g.cfg.Ledger.Conclude(*ref, c); err != nil && answer.Err == nil {
			answer.Err = tools.Failed("the end of it could not be put on record yet: %w", err)
		}
		g.did(s, c)
	}
	return answer
}

// environment is what an execution gets from the gate. What it tells while it goes on
// becomes reports.
func (g *Gate) environment(s Step, d policy.Decision, reports *agent.Sequencer) tools.Env {
	env := tools.Env{
		Call: s.Call, Target: s.Action.Target, Grant: d.Grant, Now: g.cfg.Now, Outputs: s.Outputs,
		Conversation: s.Conversation,
		Progress:     func(p tools.Progress) { reports.Send(agent.CallProgress{Call: s.Call, Progress: p}) },
	}
	if g.cfg.Chunks {
		secrets := g.Secrets(s.Conversation)
		env.Chunk = func(stream tools.Stream, text string) {
			reports.Send(agent.CallProgress{Call: s.Call, Progress: tools.Progress{Chunk: tools.NewChunk(stream, secrets.Text(text))}})
		}
	}
	env.Effect = func(ctx context.Context, e tools.Effect) tools.Result { return g.effect(ctx, s, e, reports) }
	return env
}

// did tells of an action that has succeeded.
func (g *Gate) did(s Step, c ledger.Conclusion) {
	if g.cfg.Did != nil && len(s.Action.Parts) == 0 && c.ExitCode != nil && *c.ExitCode == 0 && s.companion == nil && !s.Preview {
		g.cfg.Did(s.Action)
	}
}

// limit bounds an execution in time: by the configured time-out, or by the
// action's own wait where that is longer.
func (g *Gate) limit(ctx context.Context, a tools.Action) (context.Context, context.CancelFunc) {
	if g.cfg.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	// A wait that has just ended leaves the tool the time to say so.
	wait := time.Duration(max(1, (len(a.Parts)+atOnce-1)/atOnce)) * (a.Wait + a.Until.Time)
	return context.WithTimeoutCause(ctx, max(g.cfg.Timeout, wait+10*time.Second), errTimeout)
}

// detach lets an execution that does not stop go on, and puts its end on record
// when it comes.
func (g *Gate) detach(s Step, ref *ledger.Ref, done <-chan ending, stopped string, began time.Time) {
	g.wg.Go(func() {
		select {
		case end := <-done:
			if running := end.value.Running; running != nil {
				g.outlive(s, ref, running, stopped)
				return
			}
			what := s.Action.Tool
			if s.Action.Command != "" {
				what = s.Action.Command
			}
			c := conclusion(end, stopped, g.cfg.Now().Sub(began))
			g.over(s, ref, c, what+": "+describe(c))
		case <-g.closing.Done():
		}
	})
}

// follow puts the end of a command that was only dispatched on record.
// stopped says why it was told to stop; empty if it was not.
func (g *Gate) follow(s Step, ref *ledger.Ref, running tools.Running, stopped string) {
	g.wg.Go(func() { g.outlive(s, ref, running, stopped) })
}

// outlive waits for the end of a command that goes on after its call.
func (g *Gate) outlive(s Step, ref *ledger.Ref, running tools.Running, stopped string) {
	select {
	case <-running.Done():
		r := running.Record()
		g.over(s, ref, conclusion(ending{value: tools.Result{Record: r}}, stopped, r.Duration), running.Describe())
	case <-g.closing.Done():
	}
}

// over records the end of something that outlived its call, and tells of it.
func (g *Gate) over(s Step, ref *ledger.Ref, c ledger.Conclusion, text string) {
	if s.ended != nil {
		close(s.ended)
	}
	if ref != nil {
		if err := g.cfg.Ledger.Conclude(*ref, c); err != nil {
			text += fmt.Sprintf(" (not on record yet: %v)", err)
		}
		g.did(s, c)
	}
	ended := agent.RunEnded{Call: s.Call, Text: text, Outcome: concludedAs(c), Duration: c.Duration}
	g.mu.Lock()
	to := s.Conversation
	if successor, ok := g.successors[to]; ok {
		to = successor
	}
	g.ended[to] = append(g.ended[to], ended)
	g.mu.Unlock()
	if g.cfg.Ended != nil {
		g.cfg.Ended(ended)
	}
	g.endedLate(s, ended)
}

// TakeEnded returns what has ended since it was last asked.
func (g *Gate) TakeEnded(conversation string) []agent.RunEnded {
	g.mu.Lock()
	defer g.mu.Unlock()
	ended := g.ended[conversation]
	delete(g.ended, conversation)
	return ended
}

// Share gives a conversation the secrets of another one, until Succeed.
func (g *Gate) Share(to, from string) { g.cfg.Secrets.Share(to, from) }

// Succeed lets a conversation hear of what goes on after the end of another one, and
// drops the ended one's secrets.
func (g *Gate) Succeed(successor, from string) {
	defer g.cfg.Secrets.Forget(from)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.successors[from] = successor
	if ended := g.ended[from]; len(ended) > 0 {
		g.ended[successor] = append(g.ended[successor], ended...)
		delete(g.ended, from)
	}
}

// asToolError is err as the *tools.Error that it should be.
func asToolError(err error) *tools.Error {
	var e *tools.Error
	if errors.As(err, &e) {
		return e
	}
	return tools.Failed("%w", err)
}

// failure tells the model of an infrastructure fault.
func failure(err error) tools.Result {
	e := asToolError(err)
	if fault := (*PanicError)(nil); errors.As(err, &fault) {
		return tools.Failure(string(e.Code), fault.Tool+" panicked, which is a fault of nod's: whether it did anything is not known. Look, use another tool, and tell the operator.")
	}
	return tools.Failure(string(e.Code), e.Message)
}
