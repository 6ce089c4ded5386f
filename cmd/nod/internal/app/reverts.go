package app

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/tools"
)

// reverts carries out what reverts need on the open targets.
type reverts struct{ core *Core }

var _ gate.Reverts = reverts{}

// relogin is implemented by targets that can be logged in to anew.
type relogin interface {
	Reconnects(ctx context.Context) error
	// Ready waits for the target's own connection.
	Ready(ctx context.Context) error
}

// revertAfter is when a revert comes on a target; 0 where none is offered: only
// on a host over ssh can the operator lose his way in.
func (h *Core) revertAfter(target string) time.Duration {
	if !strings.HasPrefix(target, "ssh:") {
		return 0
	}
	return h.config.Policy.RevertAfter
}

// KeepRevert is how much output of a revert's script is kept, in bytes.
const KeepRevert = 64 << 10

// Carry implements [gate.Reverts].
func (r reverts) Carry(ctx context.Context, a tools.Action, grant tools.Grant) (string, tools.Record, error) {
	output, record, err := Execute(ctx, r.core, a, grant, KeepRevert)
	return output, record, err
}

// Execute runs an action beside the panes and returns the beginning of both its
// streams, as they came.
func Execute(ctx context.Context, h *Core, a tools.Action, grant tools.Grant, limit int) (string, tools.Record, error) {
	out := &head{limit: limit}
	begun := time.Now()
	process, err := h.Guard.Exec(ctx, a, grant, out, out)
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

// Reconnects implements [gate.Reverts].
func (r reverts) Reconnects(ctx context.Context, target string) error {
	s := r.core.Targets.Get(target)
	if s == nil {
		return fmt.Errorf("%s is not connected any more", target)
	}
	t, ok := s.Target.(relogin)
	if !ok {
		return fmt.Errorf("%s cannot be logged in to anew", target)
	}
	if err := t.Reconnects(ctx); err != nil {
		return err
	}
	return t.Ready(ctx)
}

// Lost implements [gate.Reverts].
func (r reverts) Lost(target string) bool {
	s := r.core.Targets.Get(target)
	if s == nil {
		return true
	}
	_, wrong := s.Link()
	return wrong != ""
}
