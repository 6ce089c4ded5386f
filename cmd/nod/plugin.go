package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) pluginCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "plugin",
		Short: "tools of your own for the model, in Lua: list, install, remove, check",
		Long: `A plugin is a folder with plugin.toml and Lua code that registers tools for the
model. Its code runs in a confined process; what it wants done is asked and put on
record as if the model had wanted it, and only if plugin.toml asks for it. "nod help
plugins" says how one is written.`,
	}
	var yes bool
	install := &cobra.Command{
		Use:   "install FOLDER",
		Short: "install a plugin, or accept what was changed in it",
		Example: `  nod plugin check ./tickets
  nod plugin install ./tickets`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.installPlugin(cmd.Context(), args[0], yes)
			if status := process.ExitStatus(0); err != nil && !errors.As(err, &status) {
				err = fmt.Errorf("plugin install: %w", err)
			}
			return err
		},
	}
	install.Flags().BoolVar(&yes, "yes", false, "do not ask")
	parent.AddCommand(install, &cobra.Command{
		Use: "list", Short: "list the plugins, also those that are not loaded", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listPlugins() },
	}, &cobra.Command{
		Use: "check FOLDER", Short: "run a plugin's start without effects, and print what it would register", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.checkPlugin(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use: "remove NAME", Short: "remove a plugin", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := a.plugins()
			if err != nil {
				return err
			}
			if err := store.Has(args[0]); err != nil {
				return fmt.Errorf("plugin remove: %w", err)
			}
			if err := a.note("plugin removed", args[0]); err != nil {
				return fmt.Errorf("plugin remove: not done, because it cannot be put on record: %w", err)
			}
			if err := store.Remove(args[0]); err != nil {
				return fmt.Errorf("plugin remove: %w", err)
			}
			return nil
		},
	})
	return parent
}

func (a *program) plugins() (plugin.Store, error) {
	state, err := config.StatePath(a.Getenv)
	return app.PluginStore(state), err
}

func (a *program) listPlugins() error {
	store, err := a.plugins()
	if err != nil {
		return err
	}
	all, err := store.All()
	if err != nil {
		return fmt.Errorf("plugin list: %w", err)
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, p := range all {
		text := p.Description
		if p.Fault != "" {
			text = "not loaded: " + p.Fault
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", screen.CleanLines(p.Name), screen.CleanLines(p.Version), screen.CleanLines(text))
	}
	return w.Flush()
}

// aboutPlugin is what a plugin is and asks for.
func aboutPlugin(p plugin.Plugin) string {
	words := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return strings.Join(list, ", ")
	}
	asks := p.Permissions
	return screen.CleanLines(fmt.Sprintf("%s %s\n%s\n\nmay ask for\n  tools:   %s\n  targets: %s\n  hosts:   %s\n  paths:   %s\ndigest %s",
		p.Name, p.Version, p.Description, words(asks.Tools), words(asks.Targets), words(asks.Hosts), words(asks.Paths), p.Digest))
}

func (a *program) installPlugin(ctx context.Context, from string, yes bool) error {
	store, err := a.plugins()
	if err != nil {
		return err
	}
	p, err := plugin.Read(from)
	if err != nil {
		return err
	}
	if err := a.printf("%s\n", aboutPlugin(p)); err != nil {
		return err
	}
	if !yes {
		if yes, err = a.sure(ctx, "Install it? What it asks for is decided upon each time nevertheless."); err != nil {
			return err
		}
		if !yes {
			return process.ExitStatus(process.StatusDenied)
		}
	}
	if err := a.note("plugin installed", p.Name+" "+p.Version+" "+p.Digest); err != nil {
		return fmt.Errorf("not done, because it cannot be put on record: %w", err)
	}
	if err := store.Install(p); err != nil {
		return err
	}
	return a.printf("installed; it is loaded when nod is started next\n")
}

func (a *program) checkPlugin(ctx context.Context, from string) error {
	p, err := plugin.Read(from)
	if err != nil {
		return fmt.Errorf("plugin check: %w", err)
	}
	options, err := app.PluginOptions(func(_, method, text string) { a.complain("%s: %s", method, text) })
	if err != nil {
		return err
	}
	l, err := plugin.Load(ctx, p, options)
	if err != nil {
		return fmt.Errorf("plugin check: %w", err)
	}
	defer l.Close()
	if err := a.printf("%s\n\nregisters\n", aboutPlugin(p)); err != nil {
		return err
	}
	for _, t := range l.Tools() {
		if err := a.printf("  tool %s: %s\n", t.Name(), t.Description()); err != nil {
			return err
		}
	}
	return nil
}
