package agent

import (
	_ "embed" // the prompt
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/tools"
)

//go:embed prompt.md
var basePrompt string

// Situation is what a turn's system prompt says of the present.
type Situation struct {
	Target  string // canonical name; what a call means that names none
	User    string // whom commands run as there
	Shell   string // the dialect of command lines
	Panes   bool   // whether commands run in a pane that the operator watches
	Posture string // "ask", "ask-all", "read-only"
	Trust   string // "prod", "stage", "lab" or empty
}

// systemPrompt is the base text, the operator's own, and the situation.
func systemPrompt(name, own string, s Situation) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(strings.TrimSpace(basePrompt), "{name}", name))
	if own = strings.TrimSpace(own); own != "" {
		b.WriteString("\n\n# From the operator\n\n" + own)
	}
	b.WriteString("\n\n# Now\n")
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n- %s: %s", label, value)
		}
	}
	line("Target", s.Target)
	line("Commands run as", s.User)
	line("Shell", s.Shell)
	if s.Panes {
		line("Pane", "run_shell types into a terminal pane that the operator watches")
	}
	line("The operator rates this target as", s.Trust)
	line("Posture", postureText(s.Posture))
	return b.String()
}

func postureText(posture string) string {
	switch posture {
	case "ask":
		return "ask (plain observations run at once; everything else waits for the operator)"
	case "ask-all":
		return "ask-all (everything that touches a target waits for the operator)"
	case "read-only":
		return "read-only (plain observations run; everything else is denied: propose, do not try)"
	}
	return posture
}

// specs describes the registered tools to the model.
func specs(registry *tools.Registry) []model.ToolSpec {
	var list []model.ToolSpec
	for _, t := range registry.All() {
		list = append(list, model.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.InputSchema()})
	}
	return list
}
