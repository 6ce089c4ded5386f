package app

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/role"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/desk"
)

// agentsDir is where the types of sub-agents are; empty if there is no folder for
// the configuration.
func agentsDir(c *config.Config) string {
	if c.Path() == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(c.Path()), "agents")
}

// AgentTypes are the types of sub-agents with what this configuration says of them: a
// type whose model there is not cannot be used.
func AgentTypes(c *config.Config) ([]role.Type, error) {
	types, err := role.Find(agentsDir(c))
	for i := range types {
		t := &types[i]
		if _, known := c.Models[t.Model]; t.Model != "" && !known && t.Fault == "" {
			t.Fault = fmt.Sprintf("%s: model: there is no [model.%s]", t.File, t.Model)
		}
	}
	return types, err
}

// registerTask offers the tools task and team. The agent is there once a turn runs.
func (h *Core) registerTask(turns func() *turn.Agent) error {
	types, err := AgentTypes(h.config)
	if err != nil && h.warn != nil {
		h.warn(err.Error())
	}
	for _, t := range types {
		if t.Fault != "" && h.warn != nil {
			h.warn("a type of sub-agents is not used: " + t.Fault)
		}
	}
	err = h.Tools.Register(&desk.Task{
		Helpers: h.helpers,
		Send: func(ctx context.Context, e desk.Errand) (desk.Report, error) {
			return h.send(ctx, turns(), e.Agent, e, nil)
		},
	})
	if err != nil {
		return err
	}
	return h.registerTeam(turns)
}

// helpers are the types that can be sent now.
func (h *Core) helpers() []desk.Helper {
	types, _ := AgentTypes(h.config) // an error has been told at the start; what could be read is there
	var all []desk.Helper
	for _, t := range role.Usable(types) {
		all = append(all, desk.Helper{Name: t.Name, Description: t.Description})
	}
	return append(all, h.scripted.helpers(all)...)
}

// send has a sub-agent of a type do an errand, or an installed agent in JavaScript.
func (h *Core) send(ctx context.Context, turns *turn.Agent, kind string, e desk.Errand, as *membership) (desk.Report, error) {
	if t, err := h.agentType(kind); err == nil {
		return h.sendAs(ctx, turns, t, e, as)
	}
	return h.sendScripted(ctx, turns, kind, e, as)
}

// sendAs has a sub-agent do an errand, as the member of a team if as is not nil.
func (h *Core) sendAs(ctx context.Context, turns *turn.Agent, t role.Type, e desk.Errand, as *membership) (desk.Report, error) {
	d := turn.Delegation{
		From: gate.From{Agent: t.Name, Parent: e.Conversation, ReadOnly: t.ReadOnly},
		Task: e.Task, Prompt: t.Prompt, Tools: t.Tools, Never: desk.NotForHelpers(),
		MaxIterations: t.MaxIterations, Progress: e.Progress,
	}
	if as != nil {
		d.Agent += "/" + as.name
		d.Extra, d.Begun = []string{(*desk.TeamRoom)(nil).Name()}, as.begun
	}
	if t.Model != "" {
		b, err := openProfile(t.Model, h.config.Models[t.Model], h.getenv)
		if err != nil {
			return desk.Report{}, err
		}
		defer b.Client.Close()
		mind := b.ForTurn()
		d.Model = &mind
	}
	got, err := turns.Delegate(ctx, d)
	return desk.Report{
		Conversation: got.Conversation, Ending: got.Ending.String(), Text: got.Answer, Fault: got.Fault, Steps: got.Steps,
	}, err
}
