package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/plugin/jsagent"
	"github.com/nod-console/nod/ui/screen"
)

// agentModel is the model that answers an agent: the one of --model, of agent.yaml or of
// the configuration, in this order.
func (a *program) agentModel(one jsagent.Agent) (*config.Config, app.Model, error) {
	if a.flags.model == "" {
		a.flags.model = one.Model
	}
	c, err := a.config()
	if err != nil {
		return c, app.Model{}, err
	}
	m, err := app.OpenModel(c, a.Getenv)
	return c, m, err
}

func (a *program) runAgent(ctx context.Context, what, goal string) (err error) {
	one, err := a.findAgent(what)
	if err != nil {
		return err
	}
	c, b, err := a.agentModel(one)
	if err != nil {
		return err
	}
	defer b.Client.Close()
	state, barred, err := config.StateDirAnyway(a.Getenv)
	if err != nil {
		return err
	}
	store, kept, err := app.OpenHistory(ctx, a.Getenv, state, barred)
	if err != nil {
		return err
	}
	defer func() {
		lost, closeErr := kept.Close(context.WithoutCancel(ctx), store)
		if lost != nil {
			a.warn(lost.Error()) // the work was done
		}
		err = errors.Join(err, closeErr)
	}()
	var h *app.Core
	out := &reporter{app: a}
	approver, closeTTY := approveOnTTY(&a.System, &h, out.hold)
	defer closeTTY()
	questions := questions.OnTerminal(&a.System)
	defer questions.Close()
	armed := newArmed(a.warn)
	trace, tracer := a.agentTrace()
	h, err = app.Open(c, a.Getenv, app.Options{
		Options:  targets.Options{Ask: questions.Asker(), Warn: a.warn},
		Approver: approver, Allow: questions.Allower(), Choose: questions.Chooser(), Reverting: armed.take, Spare: kept.Dir,
		Version: version, Traced: tracer,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	open, err := h.Targets.Open(ctx, local.Name)
	if err != nil {
		return err
	}
	talk, err := store.Create(ctx, open.Name(), b.ShownName())
	if err != nil {
		return err
	}
	turns, err := h.OpenAgent(b, store)
	if err != nil {
		return err
	}
	if err := h.Plugins.Tried(ctx); err != nil { // they may have hooks
		return err
	}
	h.ReadGuidance(ctx)
	if err := h.NoteAgent(one); err != nil {
		return fmt.Errorf("not run, because it cannot be put on record: %w", err)
	}
	options, err := app.AgentOptions(version, out.printed)
	if err != nil {
		return err
	}
	options.Input = a.lines(questions, out)
	job := app.AgentJob{Agent: one, Goal: goal, Conversation: talk.ID, Options: options, NoModel: b.IsGuide, Sink: out.take}
	if trace != nil {
		job.Sink, job.Ready = trace.over(out.take), func(r *jsagent.Run) { trace.ready(r, goal) }
	}
	ending := h.RunAgent(ctx, turns, store, job)
	armed.settle(ctx)
	if err := store.End(context.WithoutCancel(ctx), talk.ID); err != nil {
		return err
	}
	if out.failed != nil {
		return out.failed
	}
	if status := endingStatus(ctx, ending); status != 0 {
		return process.ExitStatus(status)
	}
	return nil
}

// printed prints what an agent's code prints.
func (r *reporter) printed(stream, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to := r.app.Out
	if stream == "eprint" {
		to = r.app.Err
	}
	if _, err := io.WriteString(to, screen.CleanLines(text)); err != nil && r.failed == nil {
		r.failed = err
	}
}

// lines reads the lines that an agent's code asks for: from the terminal if there is one,
// and else from the standard input, as far as the goal has not taken it.
func (a *program) lines(tty *questions.Terminal, out *reporter) func(context.Context, string) (string, bool, error) {
	if tty != nil {
		return func(ctx context.Context, question string) (string, bool, error) {
			defer out.hold()()
			line, err := tty.Ask(ctx, screen.CleanLines(question), true)
			return line, err == nil, err
		}
	}
	input := bufio.NewReader(a.In)
	return func(_ context.Context, question string) (string, bool, error) {
		out.printed("eprint", question)
		line, err := input.ReadString('\n')
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		if errors.Is(err, io.EOF) {
			return "", false, nil
		}
		return strings.TrimRight(line, "\r\n"), err == nil, err
	}
}
