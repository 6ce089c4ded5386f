package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/pane"
)

// settleWait is how long Look waits for a prompt that is coming up, and Type for
// what it typed to show: between the end of a command and the end of the prompt
// behind it the shell is at neither, and between a key and its echo the line is
// not what it seems.
const settleWait = 300 * time.Millisecond

// Keep makes a keeper's panes available to a guard. Its shared pane is made
// when it is first asked for.
func Keep(k *pane.Keeper) Panes { return kept{k} }

type kept struct{ keeper *pane.Keeper }

// Find implements [Panes].
func (k kept) Find(ctx context.Context, session, name string) (Pane, error) {
	label, err := k.Label(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPane, err)
	}
	if strings.HasPrefix(name, "%") {
		for _, p := range k.keeper.List() {
			if p.ID() == name && (session == "" || p.Session() == label) {
				return keptPane{p}, nil
			}
		}
		return nil, fmt.Errorf("%w: %s", ErrNoPane, name)
	}
	if name != "" {
		if name, err = Name(name); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoPane, err)
		}
	}
	if label == pane.DefaultSession && (name == "" || name == pane.SharedPane) {
		p, err := k.keeper.Shared(ctx)
		if err != nil {
			return nil, err
		}
		return keptPane{p}, nil
	}
	p, err := k.keeper.Get(label, name)
	if errors.Is(err, pane.ErrNotFound) {
		return nil, fmt.Errorf("%w: %w", ErrNoPane, err)
	}
	if err != nil {
		return nil, err
	}
	return keptPane{p}, nil
}

type keptPane struct{ *pane.Pane }

// Look implements [Pane].
func (p keptPane) Look(ctx context.Context) (State, error) {
	p.settle(ctx)
	if ctx.Err() != nil {
		return State{}, context.Cause(ctx)
	}
	s := State{
		ID: p.ID(), Shell: dialect(p.Shell()), Generation: p.Generation(), Inside: p.Inside(), AtPrompt: p.AtPrompt(),
		Unready: p.Unready() != nil,
	}
	if s.AtPrompt {
		s.Pending = p.PendingLine()
	}
	if s.AtPrompt && len(s.Inside) == 0 { // nobody knows the folder of a shell that may be on another machine
		dir, err := p.Dir(ctx)
		if err != nil {
			return State{}, err
		}
		s.Dir = dir
	}
	if r := p.Busy(); r != nil {
		s.Busy, s.Since = r.Command, r.Started
	}
	return s, nil
}

// settle waits for the prompt of a shell that is not known to do anything, nor to be none
// that can be used.
func (p keptPane) settle(ctx context.Context) {
	p.until(ctx, func() bool { return p.AtPrompt() || p.Busy() != nil || p.Unready() != nil })
}

// until waits for something to hold, no longer than settleWait.
func (p keptPane) until(ctx context.Context, ok func() bool) {
	changed, cancel := p.Subscribe()
	defer cancel()
	limit := time.After(settleWait)
	for !ok() {
		select {
		case <-changed:
		case <-limit:
			return
		case <-ctx.Done():
			return
		}
	}
}

// dialect is the language that a family of shells reads.
func dialect(s pane.Shell) string {
	switch {
	case s.Plain():
		return "sh"
	case s == pane.Zsh:
		return "zsh"
	case s == pane.Fish:
		return "fish"
	}
	return "bash"
}

// Run implements [Pane].
func (p keptPane) Run(ctx context.Context, r pane.Request) (Run, error) {
	run, err := p.Pane.Run(ctx, r)
	if err != nil {
		return nil, err
	}
	return keptRun{run, p.Pane}, nil
}

// Type implements [Pane]. At a prompt it returns when what was typed shows, so
// that who looks next does not take the line to be what it was.
func (p keptPane) Type(ctx context.Context, literal string, keys []string) error {
	prompt, before := p.AtPrompt(), p.PendingLine()
	if err := p.typeAll(ctx, literal, keys); err != nil || !prompt {
		return err
	}
	entered := strings.HasSuffix(literal, "\n") || slices.Contains(keys, "Enter")
	p.until(ctx, func() bool {
		line := p.PendingLine()
		return !p.AtPrompt() || !entered && line != before && strings.Contains(line, strings.TrimSpace(literal))
	})
	return nil
}

func (p keptPane) typeAll(ctx context.Context, literal string, keys []string) error {
	if literal != "" {
		if err := p.Pane.Type(ctx, []byte(literal)); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return p.Keys(ctx, keys)
}

// Capture implements [Pane].
func (p keptPane) Capture(ctx context.Context, v View) (pane.Capture, error) {
	return p.Pane.Capture(ctx, pane.CaptureOptions{
		Start:              v.Start,
		End:                v.End,
		JoinWrapped:        v.JoinWrapped,
		TrailingSpaces:     v.TrailingSpaces,
		Escapes:            v.Escapes,
		EscapeNonPrintable: v.EscapeControls,
		Alternate:          v.Alternate,
	})
}

type keptRun struct {
	*pane.Run
	pane *pane.Pane
}

// Asks implements [Run].
func (r keptRun) Asks(ctx context.Context, look bool) (pane.Asking, time.Duration) {
	return r.pane.Asks(ctx, r.Run, look)
}

// Interrupt implements [Run]. What runs after it is not interrupted.
func (r keptRun) Interrupt(ctx context.Context) error {
	if r.pane.Busy() != r.Run {
		return nil
	}
	return r.pane.Interrupt(ctx)
}
