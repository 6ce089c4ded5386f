package terminal

import (
	_ "embed" // the tool's guidance

	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed tmux_kill_session.md
var killSessionGuide string

// NewKillSession makes the tool tmux-kill-session.
func NewKillSession(g *guard.Guard) *ManageTool {
	return &ManageTool{
		guard: g, name: "tmux-kill-session", guide: killSessionGuide, verb: guard.KillSession, needs: "session",
		properties: func() map[string]any {
			return map[string]any{
				"session": spec.String(""),
			}
		},
	}
}
