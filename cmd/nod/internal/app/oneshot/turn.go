package oneshot

import (
	"context"
	"errors"
	"fmt"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// oneTurn is work of a model without the console: in a conversation of its own, with
// questions on the terminal.
type oneTurn struct {
	*app.Core
	model     app.Model
	store     *history.Store
	talk      string // the conversation
	turns     *turn.Agent
	questions *questions.Terminal
	out       *reporter
}

// turn opens what a turn needs on a target, has it worked at, and turns its ending into
// an exit status. What opt leaves open is filled in; out takes the events, and says what
// could not be printed. as is the command's name.
func (n *Nod) turn(ctx context.Context, as string, target string, opt app.Options, out *reporter,
	work func(*oneTurn) (agent.Ending, error),
) (err error) {
	b, err := app.OpenModel(n.Config, n.Getenv)
	if err != nil {
		return err
	}
	defer b.Client.Close()
	state, barred, err := config.StateDirAnyway(n.Getenv)
	if err != nil {
		return err
	}
	store, kept, err := app.OpenHistory(ctx, n.Getenv, state, barred)
	if err != nil {
		return err
	}
	defer func() {
		lost, closeErr := kept.Close(context.WithoutCancel(ctx), store)
		if lost != nil {
			n.Warn(lost.Error()) // the work was done
		}
		err = errors.Join(err, closeErr)
	}()
	var h *app.Core
	approver, closeTTY := approveOnTTY(n.System, &h, out.hold)
	defer closeTTY()
	onTTY := questions.OnTerminal(n.System)
	defer onTTY.Close()
	armed := newArmed(n.Warn)
	opt.Ask, opt.Warn = onTTY.Asker(), n.Warn
	opt.Approver, opt.Allow, opt.Choose = approver, onTTY.Allower(), onTTY.Chooser()
	opt.Reverting, opt.Spare, opt.Version = armed.take, kept.Dir, n.Version
	if h, err = app.Open(n.Config, n.Getenv, opt); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	open, err := h.Targets.Open(ctx, target)
	if err != nil {
		return fmt.Errorf("%s: %w", as, err)
	}
	talk, err := store.Create(ctx, open.Name(), b.ShownName())
	if err != nil {
		return err
	}
	turns, err := h.OpenAgent(b, store)
	if err != nil {
		return err
	}
	ending, err := work(&oneTurn{Core: h, model: b, store: store, talk: talk.ID, turns: turns, questions: onTTY, out: out})
	if err != nil {
		return err
	}
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

func endingStatus(ctx context.Context, e agent.Ending) int {
	switch e {
	case agent.Answered:
		return 0
	case agent.Denied:
		return process.StatusDenied
	case agent.Interrupted:
		return process.InterruptedStatus(ctx)
	}
	return process.StatusFailed
}
