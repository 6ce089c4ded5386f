package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
)

func (a *program) askCommand() *cobra.Command {
	var q oneshot.Question
	cmd := &cobra.Command{
		Use:   "ask [flags] PROMPT",
		Short: "one question to the model, without the screen",
		Long: `ask runs one turn: the model may look and propose as in the console, and what
acts is asked on the terminal; without one it is denied. The answer goes to
standard output, what happens meanwhile to standard error. PROMPT "-" reads
standard input.

The exit status is 0 when the turn ended with an answer, 125 when it failed, 126
when it ended on a denial, 130 when it was interrupted. That what was said could
not be kept, on a full disk, is a warning.`,
		Example: `  nod ask "why is the load so high?"
  nod ask --json "what is filling the disk?" | jq -r 'select(.type=="text").text'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if q.Prompt, err = a.prompt(args); err != nil {
				return fmt.Errorf("ask: %w", err)
			}
			n, err := a.oneshot()
			if err != nil {
				return err
			}
			return n.Ask(cmd.Context(), q)
		},
	}
	cmd.Flags().StringVarP(&q.Target, "target", "t", local.Name, "where the model works")
	cmd.Flags().StringVar(&q.Pane, "pane", "", "work in a pane that you already have, such as %3 (tmux list-panes -a)")
	cmd.Flags().BoolVar(&q.JSON, "json", false, "print the events, one JSON object a line")
	cmd.Flags().BoolVar(&q.ApproveAll, "dangerously-approve-all", false, "do not ask; rules that deny still do")
	return cmd
}

func (a *program) prompt(args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		data, err := io.ReadAll(a.In)
		if err != nil {
			return "", err
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New(`no prompt given; say what you want: nod ask "how full is the disk?"`)
	}
	return text, nil
}
