package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
)

func (a *program) runCommand() *cobra.Command {
	var f oneshot.Command
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND",
		Short: "run one command through risk, rules, approval and record",
		Long: `run assesses COMMAND, asks where the rules say so, writes it down and runs it. A
single word is a line of shell; several words are a program and its arguments,
exactly. Without a terminal to ask on, whatever would ask is denied.

The exit status is the command's own; 124 if it did not end in time, 125 if nod
failed or cannot tell how it ended, 126 if it was denied, 128+N after signal N, to
the command or to nod itself. With --json, "outcome" tells which (nod man).

--held runs COMMAND where the kernel lets it change nothing: no file, no process, no
connection. What would ask runs unasked then, since it can do no harm; a rule of
yours and the posture ask-all still ask. Where nothing can hold it, it does not run.

--timeout ends the command. In a pane that is Ctrl-C, as an operator would press
it: a command that ignores it goes on in a pane that is kept, and nod says where;
a pane of its own is closed, which hangs it up.`,
		Example: `  nod run -- df -h
  nod run -- 'journalctl -p err -n 20 | tail'
  nod run --held -- ./check.sh
  nod run --pane=%3 -- 'git pull'
  nod run --pane --json -- 'make -C /srv/app test'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("pane") && f.Pane == "" {
				return f.Refuse(a.Out, errors.New("run: --pane= names no pane; --pane alone takes one of its own, --pane=NAME keeps one, --pane=%3 is one that you have"))
			}
			if f.Raw && f.Pane == "" {
				return f.Refuse(a.Out, errors.New("run: --raw is for --pane: without a pane the output is what the command writes"))
			}
			if f.Held && cmd.Flags().Changed("pane") {
				return f.Refuse(a.Out, errors.New("run: --held runs without a pane: leave out --pane"))
			}
			if f.Progress && !f.JSON {
				return f.Refuse(a.Out, errors.New("run: --progress is for --json: without it the output comes as the command writes it"))
			}
			if f.Timeout < 0 {
				return f.Refuse(a.Out, fmt.Errorf("run: --timeout=%s: want how long the command may take, such as 30s; without it there is no limit", f.Timeout))
			}
			return a.runOnce(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.Targets, "target", "t", nil, "where to run it (default local)")
	flags.StringVar(&f.Pane, "pane", "", "run it tracked in a pane; --pane=NAME keeps the pane, for which tmux is needed; --pane=%3 is one that you already have")
	flags.Lookup("pane").NoOptDefVal = oneshot.OwnPane
	flags.BoolVar(&f.Raw, "raw", false, "in a pane: print the bytes that its terminal got, not what it shows")
	flags.BoolVar(&f.JSON, "json", false, "print one JSON object")
	flags.BoolVar(&f.Progress, "progress", false, "with --json: before that, an object for each piece of output as it comes")
	flags.BoolVar(&f.Held, "held", false, "run it where the kernel lets it change nothing")
	flags.DurationVar(&f.Timeout, "timeout", 0, "end the command after this long, for example 30s; in a pane by Ctrl-C")
	flags.BoolVar(&f.ApproveAll, "dangerously-approve-all", false, "do not ask; rules that deny still do")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		own := a.args
		if end := slices.Index(own, "--"); end >= 0 {
			own = own[:end]
		}
		f.JSON = f.JSON || slices.Contains(own, "--json") // it may stand behind what is wrong
		return f.Refuse(a.Out, wrongFlag(cmd, err))
	})
	return cmd
}

// runOnce is the body of "nod run".
func (a *program) runOnce(ctx context.Context, f oneshot.Command, args []string) (err error) {
	if f.Line, err = shellLine(args); err == nil {
		err = f.CheckPane()
	}
	if err != nil {
		return f.Refuse(a.Out, fmt.Errorf("run: %w", err))
	}
	n, err := a.oneshot()
	if err != nil {
		return f.Refuse(a.Out, err)
	}
	return n.Run(ctx, f)
}

// oneshot is what a command or a turn without the console works with.
func (a *program) oneshot() (*oneshot.Nod, error) {
	c, err := a.config()
	return &oneshot.Nod{System: &a.System, Config: c, Socket: a.flags.socket, Version: version}, err
}

// shellLine is the line of shell that args mean: one word is a line, several
// are a program and its arguments, each quoted.
func shellLine(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", errors.New("no command given; put it at the end, after --, as in: -- df -h")
	case 1:
		if strings.TrimSpace(args[0]) == "" {
			return "", errors.New("the command is empty; put it at the end, after --, as in: -- df -h")
		}
		return args[0], nil
	}
	words := make([]string, len(args))
	for i, arg := range args {
		word, err := syntax.Quote(arg, syntax.LangPOSIX)
		if err != nil {
			return "", fmt.Errorf("argument %q cannot be quoted for a shell: %w", arg, err)
		}
		words[i] = word
	}
	return strings.Join(words, " "), nil
}
