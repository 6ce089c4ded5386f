package oneshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/tools/plugin/jsagent"
	"github.com/nod-console/nod/ui/screen"
)

// RunAgent has an agent work at a goal on this machine; see [Nod.Ask].
func (n *Nod) RunAgent(ctx context.Context, one jsagent.Agent, goal string) error {
	trace, tracer := n.agentTrace()
	opt := app.Options{Traced: tracer}
	return n.turn(ctx, "agent", local.Name, opt, &reporter{sys: n.System}, func(t *oneTurn) (agent.Ending, error) {
		if err := t.Plugins.Tried(ctx); err != nil { // they may have hooks
			return agent.Failed, err
		}
		t.ReadGuidance(ctx)
		if err := t.NoteAgent(one); err != nil {
			return agent.Failed, fmt.Errorf("not run, because it cannot be put on record: %w", err)
		}
		options, err := app.AgentOptions(n.Version, t.out.printed)
		if err != nil {
			return agent.Failed, err
		}
		options.Input = n.lines(t.questions, t.out)
		job := app.AgentJob{Agent: one, Goal: goal, Conversation: t.talk, Options: options, NoModel: t.model.IsGuide, Sink: t.out.take}
		if trace != nil {
			job.Sink, job.Ready = trace.over(t.out.take), func(r *jsagent.Run) { trace.ready(r, goal) }
		}
		return t.RunAgent(ctx, t.turns, t.store, job), nil
	})
}

// printed prints what an agent's code prints.
func (r *reporter) printed(stream, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to := r.sys.Out
	if stream == "eprint" {
		to = r.sys.Err
	}
	if _, err := io.WriteString(to, screen.CleanLines(text)); err != nil && r.failed == nil {
		r.failed = err
	}
}

// lines reads the lines that an agent's code asks for: from the terminal if there is one,
// and else from the standard input, as far as the goal has not taken it.
func (n *Nod) lines(tty *questions.Terminal, out *reporter) func(context.Context, string) (string, bool, error) {
	if tty != nil {
		return func(ctx context.Context, question string) (string, bool, error) {
			defer out.hold()()
			line, err := tty.Ask(ctx, screen.CleanLines(question), true)
			return line, err == nil, err
		}
	}
	input := bufio.NewReader(n.In)
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
