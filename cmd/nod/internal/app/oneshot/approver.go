package oneshot

import (
	"context"
	"io"
	"os"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// approveOnTTY is an approver that asks on the controlling terminal, or nil
// where there is none: then whatever asks is denied. It looks around with the
// Core that there is once something asks. closeTTY lets go of it.
func approveOnTTY(s *process.System, h **app.Core, alone func() (over func())) (approver policy.Approver, closeTTY func()) {
	none := func() {}
	if !s.OnInput() {
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
	terminal.OnPreview(app.CanLook, func(ctx context.Context, r policy.Request) []policy.Look { return (*h).LookAround(ctx, r) })
	terminal.OnTrial(func(r policy.Request) bool { return (*h).CanTry(r) }, func(ctx context.Context, r policy.Request) []policy.Look { return (*h).Try(ctx, r) })
	return terminal, func() { _ = tty.Close() }
}
