package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) pluginCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "plugin",
		Short: "tools, hooks and commands of your own, in Lua: new, check, install, list, remove",
		Long: `A plugin is a folder with plugin.toml and Lua code that registers tools for the
model, hooks and commands. Its code runs in a confined process; what it wants done is asked and put on
record as if the model had wanted it, and only if plugin.toml asks for it. "nod help
plugins" says how one is written.`,
	}
	var yes bool
	install := &cobra.Command{
		Use:   "install FOLDER|ARCHIVE",
		Short: "install a plugin, or accept what was changed in it",
		Long: `install shows what a plugin asks for and keeps it, pinned by the digest of its
files. It takes a folder, such as a checkout of git, or an archive (.tar.gz, .tgz,
.zip) on this machine. A running nod takes it with /plugins reload.`,
		Example: `  nod plugin check ./tickets
  nod plugin install ./tickets
  nod plugin install tickets-1.2.0.tar.gz`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return named("plugin install", a.installPlugin(cmd.Context(), args[0], yes))
		},
	}
	install.Flags().BoolVar(&yes, "yes", false, "do not ask")
	parent.AddCommand(install, &cobra.Command{
		Use: "list", Short: "list the plugins, also those that are not loaded", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listPlugins() },
	}, &cobra.Command{
		Use: "check FOLDER|ARCHIVE", Short: "run a plugin's start and its test without effects, and print what it would register", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.checkPlugin(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use: "new NAME", Short: "write a plugin that works, with its test, into a new folder", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := plugin.New(args[0], filepath.Base(args[0])); err != nil {
				return fmt.Errorf("plugin new: %w", err)
			}
			return a.Printf("%s is there; look at it, then: nod plugin check %s\n", args[0], args[0])
		},
	}, &cobra.Command{
		Use: "remove NAME", Short: "remove a plugin", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := a.plugins()
			if err != nil {
				return err
			}
			return named("plugin remove", a.remove("plugin", args[0], store.Knows, store.Remove))
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
	return printRows(a.Out, all, func(p plugin.Installed) []string {
		return []string{p.Name, p.Version, unless(p.Fault, "not loaded", p.Description)}
	})
}

func (a *program) installPlugin(ctx context.Context, from string, yes bool) error {
	store, err := a.plugins()
	if err != nil {
		return err
	}
	p, err := plugin.Find(from)
	if err != nil {
		return err
	}
	return a.install(ctx, installing{
		about: screen.CleanLines(p.Describe()), question: codeQuestion, kind: "plugin", id: p.Name + " " + p.Version + " " + p.Digest,
		keep: func() (string, error) {
			return "; it runs when nod is started next, or after /plugins reload", store.Install(p)
		},
	}, yes)
}

func (a *program) checkPlugin(ctx context.Context, from string) error {
	p, err := plugin.Find(from)
	if err != nil {
		return fmt.Errorf("plugin check: %w", err)
	}
	options, err := app.PluginOptions(func(_, method, text string) { a.Complain("%s: %s", method, text) })
	if err != nil {
		return err
	}
	options.Test = true
	l, err := plugin.Load(ctx, p, options)
	if err != nil {
		return fmt.Errorf("plugin check: %w", err)
	}
	defer l.Close()
	return a.Printf("%s\n\n%s", screen.CleanLines(p.Describe()), screen.CleanLines(l.Registered()))
}
