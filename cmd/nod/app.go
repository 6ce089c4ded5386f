package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// program is one invocation of nod.
type program struct {
	process.System
	args  []string              // as they were given
	hide  func(names ...string) // variables from programs that nod starts; nil: none
	flags struct {
		config, theme, posture, model, resume string
		socket, pane                          string
		approveAll, plain                     bool
	}
}

func newProgram(getenv func(string) string) *program {
	return &program{System: process.Standard(getenv)}
}

// run parses args, does what they say and returns the exit status.
func (a *program) run(ctx context.Context, args []string) int {
	a.args = args
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := misspelt(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	var status process.ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	text := strings.TrimPrefix(err.Error(), "nod: ")
	var fault *history.Error
	if errors.As(err, &fault) && fault.Hint != "" {
		text += "; " + fault.Hint
	}
	a.Complain("%s", text)
	return process.StatusFailed
}

// misspelt is the error for a word that is no command of a group, for which cobra
// prints the group's help, as if all were well.
func misspelt(root *cobra.Command, args []string) error {
	group, rest, err := root.Find(args)
	if err != nil || group == root || group.Runnable() || group.ParseFlags(rest) != nil {
		return nil //nolint:nilerr // cobra says the same again
	}
	words := group.Flags().Args()
	if len(words) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %q is none of its commands%s; %s --help lists them", called(group), words[0], nearest(words[:1], group), group.CommandPath())
}

// nearest asks whether the command of a group was meant that is nearest to the last of
// the words, the first group first; it is empty if none is near.
func nearest(words []string, groups ...*cobra.Command) string {
	for _, group := range groups {
		group.SuggestionsMinimumDistance = 2 // letters, which is cobra's own default elsewhere
		if near := group.SuggestionsFor(words[len(words)-1]); len(near) > 0 {
			return fmt.Sprintf(" (did you mean %s?)", near[0])
		}
	}
	return ""
}

// wrongFlag says behind what is wrong with a flag where they are explained.
func wrongFlag(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%s: %w; %s --help has them all", called(cmd), err, cmd.CommandPath())
}

// called is a command's name as errors begin with it.
func called(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "nod ") }

// noArgs is cobra.NoArgs in other words: what is too much is no command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %q is too much; see %s --help", called(cmd), args[0], cmd.CommandPath())
}

func (a *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "nod [TARGET...]",
		Short: "an operations console that waits for your nod",
		Long: `nod opens a full-screen console: a language model works in terminal panes that
you watch live, and whatever could change something waits for your nod.

Without a model configured, a built-in guide answers: ask it "what is filling
the disk?". To add a model, set NOD_BASE_URL, NOD_MODEL and NOD_API_KEY, or
write into ~/.config/nod/config.toml:

    [model.work]
    base_url = "https://api.example.com/v1"
    model = "name-of-the-model"
    api_key_env = "WORK_API_KEY"

"nod doctor" then says whether it answers; "nod help keys" has all keys.`,
		Example: `  nod                                    the console on this machine
  nod ask "why is the load so high?"     one question, without the screen
  nod --pane %3                          in a pane that you already have
  nod run -- systemctl restart nginx     one command through risk, rules and record
  nod risk 'find /var -name "*.log" -delete'`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // targets
		RunE:          a.console,
	}
	root.SetFlagErrorFunc(wrongFlag)
	p := root.PersistentFlags()
	p.StringVar(&a.flags.config, "config", "", "configuration file")
	p.StringVar(&a.flags.posture, "posture", "", "ask, ask-all or read-only")
	p.StringVar(&a.flags.model, "model", "", "which [model.NAME] answers")
	p.StringVar(&a.flags.socket, "tmux-socket", "", "tmux server: a name as for tmux -L, or a path as for tmux -S")
	f := root.Flags()
	f.StringVar(&a.flags.pane, "pane", "", "work in a pane that you already have, such as %3 (tmux list-panes -a)")
	f.BoolVar(&a.flags.plain, "plain", false, "lines instead of a screen, for screen readers and logs (also ACCESSIBLE=1)")
	f.StringVar(&a.flags.resume, "resume", "", "go on with the last conversation, or with --resume=ID (nod history list)")
	f.Lookup("resume").NoOptDefVal = controller.LastConversation
	f.StringVar(&a.flags.theme, "theme", "", "colours: see \"nod config explain\"")
	root.AddCommand(
		a.askCommand(), a.runCommand(), a.riskCommand(), a.policyCommand(), a.auditCommand(), a.replayCommand(), a.recordingsCommand(), a.historyCommand(),
		a.memoryCommand(), a.skillCommand(), a.pluginCommand(), a.agentCommand(), a.agentsCommand(), a.mcpCommand(),
		a.targetsCommand(), a.sshCommand(), a.configCommand(), a.traceCommand(), a.doctorCommand(), a.manCommand(), a.versionCommand(),
		a.completionCommand(),
	)
	help := a.helpCommand()
	root.SetHelpCommand(help)
	withTopics(root, help)
	a.complete(root)
	return root
}

// config loads the configuration with the flags that were given.
func (a *program) config() (*config.Config, error) {
	src := config.Source{Getenv: a.Getenv, Flags: map[string]string{}, FlagNames: map[string]string{}}
	for _, f := range []struct{ key, name, value string }{
		{"config", "config", a.flags.config},
		{"display.theme", "theme", a.flags.theme},
		{"policy.posture", "posture", a.flags.posture},
		{"agent.model", "model", a.flags.model},
		{"tmux.socket", "tmux-socket", a.flags.socket},
	} {
		if f.value != "" {
			src.Flags[f.key], src.FlagNames[f.key] = f.value, f.name
		}
	}
	c, err := config.Load(src)
	if err == nil {
		_, err = controller.BoundKeys(c)
	}
	if err != nil {
		return c, err
	}
	if a.hide != nil {
		for _, m := range c.Models {
			if m.APIKeyEnv != "" {
				a.hide(m.APIKeyEnv)
			}
		}
	}
	return c, nil
}
