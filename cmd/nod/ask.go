package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) askCommand() *cobra.Command {
	var asJSON, approveAll bool
	var target, pane string
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
			prompt, err := a.prompt(args)
			if err != nil {
				return fmt.Errorf("ask: %w", err)
			}
			return a.ask(cmd.Context(), target, prompt, pane, asJSON, approveAll)
		},
	}
	cmd.Flags().StringVarP(&target, "target", "t", local.Name, "where the model works")
	cmd.Flags().StringVar(&pane, "pane", "", "work in a pane that you already have, such as %3 (tmux list-panes -a)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events, one JSON object a line")
	cmd.Flags().BoolVar(&approveAll, "dangerously-approve-all", false, "do not ask; rules that deny still do")
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

func (a *program) ask(ctx context.Context, target, prompt, pane string, asJSON, approveAll bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	there, err := targets.FindOwnPane(c, a.Getenv, a.flags.socket, pane)
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	opt := app.Options{Options: targets.Options{Panes: there != nil, Existing: there}, ApproveAll: approveAll, Chunks: asJSON}
	return a.runTurn(ctx, "ask", c, target, opt, &reporter{app: a, json: asJSON}, func(t *oneTurn) (agent.Ending, error) {
		if err := t.Servers.Start(); err != nil {
			return agent.Failed, err
		}
		if err := t.Plugins.Tried(ctx); err != nil {
			return agent.Failed, fmt.Errorf("ask: %w", err)
		}
		if err := t.Servers.Ready(ctx); err != nil {
			return agent.Failed, fmt.Errorf("ask: %w", err)
		}
		t.ReadGuidance(ctx)
		return t.turns.Run(ctx, t.talk, prompt, t.out.take), nil
	})
}

// reporter prints the events of a turn.
type reporter struct {
	app  *program
	json bool

	mu     sync.Mutex
	open   bool // the answer's last line has not ended
	failed error
	asking bool          // a question stands on the terminal
	held   []agent.Event // that came meanwhile, for behind its answer
}

// hold keeps what comes until the function that it returns is called, so that a
// question stays the last thing that is seen.
func (r *reporter) hold() (over func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asking = false
		for _, e := range r.held {
			r.report(e)
		}
		r.held = nil
	}
}

// take is an agent.Sink.
func (r *reporter) take(e agent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking && !r.json { // who reads lines of JSON wants them at once
		r.held = append(r.held, e)
		return
	}
	r.report(e)
}

func (r *reporter) report(e agent.Event) {
	var err error
	if r.json {
		err = r.line(e)
	} else {
		err = r.words(e)
	}
	if err != nil && r.failed == nil {
		r.failed = fmt.Errorf("ask: %w", err)
	}
}

func (r *reporter) line(e agent.Event) error {
	text, err := agent.EncodeEvent(e)
	if err != nil {
		return err
	}
	return r.app.Printf("%s\n", text)
}

// words prints the answer to standard output and the rest to standard error.
func (r *reporter) words(e agent.Event) error {
	if text, ok := e.(agent.Text); ok {
		clean := screen.CleanLines(text.Text)
		r.open = !strings.HasSuffix(clean, "\n")
		return r.app.Printf("%s", clean)
	}
	note := describe(e)
	_, done := e.(agent.Done)
	if r.open && (note != "" || done) {
		r.open = false
		if err := r.app.Printf("\n"); err != nil {
			return err
		}
	}
	if note == "" {
		return nil
	}
	_, err := fmt.Fprintln(r.app.Err, screen.CleanLines(note))
	return err
}

// describe is an event in one line, or nothing.
func describe(e agent.Event) string {
	switch e := e.(type) {
	case agent.CallStarted:
		what := e.Action.Path
		if what == "" {
			what = e.Action.Command
		}
		if len(e.Action.Parts) > 0 || what == "" && e.Target != "" {
			what += " on " + e.Target
		}
		return fmt.Sprintf("▸ %s %s (%s)", e.Tool, record.Brief(strings.Join(strings.Fields(what), " ")), e.Effect)
	case agent.CallProgress:
		if e.Progress.Step {
			return "  ▸ " + e.Progress.Note
		}
	case agent.CallFinished:
		return fmt.Sprintf("  %s · %s", outcomeWord(e), e.Duration.Round(time.Millisecond))
	case agent.RunEnded:
		return "  " + e.Text
	case agent.Compaction:
		return fmt.Sprintf("nod: the conversation is compacted: a summary stands for %d messages", e.Messages)
	case agent.Notice:
		return "nod: " + e.Text
	case agent.Retrying:
		return fmt.Sprintf("nod: %s; trying again in %s", e.Reason, e.After.Round(time.Second))
	case agent.Fault:
		if e.Hint != "" {
			return "nod: " + e.Text + "; " + e.Hint
		}
		return "nod: " + e.Text
	}
	return ""
}

func outcomeWord(e agent.CallFinished) string {
	switch {
	case e.Denied:
		return "denied"
	case e.Outcome != "":
		return e.Outcome
	case e.IsError:
		return "failed"
	}
	return "done"
}
