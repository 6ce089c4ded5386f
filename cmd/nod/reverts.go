package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
)

// reverts carries out what reverts need on the house's targets.
type reverts struct{ house *house }

var _ agent.Reverts = reverts{}

// relogin is implemented by targets that can be logged in to anew.
type relogin interface {
	Reconnects(ctx context.Context) error
	// Ready waits for the target's own connection.
	Ready(ctx context.Context) error
}

// revertAfter is when a revert comes on a target; 0 where none is offered: only
// on a host over ssh can the operator lose his way in.
func (h *house) revertAfter(target string) time.Duration {
	if !strings.HasPrefix(target, "ssh:") {
		return 0
	}
	return h.config.Policy.RevertAfter
}

// keepRevert is how much output of a revert's script is kept, in bytes.
const keepRevert = 64 << 10

// Carry implements [agent.Reverts].
func (r reverts) Carry(ctx context.Context, a tools.Action, grant tools.Grant) (string, tools.Record, error) {
	output, record, err := execute(ctx, r.house, a, grant, keepRevert)
	return output, record, err
}

// execute runs an action beside the panes and returns the beginning of both its
// streams, as they came.
func execute(ctx context.Context, h *house, a tools.Action, grant tools.Grant, limit int) (string, tools.Record, error) {
	out := &head{limit: limit}
	begun := time.Now()
	process, err := h.guard.Exec(ctx, a, grant, out, out)
	if err != nil {
		return "", tools.Record{}, tools.Failed("%w", err)
	}
	outcome, err := process.Wait()
	record := tools.Record{Outcome: outcome, Bytes: out.total, Truncated: out.total > int64(out.kept.Len()), Duration: time.Since(begun)}
	if err != nil {
		record.Failed = err.Error()
	}
	return out.kept.String(), record, nil
}

// head keeps the beginning of what is written to it. It belongs to one goroutine
// at a time.
type head struct {
	limit int
	kept  bytes.Buffer
	total int64
}

func (h *head) Write(p []byte) (int, error) {
	h.total += int64(len(p))
	h.kept.Write(p[:min(len(p), h.limit-h.kept.Len())])
	return len(p), nil
}

// site is an open target, or nil.
func (r reverts) site(target string) *site {
	open, _ := r.house.sites.list()
	for _, s := range open {
		if s.name() == target {
			return s
		}
	}
	return nil
}

// Reconnects implements [agent.Reverts].
func (r reverts) Reconnects(ctx context.Context, target string) error {
	s := r.site(target)
	if s == nil {
		return fmt.Errorf("%s is not connected any more", target)
	}
	t, ok := s.target.(relogin)
	if !ok {
		return fmt.Errorf("%s cannot be logged in to anew", target)
	}
	if err := t.Reconnects(ctx); err != nil {
		return err
	}
	return t.Ready(ctx)
}

// Lost implements [agent.Reverts].
func (r reverts) Lost(target string) bool {
	s := r.site(target)
	if s == nil {
		return true
	}
	_, wrong := s.link()
	return wrong != ""
}

// armed are the reverts of an invocation that ends with its command. Nobody but nod
// takes a revert back, so it waits for each.
type armed struct {
	say  func(string)
	news chan struct{} // holds one after a change

	mu      sync.Mutex
	pending map[string]bool
}

func newArmed(say func(string)) *armed {
	return &armed{say: say, news: make(chan struct{}, 1), pending: map[string]bool{}}
}

// take is told how a revert stands.
func (a *armed) take(r agent.Reverting) {
	a.say(printable(r.Text))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending[r.ID] = !r.Over
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// settle waits until each revert has come or was taken back, or ctx ends.
func (a *armed) settle(ctx context.Context) {
	for told := false; a.waits(); told = true {
		if !told {
			a.say("waiting until a new login works, or the revert has come; ^C leaves it armed")
		}
		select {
		case <-a.news:
		case <-ctx.Done():
			return
		}
	}
}

func (a *armed) waits() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, open := range a.pending {
		if open {
			return true
		}
	}
	return false
}
