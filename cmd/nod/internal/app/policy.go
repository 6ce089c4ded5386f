package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
)

// PolicySetup is what decides about actions besides the operator: the rules file, the trust of
// targets and the posture.
type PolicySetup struct {
	Config *config.Config
	getenv func(string) string
	state  string
	spare  string          // where conversations are meanwhile; empty: nowhere
	open   func() []string // the names of the targets that are open; nil: none are
}

// NewPolicySetup is the one of a configuration, without anything that could run.
func NewPolicySetup(c *config.Config, getenv func(string) string) (*PolicySetup, error) {
	state, err := config.StatePath(getenv)
	return &PolicySetup{Config: c, getenv: getenv, state: state}, err
}

// options are those of an engine with the rules, which nobody can be asked by.
func (s *PolicySetup) options(rules *policy.Rules) policy.Options {
	trust, confinements := map[string]policy.Trust{}, map[string]policy.Confinement{}
	for name, t := range s.Config.Targets {
		trust[name] = policy.Trust(t.Trust)
		confinements[name] = policy.Confinement{Cage: t.Cage, Held: t.Held}
	}
	return policy.Options{
		Rules: rules, Trust: trust, Own: s.own(), Home: s.getenv("HOME"), Hosts: s.hosts, Keep: s.keepRule(),
		Confinement: policy.Confinement{Cage: s.Config.Policy.Cage, Held: s.Config.Policy.Held}, Confinements: confinements}
}

// Engine decides by the rules and runs nothing: its grants are of use to nobody.
func (s *PolicySetup) Engine(rules *policy.Rules, posture policy.Posture) (*policy.Engine, error) {
	opt := s.options(rules)
	opt.Posture = posture
	return Supposed(opt)
}

// Supposed is an engine that decides and runs nothing: its grants are of use to nobody.
func Supposed(opt policy.Options) (*policy.Engine, error) {
	opt.Minter, _ = tools.NewMint()
	return policy.NewEngine(opt)
}

func (h *Core) openPolicy(minter *tools.Minter, p Options) error {
	setup := &PolicySetup{Config: h.config, getenv: h.getenv, state: h.State, spare: h.spare, open: h.Targets.Names}
	rules, err := setup.Rules()
	if err != nil {
		return err
	}
	opt := setup.options(rules)
	if opt.Posture, err = policy.ParsePosture(h.config.Policy.Posture); err != nil {
		return err
	}
	opt.Cage = h.cage
	opt.Minter, opt.Approver, opt.ApproveAll, opt.Reverts, opt.Absent = minter, p.Approver, p.ApproveAll, h.revertAfter, h.absent
	h.Policy, err = policy.NewEngine(opt)
	return err
}

// cage is what holds commands on a target.
func (h *Core) cage(ctx context.Context, target string) policy.Cage {
	if c := h.Guard.Cage(ctx, target); c != nil {
		return c
	}
	return nil
}

// hosts are the hosts of the targets that the operator has opened or configured.
func (s *PolicySetup) hosts() []string {
	var names []string
	if s.open != nil {
		names = s.open()
	}
	for name := range s.Config.Targets {
		names = append(names, name)
	}
	var hosts []string
	for _, name := range names {
		if targets.IsContainer(name) {
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
func (s *PolicySetup) own() []string {
	own := append([]string{s.state}, record.SpoolDirs(s.getenv, s.state)...)
	if heads := record.HeadsDir(s.getenv); heads != "" {
		own = append(own, heads)
	}
	if s.spare != "" {
		own = append(own, s.spare)
	}
	path := s.Config.Path()
	if path == "" {
		return own
	}
	if folder := filepath.Dir(path); filepath.Base(folder) == "nod" {
		own = append(own, folder)
	}
	return append(own, path, s.RulesPath(), SkillsDir(s.Config), runbooksDir(s.Config), agentsDir(s.Config))
}

// RulesPath is where the rules file is or would be: as the configuration names
// it, relative to its own folder, or "rules.toml" there.
func (s *PolicySetup) RulesPath() string {
	path := s.Config.Policy.Rules
	if path == "" {
		path = "rules.toml"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(s.Config.Path()), path)
	}
	return path
}

// keepRule writes rules of approvals that are for good; nil if there is no place
// for a rules file.
func (s *PolicySetup) keepRule() func(rule string) (*policy.Rules, error) {
	file := s.RulesPath()
	if !filepath.IsAbs(file) {
		return nil
	}
	return func(rule string) (*policy.Rules, error) { return policy.AppendRule(file, rule) }
}

// Rules reads the rules file. One that the configuration names must be there.
func (s *PolicySetup) Rules() (*policy.Rules, error) {
	if s.Config.Path() == "" && s.Config.Policy.Rules == "" {
		return &policy.Rules{}, nil
	}
	path := s.RulesPath()
	if s.Config.Policy.Rules != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("policy.rules: %w; correct the path, or leave it out", err)
		}
	}
	return policy.ReadRules(path)
}
