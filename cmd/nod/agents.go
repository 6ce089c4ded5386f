package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/role"
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

// agentTypes are the types of sub-agents with what this configuration says of them: a
// type whose model there is not cannot be used.
func agentTypes(c *config.Config) ([]role.Type, error) {
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
func (h *house) registerTask(turns func() *agent.Agent) error {
	types, err := agentTypes(h.config)
	if err != nil && h.warn != nil {
		h.warn(err.Error())
	}
	for _, t := range types {
		if t.Fault != "" && h.warn != nil {
			h.warn("a type of sub-agents is not used: " + t.Fault)
		}
	}
	err = h.tools.Register(&desk.Task{
		Helpers: h.helpers,
		Send: func(ctx context.Context, e desk.Errand) (desk.Report, error) {
			t, err := h.agentType(e.Agent)
			if err != nil {
				return desk.Report{}, err
			}
			return h.sendAs(ctx, turns(), t, e, nil)
		},
	})
	if err != nil {
		return err
	}
	return h.registerTeam(turns)
}

// helpers are the types that can be sent now.
func (h *house) helpers() []desk.Helper {
	types, _ := agentTypes(h.config) // an error has been told at the start; what could be read is there
	var all []desk.Helper
	for _, t := range role.Usable(types) {
		all = append(all, desk.Helper{Name: t.Name, Description: t.Description})
	}
	return all
}

// sendAs has a sub-agent do an errand, as the member of a team if as is not nil.
func (h *house) sendAs(ctx context.Context, turns *agent.Agent, t role.Type, e desk.Errand, as *membership) (desk.Report, error) {
	d := agent.Delegation{
		From: agent.From{Agent: t.Name, Parent: e.Conversation, ReadOnly: t.ReadOnly},
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
		defer b.client.Close()
		mind := b.brain()
		d.Brain = &mind
	}
	got, err := turns.Delegate(ctx, d)
	return desk.Report{
		Conversation: got.Conversation, Ending: got.Ending.String(), Text: got.Answer, Fault: got.Fault, Steps: got.Steps,
	}, err
}

// agentJSON is a type as "nod agents --json" prints it.
type agentJSON struct {
	Name          string   `json:"name"`
	Description   string   `json:"description"`
	Tools         []string `json:"tools,omitempty"`
	ReadOnly      bool     `json:"read_only"`
	Model         string   `json:"model,omitempty"`
	MaxIterations int      `json:"max_iterations,omitempty"`
	File          string   `json:"file,omitempty"`
	Fault         string   `json:"fault,omitempty"`
}

func (a *app) agentsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "list the types of sub-agents, also those that cannot be used",
		Long: `A sub-agent does one task with a context of its own and reports to the model that
sent it (the tools task and team). A type is a TOML file in the folder agents beside the
configuration:

    name = "logs"
    description = "reads logs and says what went wrong, with times"
    tools = ["run_shell", "grep", "read_file"]
    read_only = true
    model = "small"
    max_iterations = 10
    prompt = """
    Look at the newest entries first.
    """

name, description and prompt must be there. Without tools it may call what its
sender may; read_only lets only plain observations run; model is a [model.NAME].
The type investigator is built in: it looks and changes nothing.

Rules, approvals, redaction and the record are the same for all of them, and none
sends others. nod history list shows their conversations under those that sent them.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listAgents(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func (a *app) listAgents(asJSON bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	types, err := agentTypes(c)
	if err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	enc := json.NewEncoder(a.out)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, t := range types {
		if asJSON {
			if err := enc.Encode(agentJSON{t.Name, t.Description, t.Tools, t.ReadOnly, t.Model, t.MaxIterations, t.File, t.Fault}); err != nil {
				return err
			}
			continue
		}
		text := t.Description
		if t.Fault != "" {
			text = "not used: " + t.Fault
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", printable(t.Name), printable(abilities(t)), printable(text))
	}
	return w.Flush()
}

// abilities says what a type may do, in a few words.
func abilities(t role.Type) string {
	if t.Fault != "" {
		return "-"
	}
	what := "all tools"
	if t.Tools != nil {
		what = fmt.Sprintf("%d tools", len(t.Tools))
	}
	words := []string{what}
	if t.ReadOnly {
		words = append(words, "only looks")
	}
	if t.Model != "" {
		words = append(words, "model "+t.Model)
	}
	return strings.Join(words, ", ")
}
