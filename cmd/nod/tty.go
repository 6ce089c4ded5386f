package main

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/nod-console/nod/agent/policy"
)

// askOnTerminal is an approver that asks on the controlling terminal, or nil
// where there is none: then whatever asks is denied. It looks around with the
// house that there is once something asks. closeTTY lets go of it.
func (a *app) askOnTerminal(h **house, alone func() (over func())) (approver policy.Approver, closeTTY func()) {
	none := func() {}
	if a.inFile == nil || !term.IsTerminal(int(a.inFile.Fd())) {
		return nil, none
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, none
	}
	terminal := policy.NewTerminal(io.ReadWriter(tty))
	if alone != nil {
		terminal.OnQuestion(alone)
	}
	terminal.OnPreview(canLook, func(ctx context.Context, r policy.Request) []policy.Look { return (*h).lookAround(ctx, r) })
	return terminal, func() { _ = tty.Close() }
}
