package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/cmd/nod/topics"
	"github.com/nod-console/nod/ui/keys"
)

// topicCommands are "nod help TOPIC" for each topic.
func (a *program) topicCommands() []*cobra.Command {
	var all []*cobra.Command
	for _, t := range topics.All {
		all = append(all, &cobra.Command{
			Use: t.Name, Short: t.Short, Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return a.Printf("%s", topics.Page(t.Name)) },
		})
	}
	return append(all, a.keysTopic())
}

// helpCommand is "nod help". The topics are its own: among the commands of nod they
// would stand in the way of targets with their names. What it knows nothing of is an
// error; for cobra it would be a target.
func (a *program) helpCommand() *cobra.Command {
	help := &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "help about a command or a topic",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("help: %q is neither a command nor a topic%s; nod help lists them", strings.Join(args, " "), nearest(args, cmd, about))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var all []cobra.Completion
			for _, c := range about.Commands() {
				if c.IsAvailableCommand() {
					all = append(all, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
	}
	help.AddCommand(a.topicCommands()...)
	return help
}

// withTopics has the help of nod itself list the topics.
func withTopics(root, help *cobra.Command) {
	usage := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		if err := usage(c); err != nil || c.HasParent() {
			return err
		}
		var list strings.Builder
		for _, topic := range help.Commands() {
			fmt.Fprintf(&list, "  %-14s%s\n", topic.Name(), topic.Short)
		}
		_, err := fmt.Fprintf(c.OutOrStderr(), "\nTopics (nod help TOPIC):\n%s", &list)
		return err
	})
}

// keysTopic is "nod help keys": the keys as the configuration has them.
func (a *program) keysTopic() *cobra.Command {
	return &cobra.Command{
		Use: "keys", Short: "the console's keys and commands, and how to bind keys", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var table *keys.Table
			c, err := a.config()
			if err == nil {
				table, err = controller.BoundKeys(c)
			}
			if err != nil {
				a.Complain("%v", err)
				a.Complain("these are the keys without the configuration:")
			}
			return a.Printf("%s", topics.Keys(table))
		},
	}
}
