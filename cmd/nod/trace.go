package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/trace"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) traceCommand() *cobra.Command {
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "show what was sent to the model and what came back",
		Long: `trace shows what a nod with NOD_TRACE=1 in its environment has written down: each
request to the model, each reply, each call and each result, a line each, without
secrets. The files are kept for you alone in the state folder, 64 MiB at most.`,
		Example: `  NOD_TRACE=1 nod ask "how full is the disk?"; nod trace
  nod trace --json | jq 'select(.kind=="request").value.Messages[-1]'
  nod trace -f                             what a running nod sends, as it does`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := config.StatePath(a.Getenv)
			if err != nil {
				return err
			}
			each := a.traceLine
			if asJSON {
				each = a.traceJSON
			}
			err = trace.Read(config.TraceDir(state), each)
			if errors.Is(err, trace.ErrNone) && !follow {
				return fmt.Errorf("%w; start nod with %s=1", err, app.TraceVariable)
			}
			if follow && (err == nil || errors.Is(err, trace.ErrNone)) {
				err = trace.Follow(cmd.Context(), config.TraceDir(state), each)
			}
			if cmd.Context().Err() != nil {
				return process.ExitStatus(process.InterruptedStatus(cmd.Context()))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the lines as they were written")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what comes, until ^C")
	return cmd
}

func (a *program) traceJSON(l trace.Line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return a.Printf("%s\n", text)
}

// traceLine is a line in words.
func (a *program) traceLine(l trace.Line) error {
	about, text := l.Words()
	text = about + record.Brief(strings.Join(strings.Fields(text), " "))
	return a.Printf("%s %6d %-8s %s\n", l.Time.Local().Format("15:04:05.000"), l.PID, screen.CleanLines(l.Kind), screen.CleanLines(text))
}
