package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/role"
	"github.com/nod-console/nod/cmd/nod/internal/app"
)

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

func (a *program) agentsCommand() *cobra.Command {
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

func (a *program) listAgents(asJSON bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	types, err := app.AgentTypes(c)
	if err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	if asJSON {
		all := make([]agentJSON, len(types))
		for i, t := range types {
			all[i] = agentJSON{t.Name, t.Description, t.Tools, t.ReadOnly, t.Model, t.MaxIterations, t.File, t.Fault}
		}
		return printObjects(a.Out, all)
	}
	return printRows(a.Out, types, func(t role.Type) []string {
		return []string{t.Name, abilities(t), unless(t.Fault, "not used", t.Description)}
	})
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
