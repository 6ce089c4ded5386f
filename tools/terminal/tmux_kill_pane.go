package terminal

import (
	_ "embed" // the tool's guidance

	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed tmux_kill_pane.md
var killPaneGuide string

// NewKillPane makes the tool tmux-kill-pane.
func NewKillPane(g *guard.Guard) *ManageTool {
	return &ManageTool{
		guard: g, name: "tmux-kill-pane", guide: killPaneGuide, verb: guard.KillPane, needs: "pane",
		properties: func() map[string]any {
			return map[string]any{
				"pane":    spec.String(""),
				"session": spec.String(""),
			}
		},
	}
}
