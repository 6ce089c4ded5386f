package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/nod-console/nod/agent/policy"
)

// askOnTerminal is an approver that asks on the controlling terminal, or nil
// where there is none: then whatever asks is denied. close lets go of it.
func (a *app) askOnTerminal() (approver policy.Approver, closeTTY func()) {
	none := func() {}
	if a.inFile == nil || !term.IsTerminal(int(a.inFile.Fd())) {
		return nil, none
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, none
	}
	return policy.NewTerminal(io.ReadWriter(tty)), func() { _ = tty.Close() }
}
