package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"

	"github.com/nod-console/nod/backends/ssh"
)

// pages are the short pages of the reference, in Markdown: "nod help TOPIC" prints
// one, and the manual has all of them, in the order of topics.
//
//go:embed topics/*.md
var pages embed.FS

type topic struct{ name, short string }

var topics = []topic{
	{"prompt", "what a prompt can name: files and targets"},
	{"approval", "when nod asks, the keys of its question, and what comes after"},
	{"screen", "sizes and places, keys of your own, writing ahead"},
	{"overview", "all targets at once: how they do, what runs, what waits for you"},
	{"configuration", "the configuration file and its settings"},
	{"models", "a model behind the OpenAI protocol"},
	{"tools", "what the model can use: files and the web"},
	{"fleets", "many targets in one call, and how sets of them are named"},
	{"mcp", "servers whose tools the model can use (MCP)"},
	{"commands", "commands of your own"},
	{"plugins", "tools, hooks and commands of your own, in Lua"},
	{"hooks", "programs and plugins that may deny what happens"},
	{"agents", "agents of your own, in JavaScript"},
	{"remember", "conversations, memory, skills and sub-agents"},
	{"rules", "what runs by itself, asks or is denied: posture and rules"},
	{"hosts", "hosts over ssh"},
	{"ssh_config", "what becomes of each option of ssh_config"},
	{"containers", "containers of Docker and Podman"},
	{"panes", "panes, what they have in their environment, the shell's history"},
	{"shells", "which shells are tracked in panes, and what changes that"},
	{"confinement", "what runs where the kernel lets it change nothing"},
	{"record", "what ran: the record and the recordings of panes"},
	{"outcomes", "what nod run prints with --json, and how it ends"},
	{"environment", "the variables that nod reads"},
	{"files", "the files and folders that nod reads and writes"},
	{"status", "exit statuses"},
}

// page is the text of a topic.
func page(name string) string {
	text, err := pages.ReadFile("topics/" + name + ".md")
	if err != nil {
		panic(err) // it is embedded, and a test reads all
	}
	if name == "ssh_config" {
		return string(text) + sshOptions()
	}
	return string(text)
}

// sshOptions are the options of ssh_config and what becomes of them.
func sshOptions() string {
	var text strings.Builder
	for _, k := range ssh.Keywords() {
		fmt.Fprintf(&text, "    %s: %s", k.Name, k.Status)
		if k.Note != "" {
			fmt.Fprintf(&text, " (%s)", k.Note)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// topicCommands are "nod help TOPIC" for each topic.
func (a *program) topicCommands() []*cobra.Command {
	var all []*cobra.Command
	for _, t := range topics {
		all = append(all, &cobra.Command{
			Use: t.name, Short: t.short, Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return a.Printf("%s", page(t.name)) },
		})
	}
	return append(all, a.keysTopic())
}

// manualPages are all topics as sections of a manual page.
func manualPages() string {
	var text strings.Builder
	for _, t := range topics {
		title, body, _ := strings.Cut(page(t.name), "\n")
		text.WriteString("\n" + strings.ToUpper(title) + "\n" + body)
	}
	// A page begins with a title of its own, which this one has already.
	_, sections, _ := strings.Cut(string(md2man.Render([]byte("# title\n"+text.String()))), ".SH")
	return ".SH" + sections
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
