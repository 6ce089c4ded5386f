package controller

import (
	"context"
	"strings"

	"github.com/nod-console/nod/cmd/nod/internal/app/servers"
	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/ui/console"
)

// serverOptions are the console's way to the MCP servers; nil if none is configured.
func (d *Controller) serverOptions() *console.Servers {
	if len(d.Config.Servers) == 0 {
		return nil
	}
	var names []string
	for _, s := range d.Config.MCP() {
		names = append(names, s.Name)
	}
	lines := func(f func(context.Context, *mcp.Set, string) ([]string, error)) func(context.Context, string) ([]string, error) {
		return func(ctx context.Context, name string) ([]string, error) {
			parts, err := d.ready(ctx)
			if err != nil {
				return nil, err
			}
			return f(ctx, parts.core.Servers, name)
		}
	}
	return &console.Servers{
		Names: func() []string { return names },
		List: func(ctx context.Context) ([]string, error) {
			parts, err := d.ready(ctx)
			if err != nil {
				return nil, err
			}
			return servers.Lines(parts.core.Servers), nil
		},
		Look: lines(servers.Look), Accept: lines(servers.Accept), Prompts: lines(servers.Prompts),
		Prompt: func(ctx context.Context, server, name string, args []string) (string, error) {
			parts, err := d.ready(ctx)
			if err != nil {
				return "", err
			}
			return parts.core.Servers.Prompt(ctx, server, name, args)
		},
	}
}

// serversReport are the lines of /status about servers.
func serversReport(s *mcp.Set) []string {
	var lines []string
	for _, st := range s.Statuses() {
		lines = append(lines, "mcp      "+strings.TrimSpace(st.Line()))
	}
	return lines
}
