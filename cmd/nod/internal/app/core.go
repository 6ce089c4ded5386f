package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/trace"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/agent/undo"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/app/runs"
	"github.com/nod-console/nod/cmd/nod/internal/app/servers"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/tools/plugin/hook"
	"github.com/nod-console/nod/tools/plugin/mcp"
)

// Core is nod put together for one invocation: targets behind the guard, the
// policy with the only mint, the ledger, and the gate that joins them.
type Core struct {
	config *config.Config
	State  string
	spare  string // where conversations are meanwhile; see SpareHistory

	Guard     *guard.Guard
	Targets   *targets.Targets
	FilesRead *files.Seen
	Tools     *tools.Registry
	fleet     *fleet.Fleet

	Undo     *undo.Journal
	warn     func(string)
	Ledger   *ledger.Ledger
	recorder *record.Recorder
	Runs     *runs.Log // what ran in the conversations
	Policy   *policy.Engine
	secrets  *redact.Keeper
	Gate     *gate.Gate
	Servers  *mcp.Set
	Hooks    *hook.Set
	Plugins  *plugin.Set
	trace    *trace.Writer // nil unless NOD_TRACE is set
	traced   turn.Tracer
	scripted scripted
	version  string

	verifier *tools.Verifier
	guidance *Guidance
	getenv   func(string) string

	closers []func() error
}

// Options says which parts an invocation needs.
type Options struct {
	targets.Options

	Approver   policy.Approver
	ApproveAll bool
	Allow      questions.Allower // whether the working folder may be read
	Choose     desk.Asker        // the model's questions; nil: nobody is there
	Spare      string            // where conversations are that cannot be kept; empty: nowhere
	Unbounded  bool              // no time-out but the action's own
	Chunks     bool              // events have what commands write, as it comes
	Ended      func(agent.RunEnded)
	Reverting  func(agent.Reverting)
	Fill       mcp.Asker // what servers ask for; nil: that is declined
	Version    string    // nod's own, which servers are told
	// Connect connects a target that the model has asked for; nil: Targets.Open does.
	Connect func(ctx context.Context, name string) error
	Traced  turn.Tracer // told what stands in the trace, whether or not there is one; nil: nobody
}

// Open opens what an invocation works with: state, ledger, policy, tools,
// gate. No target is open then: see [targets.Targets]. After an error nothing is left
// open.
func Open(c *config.Config, getenv func(string) string, p Options) (h *Core, err error) {
	h = &Core{config: c, getenv: getenv, spare: p.Spare, warn: p.Warn, traced: p.Traced, version: p.Version}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
			h = nil
		}
	}()
	if h.State, _, err = config.StateDirAnyway(getenv); err != nil {
		return h, err
	}
	if err = h.openRecord(p.Warn); err != nil {
		return h, err
	}
	p.Tap = h.recorder.Tap
	p.Hidden = (&PolicySetup{Config: c, getenv: getenv, state: h.State, spare: h.spare}).own()
	if h.Undo, err = undo.Open(filepath.Join(h.State, "undo"), nil); err != nil {
		return h, err
	}
	minter, verifier := tools.NewMint()
	h.Guard, h.verifier = guard.New(verifier), verifier
	h.guidance = NewGuidance(c, getenv, h.State, p.Allow, p.Warn)
	lines, err := targets.NewConnections(c, getenv)
	if err != nil {
		return h, err
	}
	h.Targets = targets.New(h.Guard, lines, c, p.Options)
	h.closers = append(h.closers, h.Targets.Close)
	if err = h.openPolicy(minter, p); err != nil {
		return h, err
	}
	if h.Tools, err = h.register(p); err != nil {
		return h, err
	}
	own, err := h.ownTools()
	if err != nil {
		return h, err
	}
	h.openHooks()
	if err = h.openGate(own, p); err != nil {
		return h, err
	}
	if err = h.openPlugins(); err != nil {
		return h, err
	}
	h.Guard.Fill(h.Gate.Fill)
	h.closers = append(h.closers, func() error { h.Gate.Close(); return nil })
	h.openServers(p)
	return h, nil
}

// openRecord opens what keeps what happens: the ledger, the recordings and, if it is
// wanted, the trace; and the secrets, which none of them may have.
func (h *Core) openRecord(warn func(string)) (err error) {
	var lost string
	if h.Ledger, lost, err = record.OpenLedger(h.getenv, h.State, ledger.Options{Witness: record.Copies(h.config), Wait: true}); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if lost != "" && warn != nil {
		warn(lost + "; if that was not you, find out who it was: nod audit verify goes on saying so")
	}
	h.closers = append(h.closers, h.closeLedger)
	if h.secrets, err = OpenSecrets(h.config); err != nil {
		return err
	}
	if h.recorder, err = record.OpenRecorder(h.Ledger, h.State, recordingFilter(h.secrets)); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	h.Runs = runs.New(config.LedgerDir(h.State))
	h.recorder.Watcher = h.Runs
	if h.trace, err = openTrace(h.getenv, h.State, warn); err != nil {
		return err
	}
	if h.trace != nil {
		h.closers = append(h.closers, h.trace.Close)
	}
	h.closers = append(h.closers, h.recorder.Recordings.Close, h.recorder.WarnAtEnd(h.State, warn))
	return nil
}

// ownTools are nod's own, which plugins and agents can have called.
func (h *Core) ownTools() (*tools.Registry, error) {
	own := &tools.Registry{}
	for _, t := range h.Tools.All() {
		if err := own.Register(t); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// openGate opens the gate for all tools.
func (h *Core) openGate(own *tools.Registry, p Options) (err error) {
	timeout := h.config.Agent.ToolTimeout
	if p.Unbounded {
		timeout = 0
	}
	h.Gate, err = gate.New(gate.Config{
		Tools: h.Tools, Effects: own, Policy: h.Policy, Ledger: h.recorder,
		Operator: process.Operator(), Timeout: timeout, Secrets: h.secrets, Ended: p.Ended,
		Reverts: reverts{h}, Reverting: p.Reverting, Did: h.remember, Chunks: p.Chunks, Hooks: h.Hooks,
	})
	return err
}

// openServers joins the MCP servers of the configuration.
func (h *Core) openServers(p Options) {
	h.Servers = servers.Open(servers.Options{
		Config: h.config, Getenv: h.getenv, State: h.State, Guard: h.Guard, Registry: h.Tools,
		Record: func(text string) error {
			return h.Ledger.Note(ledger.Note{Kind: "mcp accepted", Text: text, By: process.Operator()})
		},
		Hidden: p.Hidden, Ask: p.Fill, Warn: p.Warn, Version: p.Version, Reserved: builtin,
	})
	h.closers = append(h.closers, h.Servers.Close)
}

// Close closes the parts in the opposite order.
func (h *Core) Close() error {
	var errs []error
	for i := len(h.closers) - 1; i >= 0; i-- {
		errs = append(errs, h.closers[i]())
	}
	h.closers = nil
	return errors.Join(errs...)
}
