package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends/pane/shells"
)

// unhook takes nod's marks out of the shell, which must stand at its prompt,
// with nothing on its line. path is what the terminal's path was before.
func (p *Pane) unhook(ctx context.Context, path string) error {
	if err := p.lookAgain(ctx); err == nil && p.Shell() == NoShell {
		return nil // the shell has ended, and its marks with it
	}
	if _, err := p.shortly(ctx, promptWait, func() bool { return p.phase == atPrompt && p.prompt.known }); err != nil {
		return err
	}
	p.mu.Lock()
	shell, n, ready := p.shell, p.nonce, p.phase == atPrompt && p.run == nil
	p.mu.Unlock()
	if !ready {
		return fmt.Errorf("%w (%s): a command runs in it", ErrMarksStay, p.ID())
	}
	length := shells.FetchedLength(shell)
	farewell := eraser(p.Screen(), length, p.showing(ctx, shell)) + `\033]7;` + shells.PrintfFormat(path) + `\007\033]133;D;0;h=` + string(n) + `\007`
	r, err := p.Run(ctx, Request{Command: shells.Unhook(shell, n, farewell)})
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrMarksStay, p.ID(), err)
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		return fmt.Errorf("%w (%s): %w", ErrMarksStay, p.ID(), overdue(ctx))
	}
	if res := r.Result(); !res.Outcome.OK() {
		return fmt.Errorf("%w (%s): %w", ErrMarksStay, p.ID(), errors.New(strings.Join(append(res.Notices, res.Outcome.String(), res.Text), "; ")))
	}
	return nil
}

// showing is what the terminal shows of a line that is typed for the shell at its prompt.
func (p *Pane) showing(ctx context.Context, shell Shell) showing {
	name := map[Shell]string{Posix: "dash", shells.Ash: "ash", shells.Ksh: "ksh", shells.Mksh: "mksh"}[shell]
	if name == "" {
		return showsAll
	}
	p.mu.Lock()
	pid, home := p.seen.pid, p.home
	p.mu.Unlock()
	at := shellSight{}
	if f, err := p.wire.front(ctx, pid, home); err == nil && f.pid == home {
		at.raw, at.mute = f.raw, f.mute
	}
	return at.shows(name)
}
