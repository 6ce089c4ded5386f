package oneshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Nod is the invocation that a command or a turn is part of.
type Nod struct {
	*process.System
	Config  *config.Config
	Socket  string // of the tmux server with the operator's own panes
	Version string
}

// Command is one command and how it is to run.
type Command struct {
	Line       string        // of shell
	Targets    []string      // where; this machine if there are none
	Pane       string        // empty: none; OwnPane; %3: one that is there; or the name of one that is kept
	JSON       bool          // one object a target on standard output
	Progress   bool          // and before that, one for each piece of output
	Raw        bool          // in a pane: the bytes that its terminal got
	Held       bool          // where the kernel lets it change nothing
	Timeout    time.Duration // 0: none
	ApproveAll bool
}

// OwnPane is the pane that is gone with the command.
const OwnPane = "-"

// targets are where it runs.
func (f Command) targets() []string {
	if len(f.Targets) == 0 {
		return []string{local.Name}
	}
	return f.Targets
}

// CheckPane makes the name of a pane that is kept canonical.
func (f *Command) CheckPane() (err error) {
	if f.Pane != "" && f.Pane != OwnPane && existingOnly(f.Pane) == "" {
		f.Pane, err = pane.PaneName(f.Pane)
	}
	return err
}

// Refuse is the end of a command that did not come as far as to a target: with JSON, each
// target has an object nevertheless. It returns err.
func (f Command) Refuse(w io.Writer, err error) error {
	if !f.JSON || err == nil {
		return err
	}
	out := json.NewEncoder(w)
	for _, target := range f.targets() {
		if printErr := out.Encode(Report{Target: target, Outcome: OutcomeRefused, Error: err.Error()}); printErr != nil {
			return errors.Join(err, printErr)
		}
	}
	return err
}

// Run runs a command on each of its targets at once. Unless all end with 0, the error is an
// exit status: the first in the order of the targets.
func (n *Nod) Run(ctx context.Context, f Command) error {
	there, err := targets.FindOwnPane(n.Config, n.Getenv, n.Socket, existingOnly(f.Pane))
	if err != nil {
		return f.Refuse(n.Out, fmt.Errorf("run: %w", err))
	}
	var h *app.Core
	approver, closeTTY := approveOnTTY(n.System, &h, nil)
	defer closeTTY()
	questions := questions.OnTerminal(n.System)
	defer questions.Close()
	armed := newArmed(n.Warn)
	p := app.Options{
		Options:  targets.Options{Ask: questions.Asker(), Warn: n.Warn, Panes: f.Pane != "", Existing: there, Agent: "run"},
		Approver: approver, ApproveAll: f.ApproveAll, Reverting: armed.take, Unbounded: true,
	}
	if p.Panes && f.Pane != OwnPane && there == nil {
		// Sessions of their own, which a run in a pane of its own does not end.
		p.Keep, p.Agent = true, "kept"
	}
	if h, err = app.Open(n.Config, n.Getenv, p); err != nil {
		return f.Refuse(n.Out, err)
	}
	statuses := n.runOn(ctx, h, f)
	armed.settle(ctx)
	if err := h.Close(); err != nil {
		n.Complain("run: %v", err)
	}
	for _, status := range statuses {
		if status != 0 {
			return process.ExitStatus(status)
		}
	}
	return nil
}

// runOn runs the command on each target at once and returns the exit statuses,
// in the order of the targets.
func (n *Nod) runOn(ctx context.Context, h *app.Core, f Command) []int {
	names := f.targets()
	out := &printer{sys: n.System, several: len(names) > 1}
	statuses := make([]int, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		running.Go(func() {
			r := runner{out: out.on(name), core: h, asked: f}
			statuses[i] = r.on(ctx, name, f.Line)
		})
	}
	running.Wait()
	return statuses
}

// existingOnly is the value of --pane if it names a pane that is there.
func existingOnly(pane string) string {
	if strings.HasPrefix(pane, "%") {
		return pane
	}
	return ""
}
