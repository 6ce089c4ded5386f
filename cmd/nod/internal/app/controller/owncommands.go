package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/owncommand"
	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
)

// ownOptions are the operator's own commands, and those of plugins.
func (d *Controller) ownOptions() (*console.Own, error) {
	all, err := d.Config.OwnCommands()
	if err != nil {
		return nil, err
	}
	byName := map[string]owncommand.Command{}
	for _, c := range all {
		byName[c.Name] = c
	}
	return &console.Own{
		Mean: func(ctx context.Context, word, args string) (console.Meaning, error) {
			c, configured := byName[word]
			if !configured {
				return d.pluginCommand(ctx, word, args)
			}
			line, err := c.Line(args)
			if err != nil || c.Target == "" || c.Target == d.currentTarget() {
				return console.Meaning{Line: line}, err
			}
			if err := d.useTarget(ctx, c.Target); err != nil {
				return console.Meaning{}, fmt.Errorf("/%s: connect to %s: %w", word, c.Target, err)
			}
			return console.Meaning{Line: line}, nil
		},
		Target: func(word string) string { return byName[word].Target },
		Values: func(word string, index int) []string { return byName[word].Values(index) },
	}, nil
}

// pluginCommand runs a plugin's command. A prompt that it makes is the operator's to send,
// and cannot be a command.
func (d *Controller) pluginCommand(ctx context.Context, word, args string) (console.Meaning, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return console.Meaning{}, err
	}
	r, err := parts.core.Plugins.Command(ctx, word, args)
	if err != nil {
		return console.Meaning{}, err
	}
	prompt := strings.TrimSpace(r.Prompt)
	if strings.HasPrefix(prompt, "!") || strings.HasPrefix(prompt, "/") {
		return console.Meaning{}, fmt.Errorf("/%s: the plugin's prompt %.40q is a command; it can only write what the model is asked", word, prompt)
	}
	return console.Meaning{Say: r.Print, Insert: prompt}, nil
}

// showPluginCommands lets the commands of plugins be given, once they have started.
func (d *Controller) showPluginCommands(h *app.Core) {
	taken, err := d.Config.OwnCommands()
	if err != nil {
		return // the start has said it
	}
	var all []keys.Custom
	for _, c := range h.Plugins.Commands() {
		if keys.IsWord(c.Name) || slices.ContainsFunc(taken, func(o owncommand.Command) bool { return o.Name == c.Name }) {
			d.screen.Notify(fmt.Sprintf("a plugin's command /%s is left out, because there is one of that name already; rename it", c.Name))
			continue
		}
		all = append(all, keys.Custom{Word: c.Name, Args: c.Args, Text: c.Description})
	}
	d.screen.SetCommands(all)
}

// begin lets the plugins' commands be given once they have started, and tells the hooks
// that nod begins to work. What they deny, each turn says again.
func (d *Controller) begin(ctx context.Context, h *app.Core) {
	if h.Plugins.Tried(ctx) != nil {
		return
	}
	d.showPluginCommands(h)
	if said := h.Hooks.Begin(ctx); said.Deny != "" && ctx.Err() == nil {
		d.screen.Notify("nothing is done: denied by the " + said.Deny)
	}
}

// pluginOptions are the console's way to the plugins.
func (d *Controller) pluginOptions() *console.Plugins {
	return &console.Plugins{
		List: func(ctx context.Context) ([]string, error) {
			parts, err := d.ready(ctx)
			if err != nil {
				return nil, err
			}
			return app.PluginLines(parts.core.Plugins), nil
		},
		Reload: func(ctx context.Context) ([]string, error) {
			parts, err := d.ready(ctx)
			if err != nil {
				return nil, err
			}
			lines, err := parts.core.Plugins.Reload()
			d.showPluginCommands(parts.core)
			return lines, err
		},
	}
}

// pluginsReport are the lines of /status about plugins.
func pluginsReport(s *plugin.Set) []string {
	var lines []string
	for _, st := range s.Statuses() {
		lines = append(lines, "plugin   "+st.Line())
	}
	return lines
}
