package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
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

// completer finds what a word could become; an error means that it is not known.
type completer func(ctx context.Context, word string) ([]cobra.Completion, error)

// complete has cobra complete arguments and flags.
func (a *program) complete(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	files := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	for path, f := range map[string]cobra.CompletionFunc{
		"nod":                completing(a.targetNames, cobra.ShellCompDirectiveNoFileComp),
		"nod run":            files,
		"nod policy test":    files,
		"nod memory allow":   files,
		"nod memory refuse":  files,
		"nod memory edit":    words("global", "project"),
		"nod memory path":    words("global", "project"),
		"nod memory show":    completing(a.patternNames, cobra.ShellCompDirectiveNoFileComp),
		"nod memory strike":  completing(a.patternNames, cobra.ShellCompDirectiveNoFileComp),
		"nod skill install":  files,
		"nod skill show":     completing(a.skillNames, cobra.ShellCompDirectiveNoFileComp),
		"nod skill remove":   completing(a.skillNames, cobra.ShellCompDirectiveNoFileComp),
		"nod history show":   completing(a.conversationNames, cobra.ShellCompDirectiveNoFileComp),
		"nod history fork":   completing(a.conversationNames, cobra.ShellCompDirectiveNoFileComp),
		"nod history export": completing(a.conversationNames, cobra.ShellCompDirectiveNoFileComp),
		"nod history delete": completing(a.conversationNames, cobra.ShellCompDirectiveNoFileComp),
		"nod replay":         completing(a.runNames, cobra.ShellCompDirectiveDefault),
		"nod recordings rm":  completing(a.recordingNames, cobra.ShellCompDirectiveNoFileComp),
		"nod ssh start":      completing(a.hostNames, cobra.ShellCompDirectiveNoFileComp),
		"nod ssh status":     completing(a.hostNames, cobra.ShellCompDirectiveNoFileComp),
		"nod ssh stop":       completing(a.hostNames, cobra.ShellCompDirectiveNoFileComp),
		"nod config key":     completing(a.modelNames, cobra.ShellCompDirectiveNoFileComp),
	} {
		cmd, _, err := root.Find(strings.Fields(path)[1:])
		if err != nil || cmd.CommandPath() != path {
			panic("there is no command " + path) // a test builds the commands
		}
		cmd.ValidArgsFunction = f
	}
	completeFlags(root, map[string]cobra.CompletionFunc{
		"target":  completing(a.targetNames, cobra.ShellCompDirectiveNoFileComp),
		"model":   completing(a.modelNames, cobra.ShellCompDirectiveNoFileComp),
		"resume":  completing(a.conversationNames, cobra.ShellCompDirectiveNoFileComp),
		"posture": words("ask", "ask-all", "read-only"),
		"theme":   words(append(themes.Names(), themes.Auto)...),
		"shell":   words("bash", "sh", "zsh", "fish"),
		"config":  files, "against": files, "output": files, "dir": files,
		"nod replay --export":         words("v2", "v3", "svg", "text"),
		"nod audit export --format":   words("json", "markdown"),
		"nod history export --format": words("markdown", "jsonl"),
	})
}

// completeFlags has cobra complete the flags of a name, or of a name at one
// command, at all commands below parent.
func completeFlags(parent *cobra.Command, by map[string]cobra.CompletionFunc) {
	parent.LocalFlags().VisitAll(func(f *pflag.Flag) {
		do := by[parent.CommandPath()+" --"+f.Name]
		if do == nil {
			do = by[f.Name]
		}
		if do == nil {
			return
		}
		if err := parent.RegisterFlagCompletionFunc(f.Name, do); err != nil {
			panic(err) // registered twice; a test builds the commands
		}
	})
	for _, c := range parent.Commands() {
		completeFlags(c, by)
	}
}

func words(all ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// completing makes a completer one of cobra's. What was named already is not
// offered again.
func completing(find completer, also cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = cmd.Root().Context()
		}
		all, err := find(ctx, word)
		if err != nil {
			cobra.CompErrorln(err.Error())
		}
		var fit []cobra.Completion
		for _, c := range all {
			name, _, _ := strings.Cut(c, "\t")
			if strings.HasPrefix(name, word) && !strings.ContainsAny(name, special+" ") && !slices.Contains(args, name) && !slices.Contains(fit, c) {
				fit = append(fit, c)
			}
		}
		return fit, also | cobra.ShellCompDirectiveKeepOrder
	}
}

// mostAbout is how long what is said about a candidate is, in characters.
const mostAbout = 60

// special are characters that mean something to shells.
const special = "`$\\\"'<>&|;*?[]{}()~!#"

// described is a candidate with what is said about it. That is foreign text, and
// shells expand what they are given: only what means nothing to them is left.
func described(name, about string) cobra.Completion {
	about = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) || strings.ContainsRune(special, r) {
			return ' '
		}
		return r
	}, about)
	about = strings.Join(strings.Fields(about), " ")
	if short := []rune(about); len(short) > mostAbout {
		about = string(short[:mostAbout-1]) + "…"
	}
	return cobra.CompletionWithDesc(name, about)
}

// targetNames are the targets that nod targets lists, hosts also without "ssh:" once
// a letter is written, and containers once their kind is.
func (a *program) targetNames(ctx context.Context, word string) (names []cobra.Completion, err error) {
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		if strings.HasPrefix(word, string(kind)+":") {
			return a.containerNames(ctx, kind)
		}
	}
	names = append(names, described(local.Name, "this machine"))
	hosts, err := a.hostNames(ctx, "")
	for _, h := range hosts {
		names = append(names, "ssh:"+h)
	}
	if word != "" {
		names = append(names, hosts...)
	}
	return names, err
}

// listTime is how long an engine may take to list its containers.
const listTime = 3 * time.Second

func (a *program) containerNames(ctx context.Context, kind docker.Kind) (names []cobra.Completion, err error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	engine, err := docker.Find(ctx, docker.Settings{Kind: kind, Host: c.Docker.Host, Context: c.Docker.Context, Getenv: a.Getenv})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	all, err := engine.List(ctx)
	for _, c := range all {
		names = append(names, described(string(kind)+":"+c.Name, c.Image+" "+c.Status))
	}
	return names, err
}

func (a *program) hostNames(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	l, err := targets.NewConnections(c, a.Getenv)
	if err != nil {
		return nil, err
	}
	names, err = ssh.Names(l.SSHOptions())
	if err != nil {
		return nil, err
	}
	held, err := l.Folder.List(ctx)
	for _, h := range held {
		if name := strings.TrimPrefix(h.Host, "ssh:"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

func (a *program) modelNames(context.Context, string) (names []cobra.Completion, err error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		names = append(names, described(name, c.Models[name].Model))
	}
	return names, nil
}

// inHistory reads the conversations, if there are any, and changes nothing.
func (a *program) inHistory(ctx context.Context, f func(*history.Store) error) error {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return err
	}
	s, err := history.Open(ctx, config.HistoryDir(state), history.Options{ReadOnly: true})
	if errors.Is(err, history.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

func (a *program) conversationNames(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	err = a.inHistory(ctx, func(s *history.Store) error {
		all, err := s.List(ctx, 0)
		for _, c := range all {
			names = append(names, described(c.ID, c.Title))
		}
		return err
	})
	return names, err
}

func (a *program) patternNames(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	err = a.inHistory(ctx, func(s *history.Store) error {
		all, err := s.Patterns(ctx, "", false)
		for _, p := range all {
			names = append(names, described(p.ID, p.Step.Action))
		}
		return err
	})
	return names, err
}

func (a *program) skillNames(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return nil, err
	}
	k := app.NewGuidance(c, a.Getenv, state, nil, func(string) {}) // what is wrong with a folder, its own commands say
	k.Read(ctx)
	for _, s := range k.Catalog().All() {
		names = append(names, described(s.Name, s.Description))
	}
	return names, nil
}

func (a *program) recordingNames(context.Context, string) (names []cobra.Completion, err error) {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return nil, err
	}
	all, err := recording.List(config.RecordingsDir(state))
	for _, f := range slices.Backward(all) {
		names = append(names, described(f.Name, f.Target+" "+f.Started.Local().Format(time.DateTime)))
	}
	return names, err
}

// runNames are the runs that can be played, the newest first.
func (a *program) runNames(context.Context, string) (names []cobra.Completion, err error) {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return nil, err
	}
	err = ledger.Read(config.LedgerDir(state), func(r ledger.Record) error {
		if r.Intent != nil && r.Intent.Recording != nil {
			names = append(names, described(record.Short(r.Intent.ID), r.Intent.Target+": "+r.Intent.Command))
		}
		return nil
	})
	slices.Reverse(names)
	if errors.Is(err, ledger.ErrNone) {
		err = nil
	}
	return names, err
}
