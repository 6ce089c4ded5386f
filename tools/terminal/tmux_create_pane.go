package terminal

import (
	_ "embed" // the tool's guidance

	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed tmux_create_pane.md
var createPaneGuide string

// NewCreatePane makes the tool tmux-create-pane.
func NewCreatePane(g *guard.Guard) *ManageTool {
	return &ManageTool{
		guard: g, name: "tmux-create-pane", guide: createPaneGuide, verb: guard.CreatePane, needs: "pane",
		properties: func() map[string]any {
			return map[string]any{
				"pane":    spec.String(""),
				"session": spec.String(""),
			}
		},
	}
}
