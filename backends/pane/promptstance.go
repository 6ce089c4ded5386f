package pane

import (
	"context"
	"time"

	"github.com/nod-console/nod/backends/pane/shells"
)

// stance is how a shell stands at its prompt.
type stance struct {
	asOf  time.Time // the latest output from before it was looked at
	raw   bool      // see rawAtPrompt
	rests bool
}

// stillReady is ready where somebody enters lines meanwhile: it looks again, but not for
// ever.
func (p *Pane) stillReady(ctx context.Context) (notices []string, s stance, err error) {
	for try := 1; ; try++ {
		told, err := p.ready(ctx)
		notices = append(notices, told...)
		if err != nil {
			return notices, s, err
		}
		p.mu.Lock()
		s.asOf = p.lastly
		p.mu.Unlock()
		if s.raw, s.rests, err = p.rawAtPrompt(ctx); err != nil {
			return notices, s, err
		}
		p.mu.Lock()
		away := p.phase != atPrompt
		doubtful := p.shell.Plain() && (!s.rests || p.lastly != s.asOf)
		p.strayed = p.strayed || doubtful && !away
		p.mu.Unlock()
		if try == strayedLooks || !away && !doubtful {
			return notices, s, nil
		}
	}
}

// editPause is between two questions whether ksh93 edits its line by now.
const editPause = 5 * time.Millisecond

// rawAtPrompt reports whether the terminal gives keys one by one to a shell that edits
// no lines: a command has left it so. ksh93 edits lines, but not until a moment after its
// prompt has come up; what is typed before that would be shown twice. Only the target's
// kernel tells. rests is false where it says that the shell, which is one of these, does not
// wait for a line: it has another one to read, or to run.
func (p *Pane) rawAtPrompt(ctx context.Context) (raw, rests bool, err error) {
	p.mu.Lock()
	shell, ask, pid, home := p.shell, len(p.outer) == 0 && p.home != 0, p.seen.pid, p.home
	p.mu.Unlock()
	if !ask || shell != Posix && shell != shells.Ksh {
		return false, true, nil
	}
	for begun := time.Now(); ; {
		f, err := p.wire.front(ctx, pid, home)
		if err != nil {
			return false, false, err
		}
		raw := f.pid == home && f.raw
		if raw || shell == Posix || f.pid == 0 || time.Since(begun) > promptWait {
			return raw, f.pid == 0 || f.pid == home && f.rests, nil
		}
		if err := sleep(ctx, editPause); err != nil {
			return false, false, err
		}
	}
}

// sleep waits for a while, or until ctx has ended, which is the error.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
