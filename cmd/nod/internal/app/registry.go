package app

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/terminal"
	"github.com/nod-console/nod/tools/web"
)

// builtin are the names of nod's own tools, also of those that are switched off: a rule
// that names one never means a server's tool or a plugin's.
var builtin = []string{
	"activate_skill", "capture-pane", "compact", "connect_target", "edit_file", "fetch_url", "forget", "glob", "grep", "help", "jobs", "kill_job", "mcp_resource", "question",
	"read_file", "remember", "run_shell", "search_tools", "send-keys", "task", "team", "team_room", "time", "tmux-create-pane",
	"tmux-create-session", "tmux-kill-pane", "tmux-kill-session", "todo", "web_search", "write_file",
}

// register makes the tools that the configuration and the invocation allow.
func (h *Core) register(p Options) (*tools.Registry, error) {
	h.FilesRead = &files.Seen{}
	h.fleet = &fleet.Fleet{Guard: h.Guard, Roster: &targets.Roster{Targets: h.Targets, Open: p.Connect}}
	all := append([]tools.Tool{desk.Time{}, desk.Todo{}, desk.Question{Ask: p.Choose}}, h.webTools()...)
	if h.config.Tools.Shell {
		shell := &terminal.RunShell{Guard: h.Guard, Timeout: h.config.Tools.ShellTimeout, Fleet: h.fleet}
		all = append(all, shell)
		if p.Panes {
			shell.Jobs = &terminal.Jobs{}
			all = append(all, &terminal.SendKeys{Guard: h.Guard, Jobs: shell.Jobs, Fleet: h.fleet}, &terminal.CapturePane{Guard: h.Guard},
				&terminal.ListJobs{Guard: h.Guard, Jobs: shell.Jobs}, &terminal.KillJob{Guard: h.Guard, Jobs: shell.Jobs})
			all = append(all,
				terminal.NewCreateSession(h.Guard), terminal.NewKillSession(h.Guard),
				terminal.NewCreatePane(h.Guard), terminal.NewKillPane(h.Guard))
		}
	}
	if h.config.Tools.Shell || h.config.Tools.Files {
		all = append(all, &fleet.ConnectTarget{Fleet: h.fleet})
	}
	if h.config.Tools.Files {
		some, err := h.fileTools()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	registry := &tools.Registry{}
	for _, t := range append(all, &desk.Help{Tools: registry}) {
		if err := registry.Register(t); err != nil {
			return nil, err
		}
	}
	return registry, nil
}

// fileTools are the tools for files, within the bounds that the operator has set.
func (h *Core) fileTools() ([]tools.Tool, error) {
	bounds, err := h.bounds()
	if err != nil {
		return nil, err
	}
	return []tools.Tool{
		&files.ReadFile{Guard: h.Guard, Seen: h.FilesRead, Bounds: bounds, Fleet: h.fleet},
		&files.WriteFile{Guard: h.Guard, Seen: h.FilesRead, Keeper: h.Undo, Bounds: bounds},
		&files.EditFile{Guard: h.Guard, Seen: h.FilesRead, Keeper: h.Undo, Bounds: bounds},
		&files.Grep{Guard: h.Guard, Hides: h.Policy.Hides, Bounds: bounds, Fleet: h.fleet},
		&files.Glob{Guard: h.Guard, Bounds: bounds},
	}, nil
}

// bounds are where the tools for files may go. A workspace must be there.
func (h *Core) bounds() (files.Bounds, error) {
	var b files.Bounds
	if dir := h.config.Tools.Workspace; dir != "" {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return b, fmt.Errorf("tools.workspace: %w; make the folder, or correct the path", err)
		}
		b.Workspace = real
	}
	for _, name := range h.config.Tools.AllowedPaths {
		b.Allowed = append(b.Allowed, filepath.Clean(name))
		if real, err := filepath.EvalSymlinks(name); err == nil && real != filepath.Clean(name) {
			b.Allowed = append(b.Allowed, real) // paths are resolved before they are judged
		}
	}
	return b, nil
}

// webTools are the tools for the public network.
func (h *Core) webTools() []tools.Tool {
	c := h.config.Tools
	domains := web.Domains{Allowed: c.FetchAllowed, Blocked: c.FetchBlocked}
	var all []tools.Tool
	if c.Fetch {
		all = append(all, &web.FetchURL{Guard: h.Guard, Client: web.New(web.Options{Domains: domains})})
	}
	if c.Search {
		search := &web.WebSearch{Guard: h.Guard, Client: web.New(web.Options{}), Key: c.BraveKey, Domains: domains}
		if c.BraveKey == "" && c.BraveRing != "" {
			search.Ring = h.searchKey()
		}
		all = append(all, search)
	}
	return all
}

// searchKey reads the key for searches from the keyring, when it is first needed. One that
// could not be had is asked for again.
func (h *Core) searchKey() func(context.Context) (string, error) {
	var mu sync.Mutex
	var key string
	return func(context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if key != "" {
			return key, nil
		}
		var err error
		key, err = config.RingKey(h.config.Tools.BraveRing, h.getenv)
		return key, err
	}
}
