package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/shellcompletion"
	"github.com/nod-console/nod/themes"
)

// completionCommand prints what a shell needs to complete nod's command lines.
func (a *program) completionCommand() *cobra.Command {
	shells := map[string]func(*cobra.Command) error{
		"bash": func(root *cobra.Command) error { return root.GenBashCompletionV2(a.Out, true) },
		"zsh":  func(root *cobra.Command) error { return root.GenZshCompletion(a.Out) },
		"fish": func(root *cobra.Command) error { return root.GenFishCompletion(a.Out, true) },
	}
	names := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "print a script by which your shell completes nod's commands",
		Long: `completion prints a script for your shell. With it, Tab completes commands and
flags, and what they take: targets (also containers, behind docker: and podman:),
conversations, runs, recordings, patterns, skills, models, postures and themes.`,
		Example: `  bash   echo 'source <(nod completion bash)' >> ~/.bashrc      (needs bash-completion)
  zsh    nod completion zsh > "${fpath[1]}/_nod"                (after compinit)
  fish   nod completion fish > ~/.config/fish/completions/nod.fish`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && shells[args[0]] != nil {
				return shells[args[0]](cmd.Root())
			}
			return fmt.Errorf("completion: %q is no shell that it knows; want one of %s", strings.Join(args, " "), strings.Join(names, ", "))
		},
	}
}

// complete has cobra complete arguments and flags.
func (a *program) complete(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	find, only, orFiles := &shellcompletion.Candidates{Config: a.config, Getenv: a.Getenv}, shellcompletion.Only, shellcompletion.OrFiles
	files := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	for path, f := range map[string]cobra.CompletionFunc{
		"nod":                only(find.Targets),
		"nod run":            files,
		"nod policy test":    files,
		"nod memory allow":   files,
		"nod memory refuse":  files,
		"nod memory edit":    shellcompletion.Words("global", "project"),
		"nod memory path":    shellcompletion.Words("global", "project"),
		"nod memory show":    only(find.Patterns),
		"nod memory strike":  only(find.Patterns),
		"nod skill install":  files,
		"nod skill show":     only(find.Skills),
		"nod skill remove":   only(find.Skills),
		"nod history show":   only(find.Conversations),
		"nod history fork":   only(find.Conversations),
		"nod history export": only(find.Conversations),
		"nod history delete": only(find.Conversations),
		"nod replay":         orFiles(find.Runs),
		"nod recordings rm":  only(find.Recordings),
		"nod ssh start":      only(find.Hosts),
		"nod ssh status":     only(find.Hosts),
		"nod ssh stop":       only(find.Hosts),
		"nod config key":     only(find.Models),
	} {
		cmd, _, err := root.Find(strings.Fields(path)[1:])
		if err != nil || cmd.CommandPath() != path {
			panic("there is no command " + path) // a test builds the commands
		}
		cmd.ValidArgsFunction = f
	}
	shellcompletion.Flags(root, map[string]cobra.CompletionFunc{
		"target":  only(find.Targets),
		"model":   only(find.Models),
		"resume":  only(find.Conversations),
		"posture": shellcompletion.Words("ask", "ask-all", "read-only"),
		"theme":   shellcompletion.Words(append(themes.Names(), themes.Auto)...),
		"shell":   shellcompletion.Words("bash", "sh", "zsh", "fish"),
		"config":  files, "against": files, "output": files, "dir": files,
		"nod replay --export":         shellcompletion.Words("v2", "v3", "svg", "text"),
		"nod audit export --format":   shellcompletion.Words("json", "markdown"),
		"nod history export --format": shellcompletion.Words("markdown", "jsonl"),
	})
}
