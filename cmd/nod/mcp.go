package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/servers"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) mcpCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "mcp",
		Short: "servers whose tools the model may use (MCP): list, check, login, logout",
		Long: `An MCP server is a program, or an address, whose tools the model may use; each
call asks. Servers stand in [mcp.NAME] sections of the configuration (nod help mcp).
A tool can be called once you have seen how the server describes it and have
accepted that; a change is shown before the tool can be called again.`,
	}
	var asJSON, accept bool
	list := &cobra.Command{
		Use: "list", Short: "list the servers and what was accepted of them, without starting any", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.listServers(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	check := &cobra.Command{
		Use:   "check NAME",
		Short: "start a server, show what is new or changed, and ask whether to accept it",
		Long: `check starts the server, or reaches it, as the console does, and shows how its
tools differ from what was accepted. On a terminal it asks whether to accept that.
The exit status is 0 if all that the server offers is accepted, 126 if it is not,
and 125 if the server cannot be started.`,
		Example: `  nod mcp check tickets
  nod mcp check tickets --accept`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.checkServer(cmd.Context(), args[0], accept) },
	}
	check.Flags().BoolVar(&accept, "accept", false, "accept without asking")
	login := &cobra.Command{
		Use:   "login NAME",
		Short: "log in at a server with a url, in your browser",
		Long: `login prints a page of the server's; open it in a browser on this machine, and nod
takes the answer there. What it gets is in mcp-logins.json in the state folder, which
you alone can read, is renewed by itself, and is sent to that url and no other.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.loginServer(cmd.Context(), args[0]) },
	}
	logout := &cobra.Command{
		Use: "logout NAME", Short: "forget the login at a server", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.logoutServer(args[0]) },
	}
	parent.AddCommand(list, check, login, logout)
	return parent
}

// serverJSON is a server as "nod mcp list --json" prints it.
type serverJSON struct {
	Name     string `json:"name"`
	Where    string `json:"where"`
	Required bool   `json:"required"`
	Accepted int    `json:"accepted_tools"`
	Readable int    `json:"accepted_resources"`
}

func (a *program) listServers(asJSON bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return err
	}
	pins, enc := mcp.NewPins(filepath.Join(state, servers.PinsFile)), json.NewEncoder(a.Out)
	all := c.MCP()
	for _, s := range all {
		accepted, readable, err := pins.Counts(s.Name)
		if err != nil {
			return err
		}
		if asJSON {
			err = enc.Encode(serverJSON{s.Name, s.Where(), s.Required, accepted, readable})
		} else {
			err = a.Printf("%s: %s, %s accepted\n", s.Name, screen.CleanLines(s.Where()), mcp.Counts(accepted, readable))
		}
		if err != nil {
			return err
		}
	}
	if len(all) == 0 && !asJSON {
		return a.Printf("no MCP server is configured; \"nod help mcp\" says how\n")
	}
	return nil
}

func (a *program) checkServer(ctx context.Context, name string, accept bool) (err error) {
	h, err := a.openServers()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	lines, err := h.Servers.Look(ctx, name)
	if err != nil {
		return fmt.Errorf("mcp check: %w", err)
	}
	for _, l := range lines {
		if err := a.Printf("%s\n", screen.CleanLines(l)); err != nil {
			return err
		}
	}
	for _, st := range h.Servers.Statuses() {
		if st.Name == name {
			if err := a.Printf("%s\n", screen.CleanLines(st.Line())); err != nil {
				return err
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if !accept {
		terminal := questions.OnTerminal(&a.System)
		defer terminal.Close()
		if terminal == nil {
			return process.ExitStatus(process.StatusDenied)
		}
		yes, err := terminal.Allow(ctx, "accept?", "Every call still asks. Is the model to use these?")
		if err != nil {
			return err
		}
		if !yes {
			return process.ExitStatus(process.StatusDenied)
		}
	}
	usable, err := h.Servers.Accept(name)
	if err != nil {
		return fmt.Errorf("mcp check: %w", err)
	}
	return a.Printf("accepted: the model can use %s of %s\n", usable, name)
}

// openServers opens what a command about one server works with.
func (a *program) openServers() (*app.Core, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	return app.Open(c, a.Getenv, app.Options{Version: version})
}

func (a *program) loginServer(ctx context.Context, name string) (err error) {
	h, err := a.openServers()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	err = h.Servers.Login(ctx, name, func(page string) error {
		return a.Printf("open this page in a browser on this machine:\n\n%s\n\n", screen.CleanLines(page))
	})
	switch {
	case errors.Is(err, mcp.ErrNoLogin):
		return a.Printf("%s lets nod in without a login\n", name)
	case err != nil:
		return fmt.Errorf("mcp login: %w", err)
	}
	return a.Printf("logged in at %s\n", name)
}

func (a *program) logoutServer(name string) (err error) {
	h, err := a.openServers()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	was, err := h.Servers.Logout(name)
	switch {
	case err != nil:
		return fmt.Errorf("mcp logout: %w", err)
	case !was:
		return a.Printf("there was no login at %s\n", name)
	}
	return a.Printf("the login at %s is forgotten; at the server it may be valid until its time is up\n", name)
}
