package rulecheck

import (
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Bench is the policy as it is configured, on one target, without anything that could run.
type Bench struct {
	engine *policy.Engine
	file   string // the rules file, which need not exist
	target string // its canonical name
}

// Open puts a bench together for the target of that name.
func Open(c *config.Config, getenv func(string) string, target string) (*Bench, error) {
	names, err := targets.CanonicalNames(c, getenv, []string{target})
	if err != nil {
		return nil, err
	}
	setup, err := app.NewPolicySetup(c, getenv)
	if err != nil {
		return nil, err
	}
	rules, err := setup.Rules()
	if err != nil {
		return nil, err
	}
	posture, err := policy.ParsePosture(c.Policy.Posture)
	if err != nil {
		return nil, err
	}
	engine, err := setup.Engine(rules, posture)
	return &Bench{engine, setup.RulesPath(), names[0]}, err
}

// Command is a command that the rules are asked about, as an operator's own.
type Command struct {
	Text  string
	Shell string // bash, sh, zsh or fish
	Dir   string // the folder it would run in; empty: none is known
}

// proposal is the command on the bench's target.
func (b *Bench) proposal(c Command) (policy.Proposal, error) {
	if _, err := risk.ParseDialect(c.Shell); err != nil {
		return policy.Proposal{}, err
	}
	return policy.Proposal{Operator: true, Action: tools.Action{
		Tool: "run_shell", Kind: tools.Run, Target: b.target, Dir: c.Dir, Command: c.Text, Dialect: c.Shell,
	}}, nil
}
