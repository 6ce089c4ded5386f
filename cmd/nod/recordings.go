package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

// recordingJSON is a file as "nod recordings list --json" prints it.
type recordingJSON struct {
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	Target  string    `json:"target"`
	Pane    string    `json:"pane"`
	Part    int       `json:"part"`
	Bytes   int64     `json:"bytes"`
	Live    bool      `json:"live"`
}

func (a *program) recordingsCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "recordings",
		Short: "list and remove the recordings of panes",
		Long: `Each pane is recorded, as asciicast 2, in the folder recordings of nod's state:
output only, never what is typed. A file of 64 MiB is continued in the next;
beyond 2 GiB in all the oldest are removed, which goes on record.
"nod replay" plays them.`,
	}
	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "list the recordings, the oldest first",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.listRecordings(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	var older time.Duration
	remove := &cobra.Command{
		Use:   "rm [--older-than D] [NAME...]",
		Short: "remove recordings, and put that on record",
		Example: `  nod recordings rm 20260102T150405.123Z_local_main_shared_k3f9.cast
  nod recordings rm --older-than 720h`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.removeRecordings(args, older); err != nil {
				return fmt.Errorf("recordings: %w", err)
			}
			return nil
		},
	}
	remove.Flags().DurationVar(&older, "older-than", 0, "those that began longer ago than this")
	parent.AddCommand(list, remove)
	return parent
}

func (a *program) listRecordings(asJSON bool) error {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return err
	}
	all, err := recording.List(config.RecordingsDir(state))
	if err != nil {
		return err
	}
	if asJSON {
		objects := make([]recordingJSON, len(all))
		for i, f := range all {
			objects[i] = recordingJSON(f)
		}
		return printObjects(a.Out, objects)
	}
	return printRows(a.Out, all, func(f recording.File) []string {
		state := ""
		if f.Live {
			state = "being written"
		}
		return []string{f.Started.Local().Format("2006-01-02 15:04:05"), f.Target, f.Pane, sizeOf(f.Bytes), f.Name, state}
	})
}

func sizeOf(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// removeRecordings removes recordings. The record says so before they go.
func (a *program) removeRecordings(names []string, older time.Duration) (err error) {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return err
	}
	dir := config.RecordingsDir(state)
	if older > 0 {
		all, err := recording.List(dir)
		if err != nil {
			return err
		}
		for _, f := range all {
			if f.Part == 1 && !f.Live && time.Since(f.Started) > older {
				names = append(names, f.Name)
			}
		}
	}
	switch {
	case len(names) == 0 && older > 0:
		return nil // there is nothing as old as that
	case len(names) == 0:
		return errors.New("rm: say which, or --older-than 720h; nod recordings list has their names")
	}
	l, _, err := record.OpenLedger(a.Getenv, state, ledger.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, name := range names {
		if err := a.removeRecording(l, dir, name); err != nil {
			return err
		}
	}
	return nil
}

func (a *program) removeRecording(l *ledger.Ledger, dir, name string) error {
	if filepath.Base(name) != name || !record.Exists(filepath.Join(dir, name)) {
		return fmt.Errorf("%q: %w; nod recordings list has their names", name, recording.ErrNone)
	}
	if err := l.Note(ledger.Note{Kind: "recordings", Text: "to be removed: " + name, By: process.Operator(), Removed: []string{name}}); err != nil {
		return fmt.Errorf("nothing is removed, since it cannot be put on record: %w", err)
	}
	removed, err := recording.Remove(dir, name)
	if len(removed) > 0 {
		err = errors.Join(err, a.Printf("removed %s\n", screen.CleanLines(strings.Join(removed, ", "))))
	}
	return err
}
