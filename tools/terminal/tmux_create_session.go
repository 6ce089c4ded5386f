package terminal

import (
	_ "embed" // the tool's guidance

	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed tmux_create_session.md
var createSessionGuide string

// NewCreateSession makes the tool tmux-create-session.
func NewCreateSession(g *guard.Guard) *ManageTool {
	return &ManageTool{
		guard: g, name: "tmux-create-session", guide: createSessionGuide, verb: guard.CreateSession, needs: "session",
		properties: func() map[string]any {
			return map[string]any{
				"session": spec.String(""),
			}
		},
	}
}
