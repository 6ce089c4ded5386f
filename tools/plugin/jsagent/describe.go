package jsagent

import (
	"fmt"
	"strings"
)

// Describe is what an agent is and asks for, in lines.
func (a Agent) Describe() string {
	shell := "no commands"
	if a.Permissions.Shell {
		shell = "commands"
	}
	model := a.Model
	if model == "" {
		model = "the one that answers"
	}
	asks := a.Permissions
	return fmt.Sprintf("%s %s\n%s\n\nmode %s, at most %d turns, model: %s, skills: %s\n\nmay ask for\n  shell:      %s\n  filesystem: %s\n  network:    %s\ndigest %s",
		a.Name, a.Version, a.Description, a.Mode, a.MaxTurns, model, orNone(a.Skills),
		shell, orNone(asks.Filesystem), orNone(asks.Network), a.Digest)
}

// orNone is a list in words.
func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// Registered is what an agent's code has registered, in lines.
func (r *Run) Registered() string {
	var b strings.Builder
	fmt.Fprintf(&b, "registers\n  turns: %d\n", r.Turns())
	if p := r.SystemPrompt(); p != "" {
		fmt.Fprintf(&b, "  system prompt:\n    %s\n", strings.ReplaceAll(strings.TrimSpace(p), "\n", "\n    "))
	}
	for _, t := range r.Tools() {
		fmt.Fprintf(&b, "  tool %s: %s\n", t.Name(), t.Description())
	}
	return b.String()
}
