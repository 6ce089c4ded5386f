// Package servers joins the MCP servers of the configuration with the rest of nod: where
// their pins are, what holds their programs, and how they stand in lines.
package servers

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/tools/plugin/mcp/oauth"
)

// PinsFile is the file of the state folder with the definitions that were accepted.
const PinsFile = "mcp.json"

// LoginsFile is the file of the state folder with the logins at servers.
const LoginsFile = "mcp-logins.json"

// Options say what servers work with.
type Options struct {
	Config   *config.Config
	Getenv   func(string) string
	State    string
	Guard    *guard.Guard
	Registry *tools.Registry
	Hidden   []string // nod's own files and folders
	Ask      mcp.Asker
	Warn     func(string)
	Record   func(text string) error // see [mcp.Options]
	Version  string                  // nod's own, which servers are told
	Reserved []string                // names that no server's tool may have
}

// inherited are the environment variables that each program gets.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR"}

// Open makes the set of the configured servers. Nothing is started by it.
func Open(o Options) *mcp.Set {
	var environ []string
	for _, name := range inherited {
		if value := o.Getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	here := local.New(environ)
	return mcp.New(mcp.Options{
		Servers: o.Config.MCP(), Registry: o.Registry, Guard: o.Guard,
		Pins: mcp.NewPins(filepath.Join(o.State, PinsFile)), Local: here,
		Logins: oauth.NewStore(filepath.Join(o.State, LoginsFile)),
		Cages:  confine.NewKeeper(here, policy.SecretPatterns(o.Hidden...)),
		Hidden: o.Hidden, Getenv: o.Getenv, Version: o.Version, Record: o.Record, Ask: o.Ask, Warn: o.Warn, Reserved: o.Reserved,
	})
}

// none says how servers are added.
const none = "no MCP server is configured; \"nod help mcp\" says how"

// Lines are the lines of /mcp.
func Lines(s *mcp.Set) []string {
	var lines []string
	for _, st := range s.Statuses() {
		lines = append(lines, st.Line())
		for _, r := range st.Resources {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("  resource %s %s", r.URI, r.Name), " "))
		}
	}
	if len(lines) == 0 {
		return []string{none}
	}
	return append(lines, "/mcp NAME shows what is new or changed there; /mcp accept NAME lets the model use it")
}

// Look are the lines of /mcp NAME.
func Look(ctx context.Context, s *mcp.Set, name string) ([]string, error) {
	lines, err := s.Look(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return []string{name + ": nothing is new or changed"}, nil
	}
	return append(lines, fmt.Sprintf("/mcp accept %s lets the model use that; every call still asks", name)), nil
}

// Accept are the lines of /mcp accept NAME.
func Accept(ctx context.Context, s *mcp.Set, name string) ([]string, error) {
	usable, err := s.Accept(name)
	if errors.Is(err, mcp.ErrNotShown) {
		lines, err := Look(ctx, s, name)
		if err == nil {
			lines = append(lines, "this has not been shown before, so nothing was accepted yet")
		}
		return lines, err
	}
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("accepted: the model can use %s of %s, and each call asks", usable, name)}, nil
}

// Prompts are the lines of /prompt, of one server or of all.
func Prompts(ctx context.Context, s *mcp.Set, name string) ([]string, error) {
	if err := s.Reach(ctx, name); err != nil {
		return nil, err
	}
	var lines []string
	for _, st := range s.Statuses() {
		if name != "" && st.Name != name {
			continue
		}
		for _, p := range st.Prompts {
			line := "/prompt " + st.Name + " " + p.Name
			for _, a := range p.Args {
				if a.Required {
					line += " " + a.Name + "="
				} else {
					line += " [" + a.Name + "=]"
				}
			}
			if p.Description != "" {
				line += ": " + p.Description
			}
			lines = append(lines, line)
		}
	}
	switch {
	case len(lines) > 0:
		return lines, nil
	case len(s.Names()) == 0:
		return []string{none}, nil
	case name != "":
		return []string{name + " has no prompts"}, nil
	}
	return []string{"no MCP server has prompts, or none is connected"}, nil
}
