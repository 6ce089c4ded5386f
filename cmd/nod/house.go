package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/guide"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/terminal"
)

// guideName is what the status line calls the built-in guide.
const guideName = "guide"

// house is nod put together for one invocation: targets behind the guard, the
// policy with the only mint, the ledger, and the gate that joins them.
type house struct {
	config *config.Config
	state  string

	target *local.Target
	panes  *pane.Keeper // nil where there is no tmux, or nobody wants panes
	guard  *guard.Guard
	seen   *files.Seen
	tools  *tools.Registry

	ledger *ledger.Ledger
	policy *policy.Engine
	gate   *agent.Gate
	notes  []string // what the operator should know of the start

	closers []func() error
}

// plan says which parts of the house an invocation needs.
type plan struct {
	approver   policy.Approver
	approveAll bool
	panes      bool   // commands run in panes where the target has them
	keep       bool   // leave the panes' sessions behind
	agent      string // names the panes' sessions; empty means the configured name
	unbounded  bool   // no time-out but the action's own
	ended      func(agent.RunEnded)
}

// openHouse builds the house from the ground: state, ledger, targets, policy,
// tools, gate. After an error nothing is left open.
func (a *app) openHouse(ctx context.Context, c *config.Config, p plan) (h *house, err error) {
	h = &house{config: c}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
			h = nil
		}
	}()
	if h.state, err = config.StateDir(a.getenv); err != nil {
		return h, err
	}
	if h.ledger, err = ledger.Open(ledgerDir(h.state), ledger.Options{}); err != nil {
		return h, fmt.Errorf("record: %w", err)
	}
	h.closers = append(h.closers, h.ledger.Close)
	minter, verifier := tools.NewMint()
	if err = h.openTarget(ctx, verifier, p); err != nil {
		return h, err
	}
	if err = h.openPolicy(a, minter, p); err != nil {
		return h, err
	}
	if h.tools, err = h.register(); err != nil {
		return h, err
	}
	timeout := c.Agent.ToolTimeout
	if p.unbounded {
		timeout = 0
	}
	h.gate, err = agent.NewGate(agent.GateConfig{
		Tools: h.tools, Policy: h.policy, Ledger: h.ledger,
		Operator: operator(), Timeout: timeout, Ended: p.ended,
	})
	if err == nil {
		h.closers = append(h.closers, func() error { h.gate.Close(); return nil })
	}
	return h, err
}

// Close takes the house down in the opposite order.
func (h *house) Close() error {
	var errs []error
	for i := len(h.closers) - 1; i >= 0; i-- {
		errs = append(errs, h.closers[i]())
	}
	h.closers = nil
	return errors.Join(errs...)
}

// openTarget connects this machine and, where tmux is there, its panes.
func (h *house) openTarget(ctx context.Context, v *tools.Verifier, p plan) error {
	h.target = local.New(os.Environ())
	h.closers = append(h.closers, h.target.Close)
	place := guard.Place{Target: h.target, User: operator(), Shell: "bash"}
	if _, err := os.Stat("/bin/bash"); err != nil {
		place.Shell = "sh"
	}
	if p.panes && h.config.Tools.Shell {
		if err := h.openPanes(ctx, p); err != nil {
			return err
		}
		if h.panes != nil {
			place.Panes = guard.Keep(h.panes)
		}
	}
	h.guard = guard.New(v)
	return h.guard.Add(place)
}

// openPanes starts the keeper. Without a tmux that can be used, commands run
// without a pane, and the operator is told.
func (h *house) openPanes(ctx context.Context, p plan) error {
	name := p.agent
	if name == "" {
		name = h.config.Agent.Name
	}
	keeper, err := pane.Open(ctx, h.target, pane.Options{
		Agent: name, Socket: h.config.Tmux.Socket, Keep: p.keep,
		Size:        backends.Size{Cols: 120, Rows: 40},
		MaxSessions: h.config.Tmux.MaxSessions, MaxPanes: h.config.Tmux.MaxPanes,
	})
	var old *tmux.TooOldError
	switch {
	case errors.Is(err, tmux.ErrNoTmux):
		h.notes = append(h.notes, "tmux is not installed: commands run without a pane to watch (apt-get install tmux)")
		return nil
	case errors.As(err, &old):
		h.notes = append(h.notes, old.Error()+": commands run without a pane to watch")
		return nil
	case err != nil:
		return fmt.Errorf("panes: %w", err)
	}
	h.panes = keeper
	h.closers = append(h.closers, keeper.Close)
	return nil
}

func (h *house) openPolicy(a *app, minter *tools.Minter, p plan) error {
	posture, err := policy.ParsePosture(h.config.Policy.Posture)
	if err != nil {
		return err
	}
	rules, err := h.rules()
	if err != nil {
		return err
	}
	trust := map[string]policy.Trust{}
	for name, t := range h.config.Targets {
		trust[name] = policy.Trust(t.Trust)
	}
	h.policy, err = policy.NewEngine(policy.Options{
		Minter: minter, Rules: rules, Trust: trust, Posture: posture,
		Approver: p.approver, ApproveAll: p.approveAll, Own: h.own(), Home: a.getenv("HOME"),
	})
	return err
}

// own are the files and folders that no call may touch: the state, and what
// tells nod what it may do. A configuration outside of nod's own folder does
// not make everything beside it nod's.
func (h *house) own() []string {
	own := []string{h.state}
	path := h.config.Path()
	if path == "" {
		return own
	}
	if folder := filepath.Dir(path); filepath.Base(folder) == "nod" {
		own = append(own, folder)
	}
	return append(own, path, h.rulesPath())
}

// rulesPath is where the rules file is or would be: as the configuration names
// it, relative to its own folder, or "rules.toml" there.
func (h *house) rulesPath() string {
	path := h.config.Policy.Rules
	if path == "" {
		path = "rules.toml"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(h.config.Path()), path)
	}
	return path
}

// rules reads the rules file. One that the configuration names must be there.
func (h *house) rules() (*policy.Rules, error) {
	if h.config.Path() == "" && h.config.Policy.Rules == "" {
		return &policy.Rules{}, nil
	}
	path := h.rulesPath()
	if h.config.Policy.Rules != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("policy.rules: %w; correct the path, or leave it out", err)
		}
	}
	return policy.ReadRules(path)
}

// register makes the tools that the configuration and the target allow.
func (h *house) register() (*tools.Registry, error) {
	h.seen = &files.Seen{}
	all := []tools.Tool{desk.Time{}}
	if h.config.Tools.Shell {
		all = append(all, &terminal.RunShell{Guard: h.guard, Timeout: h.config.Tools.ShellTimeout})
		if h.panes != nil {
			all = append(all, &terminal.SendKeys{Guard: h.guard}, &terminal.CapturePane{Guard: h.guard})
		}
	}
	if h.config.Tools.Files {
		all = append(all, &files.ReadFile{Guard: h.guard, Seen: h.seen}, &files.WriteFile{Guard: h.guard, Seen: h.seen})
	}
	registry := &tools.Registry{}
	for _, t := range all {
		if err := registry.Register(t); err != nil {
			return nil, err
		}
	}
	return registry, nil
}

// brain is the model that answers: the configured one, or the guide.
type brain struct {
	client *model.Client
	name   string
	guide  bool
}

func (a *app) openBrain(c *config.Config) (brain, error) {
	name, m, ok, err := c.ActiveModel()
	if err != nil {
		return brain{}, err
	}
	if !ok {
		client, err := model.New(model.Config{
			BaseURL: guide.BaseURL, Model: guide.ModelName, Transport: guide.New(guide.Options{}).Transport(),
		})
		return brain{client, guideName, true}, err
	}
	key, err := m.Key(a.getenv)
	if err != nil {
		return brain{}, err
	}
	client, err := model.New(modelConfig(m, key))
	if err != nil {
		return brain{}, fmt.Errorf("model %s: %w", name, err)
	}
	return brain{client, m.Model, false}, nil
}

func modelConfig(m config.Model, key string) model.Config {
	return model.Config{
		BaseURL: m.BaseURL, APIKey: key, Model: m.Model, Headers: m.Headers,
		Temperature: m.Temperature, TopP: m.TopP, ReasoningEffort: m.ReasoningEffort,
		ContextLimit: m.ContextLimit, SessionHeader: m.SessionHeader,
	}
}

// openAgent joins brain, gate and history.
func (h *house) openAgent(b brain, store *history.Store) (*agent.Agent, error) {
	return agent.New(agent.Config{
		Model: b.client, Gate: h.gate, History: store,
		SystemPrompt: h.config.Agent.SystemPrompt, Situation: h.situation,
		MaxIterations: h.config.Agent.MaxIterations, MaxTokens: h.config.Agent.MaxTokens,
		ContextLimit: b.client.ContextLimit(),
	})
}

func (h *house) situation() agent.Situation {
	s := agent.Situation{
		Target: h.target.Name(), User: operator(), Panes: h.panes != nil,
		Posture: h.policy.Posture().String(), Trust: string(h.policy.TrustOf(h.target.Name())),
	}
	if about, err := h.guard.About(h.target.Name()); err == nil {
		s.Shell = about.Shell
	}
	return s
}

// operator is who runs nod.
func operator() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}
