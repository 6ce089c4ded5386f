package briefing

import (
	_ "embed" // the prompt
	"fmt"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
)

//go:embed system.md
var systemText string

// Situation is what a turn's system prompt says of the present.
type Situation struct {
	Target  string   // canonical name; what a call means that names none
	Targets []string // all that are connected
	Apart   []string // those that the operator has besides
	Groups  []string // the names of their groups of targets
	User    string   // whom commands run as there
	Shell   string   // the dialect of command lines
	Panes   bool     // whether commands run in a pane that the operator watches
	Posture string   // "ask", "ask-all", "read-only"
	Trust   string   // "prod", "stage", "lab" or empty
	Skills  []string // those that can be activated, a line each
}

// SystemPrompt is the base text, the operator's own, and the situation. mark is what
// nod's notices bear.
func SystemPrompt(name, mark, own string, s Situation) string {
	var b strings.Builder
	b.WriteString(strings.NewReplacer("{name}", name, "{mark}", mark).Replace(strings.TrimSpace(systemText)))
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
	if len(s.Targets) > 1 {
		line("Connected targets", named(s.Targets)+" (give one as target to work there)")
	}
	line("Not connected", named(s.Apart))
	if len(s.Groups) > 0 {
		groups, _ := tools.Head("@"+strings.Join(s.Groups, ", @"), mostNamed)
		line("Groups", groups)
	}
	line("Commands run as", s.User)
	line("Shell", s.Shell)
	if s.Panes {
		line("Pane", "run_shell types into a terminal pane that the operator watches")
	}
	line("The operator rates this target as", s.Trust)
	line("Posture", postureText(s.Posture))
	if len(s.Skills) > 0 {
		b.WriteString("\n\n# Skills\n\nInstructions for certain tasks, which activate_skill loads:\n")
		for _, skill := range s.Skills {
			b.WriteString("\n- " + skill)
		}
	}
	return b.String()
}

// mostNamed bounds how many characters a list of targets takes.
const mostNamed = 300

// named is a list of targets, folded and not too long.
func named(names []string) string {
	head, omitted := tools.Head(nodeset.Fold(names), mostNamed)
	if omitted > 0 {
		head += fmt.Sprintf("… (%d in all)", len(names))
	}
	return head
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
