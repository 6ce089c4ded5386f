package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/jsagent"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) agentCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "agent",
		Short: "agents of your own, in JavaScript: run, new, list, install, remove, check",
		Long: `An agent is a folder with agent.yaml and main.js. Its code runs in a confined
process; what it wants done is asked and put on record as if the model had wanted
it, and only if agent.yaml asks for it. "nod help agents" says how one is written.`,
	}
	var yes bool
	install := &cobra.Command{
		Use: "install FOLDER", Short: "install an agent, or accept what was changed in it", Args: cobra.ExactArgs(1),
		Example: `  nod agent check ./reviewer
  nod agent install ./reviewer`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return named("agent install", a.installAgent(cmd.Context(), args[0], yes))
		},
	}
	install.Flags().BoolVar(&yes, "yes", false, "do not ask")
	parent.AddCommand(a.agentRunCommand(), install, &cobra.Command{
		Use: "new NAME", Short: "write an agent that works, with its test, into a folder of that name", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := jsagent.New(args[0]); err != nil {
				return fmt.Errorf("agent new: %w", err)
			}
			return a.Printf("%s is written; look at it and run its test: nod agent check ./%s\n", args[0], args[0])
		},
	}, &cobra.Command{
		Use: "list", Short: "list the agents that are installed, also those that are not run", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listScriptedAgents() },
	}, &cobra.Command{
		Use: "remove NAME", Short: "remove an agent that is installed", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := a.agents()
			if err != nil {
				return named("agent remove", err)
			}
			return named("agent remove", a.remove("agent", args[0], store.Has, store.Remove))
		},
	}, &cobra.Command{
		Use: "check FOLDER", Short: "run an agent's start without effects, and print what it would register", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.checkJSAgent(cmd.Context(), args[0]) },
	})
	return parent
}

func (a *program) agentRunCommand() *cobra.Command {
	var goal string
	cmd := &cobra.Command{
		Use:   "run FOLDER|NAME",
		Short: "run an agent for a goal",
		Long: `run runs an agent: one that is installed, by its name, or a folder, named with a
slash (./reviewer). In the mode agentic, the model works at the goal with the agent's
tools; the answer goes to standard output, what happens meanwhile to standard error.

What acts is asked on the terminal; without one it is denied. Without --goal, the goal
is read from standard input. --model names a model of the configuration, or a server
that speaks the OpenAI protocol and needs no key. With NOD_TRACE=1, standard error has
what was registered, the prompts, each turn and each call.

The exit status is that of nod ask: 0 when it ended well, 125 when it failed, 126
when it ended on a denial, 130 when it was interrupted.`,
		Example: `  nod agent run ./reviewer --goal "look at /srv/app"
  git diff | nod agent run reviewer --model http://127.0.0.1:8080/v1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("goal") {
				var err error
				if goal, err = a.goal(); err != nil {
					return fmt.Errorf("agent run: %w", err)
				}
			}
			return named("agent run", a.runAgent(cmd.Context(), args[0], goal))
		},
	}
	cmd.Flags().StringVar(&goal, "goal", "", "what the agent is to do")
	return cmd
}

func (a *program) runAgent(ctx context.Context, what, goal string) error {
	one, err := a.findAgent(what)
	if err != nil {
		return err
	}
	if a.flags.model == "" {
		a.flags.model = one.Model // before the configuration's
	}
	n, err := a.oneshot()
	if err != nil {
		return err
	}
	return n.RunAgent(ctx, one, goal)
}

// goal reads a goal from the standard input.
func (a *program) goal() (string, error) {
	if a.OnInput() {
		return "", errors.New(`no goal is given; say what it is to do: --goal "look at /srv/app"`)
	}
	data, err := io.ReadAll(a.In)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", errors.New(`no goal is given, and standard input is empty; say what it is to do with --goal`)
	}
	return strings.TrimSpace(string(data)), nil
}

func (a *program) agents() (jsagent.Store, error) {
	state, err := config.StatePath(a.Getenv)
	return app.AgentStore(state), err
}

// findAgent is the agent in a folder, or the installed one of a name.
func (a *program) findAgent(what string) (jsagent.Agent, error) {
	if strings.ContainsRune(what, filepath.Separator) || what == "." || what == ".." {
		return jsagent.Read(what)
	}
	store, err := a.agents()
	if err != nil {
		return jsagent.Agent{}, err
	}
	found, err := store.Find(what)
	if err != nil {
		if _, missing := os.Stat(filepath.Join(what, jsagent.ManifestName)); missing == nil {
			err = fmt.Errorf("%w; the folder here is ./%s", err, what)
		}
	}
	return found, err
}

func (a *program) listScriptedAgents() error {
	store, err := a.agents()
	if err != nil {
		return err
	}
	all, err := store.All()
	if err != nil {
		return fmt.Errorf("agent list: %w", err)
	}
	return printRows(a.Out, all, func(one jsagent.Installed) []string {
		return []string{one.Name, one.Version, unless(one.Fault, "not run", one.Description)}
	})
}

func (a *program) installAgent(ctx context.Context, from string, yes bool) error {
	store, err := a.agents()
	if err != nil {
		return err
	}
	one, err := jsagent.Read(from)
	if err != nil {
		return err
	}
	return a.install(ctx, installing{
		about: screen.CleanLines(one.Describe()), question: codeQuestion, kind: "agent", id: one.Name + " " + one.Version + " " + one.Digest,
		keep: func() (string, error) {
			return fmt.Sprintf("; run it with nod agent run %s --goal TEXT", one.Name), store.Install(one)
		},
	}, yes)
}

func (a *program) checkJSAgent(ctx context.Context, from string) error {
	one, err := jsagent.Read(from)
	if err != nil {
		return fmt.Errorf("agent check: %w", err)
	}
	options, err := app.AgentOptions(version, func(_, text string) { _, _ = io.WriteString(a.Err, text) })
	if err != nil {
		return err
	}
	run, err := jsagent.Open(ctx, one, options)
	if err != nil {
		return fmt.Errorf("agent check: %w", err)
	}
	defer run.Close()
	if err := a.Printf("%s\n", screen.CleanLines(one.Describe())); err != nil {
		return err
	}
	if err := run.Main(ctx, "", tools.Env{}); err != nil {
		return fmt.Errorf("agent check: %w", err)
	}
	if err := jsagent.Test(ctx, one, options); err != nil {
		return fmt.Errorf("agent check: %s: %w", jsagent.TestName, err)
	}
	return a.Printf("\n%s", screen.CleanLines(run.Registered()))
}
