package pane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends"
)

// rising says when a fresh shell comes up by itself where one has ended.
type rising struct {
	born     time.Time        // when the present shell was started, if it is a fresh one
	quickly  int              // how many in a row have ended soon after their start
	due      time.Time        // when the next one may come
	never    bool             // none comes by itself: the terminal gives none
	last     backends.Outcome // of the shell that has ended
	announce bool             // the next run is to be told
	heard    bool             // whether an earlier process has left word of that is known
	before   string           // how the one before ended, in the words of an earlier process
}

const (
	// shortLife is how long a shell lives at most to be one that ends at once.
	shortLife = 2 * time.Second
	// riseFirst and riseMost are the pauses before a fresh shell where the
	// one before ended at once: start-up files that end the shell would keep
	// the target busy.
	riseFirst = 500 * time.Millisecond
	riseMost  = 30 * time.Second
)

// fell notes that the shell has ended.
func (r *rising) fell(outcome backends.Outcome, now time.Time) {
	r.last, r.announce = outcome, true
	if r.born.IsZero() || now.Sub(r.born) > shortLife {
		r.quickly, r.due = 0, now
		return
	}
	r.due = now.Add(min(riseFirst<<min(r.quickly, 10), riseMost))
	r.quickly++
}

// rise brings up a fresh shell where one has ended, so that the operator finds
// one and the next command need not wait for it. It reports when to call it
// again, 0 if there is no need to.
func (p *Pane) rise(ctx context.Context) (again time.Duration) {
	p.mu.Lock()
	dead := p.gone == nil && p.seen.dead && !p.rising.never
	wait, l := time.Until(p.rising.due), p.level
	p.mu.Unlock()
	switch {
	case !dead:
		return 0
	case wait > 0:
		return wait
	}
	select {
	case <-l.turn:
	default:
		return quiet // somebody is about to run a command and sees to it
	}
	defer func() { l.turn <- struct{}{} }()
	notices, err := p.ready(ctx)
	var slow *NotReadyError
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keepFor(notices)
	p.rising.never = err != nil && !errors.As(err, &slow) && !errors.Is(err, errLinkLost)
	return quiet
}

var errShortLived = errors.New("its shell ends as soon as it is started; look at its start-up files")

// stillbirth is why a pane is not ready whose fresh shell has ended, too.
func (p *Pane) stillbirth() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); !p.rising.due.After(now) {
		p.rising.fell(p.seen.outcome, now)
	}
	return &NotReadyError{Pane: p.ID(), Program: p.seen.program(), Wrapped: errShortLived}
}

// revive starts a fresh shell in a pane whose shell has ended.
func (p *Pane) revive(ctx context.Context) error {
	if err := p.wire.renew(ctx); err != nil {
		return fmt.Errorf("pane %s: start a fresh shell: %w", p.ID(), err)
	}
	p.mu.Lock()
	p.forget()
	p.seen = sight{}
	p.seeded = false
	p.rising.born, p.rising.never = time.Now(), false
	p.mu.Unlock()
	p.wire.reseed(true)
	return nil
}

// takeLeftWord takes the word that an earlier process has left of a fresh shell. p.mu is
// held.
func (p *Pane) takeLeftWord(seen sight) {
	if !p.rising.heard && seen.fresh != "" && !seen.dead && !p.rising.announce {
		p.rising.announce, p.rising.before = true, seen.fresh
	}
	p.rising.heard = true
}

// afresh is what a run in a fresh shell tells, once. p.mu is held.
func (p *Pane) afresh() string {
	if !p.rising.announce {
		return ""
	}
	p.rising.announce = false
	if w, ok := p.wire.(interface{ told() }); ok {
		w.told()
	}
	how := ""
	if last := cmp.Or(p.rising.before, p.rising.last.String()); last != (backends.Outcome{}).String() {
		how = fmt.Sprintf(" (%s)", last)
	}
	p.rising.before = ""
	return "the shell in this pane had ended" + how + ": this is a fresh one, without its directory, variables and jobs"
}
