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
	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/trace"
	"github.com/nod-console/nod/agent/undo"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
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
	spare  string // where conversations are meanwhile; see unkept

	guard *guard.Guard
	sites *sites
	seen  *files.Seen
	tools *tools.Registry

	undo    *undo.Journal
	warn    func(string)
	ledger  *ledger.Ledger
	record  *record
	policy  *policy.Engine
	secrets *redact.Keeper
	gate    *agent.Gate
	trace   *trace.Writer // nil unless NOD_TRACE is set

	verifier *tools.Verifier
	known    *knowledge
	getenv   func(string) string

	closers []func() error
}

// plan says which parts of the house an invocation needs.
type plan struct {
	approver   policy.Approver
	approveAll bool
	ask        ssh.Asker  // the questions of logins
	allow      allower    // whether the working folder may be read
	choose     desk.Asker // the model's questions; nil: nobody is there
	panes      bool       // commands run in panes where the target has them
	existing   *existing  // in place of the shared one
	spare      string     // where conversations are that cannot be kept; empty: nowhere
	keep       bool       // leave the panes' sessions behind
	agent      string     // names the panes' sessions; empty means the configured name
	unbounded  bool       // no time-out but the action's own
	ended      func(agent.RunEnded)
	reverting  func(agent.Reverting)
	warn       func(string) // of what is done in a lesser way than promised
	// step is told how far the connection to a target is. It must not block.
	step func(target, text string)
	// tap records a pane. openHouse fills it in.
	tap func(p *pane.Pane) pane.Tap
}

// openHouse builds the house from the ground: state, ledger, policy, tools,
// gate. No target is open then: see [sites]. After an error nothing is left
// open.
func (a *app) openHouse(c *config.Config, p plan) (h *house, err error) {
	h = &house{config: c, getenv: a.getenv, spare: p.spare, warn: p.warn}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
			h = nil
		}
	}()
	if h.state, _, err = a.stateDir(); err != nil {
		return h, err
	}
	var lost string
	if h.ledger, lost, err = a.openLedger(h.state, ledger.Options{Witness: witness(c), Wait: true}); err != nil {
		return h, fmt.Errorf("record: %w", err)
	}
	if lost != "" && p.warn != nil {
		p.warn(lost + "; if that was not you, find out who it was: nod audit verify goes on saying so")
	}
	h.closers = append(h.closers, h.closeLedger)
	if h.secrets, err = openSecrets(c); err != nil {
		return h, err
	}
	if h.record, err = openRecord(h.ledger, h.state, recordingFilter(h.secrets)); err != nil {
		return h, fmt.Errorf("record: %w", err)
	}
	if h.trace, err = a.openTrace(h.state, p.warn); err != nil {
		return h, err
	}
	if h.trace != nil {
		h.closers = append(h.closers, h.trace.Close)
	}
	h.closers = append(h.closers, h.record.tapes.Close, h.record.warnAtEnd(h.state, p.warn))
	p.tap = h.record.tap
	if h.undo, err = undo.Open(filepath.Join(h.state, "undo"), nil); err != nil {
		return h, err
	}
	minter, verifier := tools.NewMint()
	h.guard, h.verifier = guard.New(verifier), verifier
	h.known = a.newKnowledge(c, h.state, p)
	lines, err := a.lines(c)
	if err != nil {
		return h, err
	}
	h.sites = newSites(h.guard, lines, c, p)
	h.closers = append(h.closers, h.sites.Close)
	if err = h.openPolicy(a, minter, p); err != nil {
		return h, err
	}
	if h.tools, err = h.register(p); err != nil {
		return h, err
	}
	timeout := c.Agent.ToolTimeout
	if p.unbounded {
		timeout = 0
	}
	h.gate, err = agent.NewGate(agent.GateConfig{
		Tools: h.tools, Policy: h.policy, Ledger: h.record,
		Operator: operator(), Timeout: timeout, Secrets: h.secrets, Ended: p.ended,
		Reverts: reverts{h}, Reverting: p.reverting, Did: h.did,
	})
	if err == nil {
		h.guard.Fill(h.gate.Fill)
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
		Reverts: h.revertAfter, Hosts: h.hosts,
		Keep: h.keepRule(),
	})
	return err
}

// hosts are the hosts of the targets that the operator has opened or configured.
func (h *house) hosts() []string {
	var names []string
	if h.sites != nil {
		open, _ := h.sites.list()
		for _, s := range open {
			names = append(names, s.name())
		}
	}
	for name := range h.config.Targets {
		names = append(names, name)
	}
	var hosts []string
	for _, name := range names {
		if isContainer(name) {
			continue
		}
		if host, err := ssh.Parse(name); err == nil { // a pattern is no name
			hosts = append(hosts, host.Name)
		}
	}
	return hosts
}

// own are the files and folders that no call may touch: the state, and what
// tells nod what it may do. A configuration outside of nod's own folder does
// not make everything beside it nod's.
func (h *house) own() []string {
	own := append([]string{h.state}, spoolDirs(h.getenv, h.state)...)
	if heads := headsDir(h.getenv); heads != "" {
		own = append(own, heads)
	}
	if h.spare != "" {
		own = append(own, h.spare)
	}
	path := h.config.Path()
	if path == "" {
		return own
	}
	if folder := filepath.Dir(path); filepath.Base(folder) == "nod" {
		own = append(own, folder)
	}
	return append(own, path, h.rulesPath(), skillsDir(h.config), runbooksDir(h.config), agentsDir(h.config))
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

// keepRule writes rules of approvals that are for good; nil if there is no place
// for a rules file.
func (h *house) keepRule() func(rule string) (*policy.Rules, error) {
	file := h.rulesPath()
	if !filepath.IsAbs(file) {
		return nil
	}
	return func(rule string) (*policy.Rules, error) { return policy.AppendRule(file, rule) }
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

// register makes the tools that the configuration and the invocation allow.
func (h *house) register(p plan) (*tools.Registry, error) {
	h.seen = &files.Seen{}
	all := append([]tools.Tool{desk.Time{}, desk.Todo{}, desk.Question{Ask: p.choose}}, h.webTools()...)
	if h.config.Tools.Shell {
		all = append(all, &terminal.RunShell{Guard: h.guard, Timeout: h.config.Tools.ShellTimeout})
		if p.panes {
			all = append(all, &terminal.SendKeys{Guard: h.guard}, &terminal.CapturePane{Guard: h.guard})
			all = append(all,
				terminal.NewCreateSession(h.guard), terminal.NewKillSession(h.guard),
				terminal.NewCreatePane(h.guard), terminal.NewKillPane(h.guard))
		}
	}
	if h.config.Tools.Files {
		some, err := h.fileTools()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
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
	name   string // of its profile
	guide  bool
	price  agent.Price
}

// shown is what the status line calls it.
func (b brain) shown() string {
	if b.guide {
		return guideName
	}
	return b.client.Name()
}

func (a *app) openBrain(c *config.Config) (brain, error) {
	name, m, ok, err := c.ActiveModel()
	if err != nil {
		return brain{}, err
	}
	if !ok {
		return openGuide()
	}
	return openProfile(name, m, a.getenv)
}

func openGuide() (brain, error) {
	client, err := model.New(model.Config{
		BaseURL: guide.BaseURL, Model: guide.ModelName, Transport: guide.New(guide.Options{}).Transport(),
	})
	return brain{client: client, name: guideName, guide: true}, err
}

// openProfile makes the brain of [model.NAME].
func openProfile(name string, m config.Model, getenv func(string) string) (brain, error) {
	key, err := m.Key(getenv)
	if err != nil {
		return brain{}, err
	}
	client, err := model.New(modelConfig(m, key))
	if err != nil {
		return brain{}, fmt.Errorf("model %s: %w", name, err)
	}
	return brain{client: client, name: name, price: priceOf(m)}, nil
}

func priceOf(m config.Model) agent.Price {
	value := func(v *float32) float64 {
		if v == nil {
			return 0
		}
		return float64(*v)
	}
	return agent.Price{Input: value(m.PriceInput), Output: value(m.PriceOutput), Cached: value(m.PriceCached)}
}

func modelConfig(m config.Model, key string) model.Config {
	return model.Config{
		BaseURL: m.BaseURL, APIKey: key, Model: m.Model, Headers: m.Headers,
		Temperature: m.Temperature, TopP: m.TopP, ReasoningEffort: m.ReasoningEffort,
		ContextLimit: m.ContextLimit, ToolProtocol: m.ToolProtocol, SessionHeader: m.SessionHeader, SessionMode: m.SessionMode,
	}
}

// openAgent joins brain, gate and history.
func (h *house) openAgent(b brain, store *history.Store) (*agent.Agent, error) {
	if err := h.openMemory(store); err != nil {
		return nil, err
	}
	var turns *agent.Agent
	err := h.tools.Register(&desk.Compact{Soon: func(ctx context.Context, conversation string) error {
		return turns.CompactSoon(ctx, conversation)
	}})
	if err != nil {
		return nil, err
	}
	if err := h.registerTask(func() *agent.Agent { return turns }); err != nil {
		return nil, err
	}
	c := agent.Config{
		Memory: h.known.memory, Guidance: h.known.guidance,
		Brain: b.brain(), Gate: h.gate, History: store, Pinned: todos,
		SystemPrompt: h.config.Agent.SystemPrompt, Situation: h.situation,
		MaxIterations: h.config.Agent.MaxIterations, MaxTokens: h.config.Agent.MaxTokens,
	}
	c.Pinned = todos
	if h.config.Agent.ShowPane {
		c.Picture = h.picture
	}
	if h.trace != nil {
		c.Trace = h.trace
	}
	turns, err = agent.New(c)
	return turns, err
}

func (h *house) situation() agent.Situation {
	name := h.sites.current()
	s := agent.Situation{
		Target: name, Targets: h.guard.Targets(),
		Posture: h.policy.Posture().String(), Trust: string(h.policy.TrustOf(name)),
		Skills: h.known.catalog().Lines(skillLines),
	}
	if about, err := h.guard.About(name); err == nil {
		s.User, s.Shell, s.Panes = about.User, about.Shell, about.Panes
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

// brain is the model as the loop knows it.
func (b brain) brain() agent.Brain {
	return agent.Brain{Model: b.client, Name: b.name, ContextLimit: b.client.ContextLimit(), Price: b.price, Plain: b.guide}
}
