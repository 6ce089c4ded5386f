package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools/desk"
)

// OpenAgent joins model, gate and history.
func (h *Core) OpenAgent(b Model, store *history.Store) (*turn.Agent, error) {
	if err := h.openMemory(store); err != nil {
		return nil, err
	}
	var turns *turn.Agent
	err := h.Tools.Register(&desk.Compact{Soon: func(ctx context.Context, conversation string) error {
		return turns.CompactSoon(ctx, conversation)
	}})
	if err != nil {
		return nil, err
	}
	h.scripted = h.findScripted(store)
	if err := h.registerTask(func() *turn.Agent { return turns }); err != nil {
		return nil, err
	}
	h.Plugins.Start()
	c := turn.Config{
		Memory: h.guidance.memory, Guidance: h.guidance.guidance,
		Model: b.ForTurn(), Gate: h.Gate, History: store, Pinned: todos,
		SystemPrompt: h.config.Agent.SystemPrompt, Situation: h.situation, Hooks: h.Hooks, NoTools: !h.config.Tools.Enabled,
		MaxIterations: h.config.Agent.MaxIterations, MaxTokens: h.config.Agent.MaxTokens,
	}
	if h.config.Agent.ShowPane {
		c.Snapshot = h.picture
	}
	c.Trace = h.tracer()
	turns, err = turn.New(c)
	return turns, err
}

func (h *Core) situation() briefing.Situation {
	name := h.Targets.Current()
	s := briefing.Situation{
		Target: name, Targets: h.Guard.Targets(), Apart: h.fleet.Apart(), Groups: h.fleet.Roster.Groups(),
		Posture: h.Policy.Posture().String(), Trust: string(h.Policy.TrustOf(name)),
		Skills: h.guidance.Catalog().Lines(skillLines),
	}
	if about, err := h.Guard.About(name); err == nil {
		s.User, s.Shell, s.Panes = about.User, about.Shell, about.Panes
	}
	return s
}

// picture is what the pane shows in which the model works.
func (h *Core) picture(context.Context) briefing.Snapshot {
	current := h.Targets.Current()
	s := h.Targets.Get(current)
	if s == nil {
		return briefing.Snapshot{}
	}
	panes := s.List()
	at := slices.IndexFunc(panes, targets.IsShared)
	if at < 0 && len(panes) > 0 {
		at = 0 // the operator's own
	}
	if _, wrong := s.Link(); at < 0 || wrong != "" {
		return briefing.Snapshot{}
	}
	screen := panes[at].Screen()
	if screen == nil {
		return briefing.Snapshot{}
	}
	var text strings.Builder
	for y := range screen.Size.Rows {
		text.WriteString(screen.RowText(y) + "\n")
	}
	return briefing.Snapshot{Target: current, Pane: panes[at].ID(), Text: text.String()}
}

// todos are what is still to be done, in lines, for whoever sums a conversation
// up.
func todos(said []history.Message) string {
	for i := len(said) - 1; i >= 0; i-- {
		if said[i].Role != history.Tool || said[i].Tool != (desk.Todo{}).Name() || said[i].IsError {
			continue
		}
		items, _ := desk.TodosOf(said[i].Content)
		var lines []string
		for _, item := range items {
			if item.State.Open() {
				lines = append(lines, fmt.Sprintf("- %s (%s)", item.Content, item.State))
			}
		}
		return strings.Join(lines, "\n")
	}
	return ""
}
