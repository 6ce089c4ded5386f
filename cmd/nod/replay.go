package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/vt/svg"
	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/player"
	"github.com/nod-console/nod/ui/screen"
)

// replayFlags are the flags of "nod replay".
type replayFlags struct {
	at      time.Duration
	atGiven bool
	speed   float64
	idle    time.Duration
	paused  bool
	export  string
	output  string
}

func (a *program) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] [FILE|RUN]",
		Short: "play what a pane has shown",
		Long: `replay plays the recording of a pane in the terminal. It takes a file (any
asciicast of version 2 or 3), the name of a recording as nod recordings list has
it, with @TIME behind it if you like, or the name of a run as nod audit show has
it: then it begins where the run does, and a picture is that of its end. Without
any it plays the newest in which something was done.

Space pauses, Left and Right go five seconds back and on, n and N to the next
command and the one before, + and - make it faster and slower, q leaves.

--export writes the recording to standard output (or --output) instead:
    v2    asciicast 2, which every player plays
    v3    asciicast 3
    svg   a picture of the last screen, or of the one at the time of --at
    text  the same as plain text, for scripts`,
		Example: `  nod replay
  nod replay --speed 4 H7K2QD
  nod replay --export text H7K2QD | grep -i error
  nod replay --export svg --at 12s session.cast > picture.svg`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.atGiven = cmd.Flags().Changed("at")
			return named("replay", a.replay(cmd.Context(), f, strings.Join(args, "")))
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.at, "at", 0, "begin at this time, or show this one")
	flags.Float64Var(&f.speed, "speed", 1, "how fast to play")
	flags.DurationVar(&f.idle, "idle-limit", 2*time.Second, "cut longer pauses to this; 0 plays them all")
	flags.BoolVar(&f.paused, "paused", false, "do not begin to play")
	flags.StringVar(&f.export, "export", "", "v2, v3, svg or text")
	flags.StringVarP(&f.output, "output", "o", "", "the file that --export writes; standard output if empty")
	return cmd
}

func (a *program) replay(ctx context.Context, f replayFlags, what string) error {
	switch {
	case f.speed <= 0:
		return fmt.Errorf("--speed=%g: it must be more than 0", f.speed)
	case f.output != "" && f.export == "":
		return errors.New("--output: say with --export what to write there")
	}
	tape, err := record.Find(a.Getenv, what)
	if err != nil {
		return err
	}
	rec, err := recording.Load(tape.Path)
	if err != nil {
		return err
	}
	if said := record.Doubts(a.Getenv, tape.Path); said != "" {
		a.Warn(screen.CleanLines(filepath.Base(tape.Path) + ": " + said))
	}
	if rec.Torn != "" {
		a.Warn(screen.CleanLines(fmt.Sprintf("%s: %s; what stands before is played", filepath.Base(tape.Path), rec.Torn)))
	}
	if !f.atGiven {
		f.at, f.atGiven = tape.At, tape.Placed
	}
	if f.export != "" {
		if end, ok := tape.End(rec); ok && !f.atGiven {
			f.at, f.atGiven = end, true
		}
		return a.exportTape(rec, f)
	}
	if !a.OnTerminal() {
		return errors.New("standard input and output must be a terminal; without one use --export text")
	}
	if why, remedy := controller.Undrawable(a.Getenv); why != "" {
		return fmt.Errorf("%s; %s, or use --export text", why, remedy)
	}
	return a.playTape(ctx, rec, f, filepath.Base(tape.Path))
}

func (a *program) playTape(ctx context.Context, rec *recording.Recording, f replayFlags, name string) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	theme, err := themes.Load(c.Display.Theme)
	if err != nil {
		return err
	}
	bound, err := controller.BoundKeys(c)
	if err != nil {
		return err
	}
	s, err := screen.New()
	if err != nil {
		return err
	}
	styles := s.Styles(theme)
	err = player.Run(ctx, s, player.New(rec, &styles, player.Options{
		Name: name, Speed: f.speed, Idle: f.idle, At: f.at, Paused: f.paused, Keys: bound, Hints: true,
	}), c.Display.Theme)
	if ctx.Err() != nil {
		return process.ExitStatus(process.InterruptedStatus(ctx))
	}
	return err
}

// exportTape writes a recording in another form.
func (a *program) exportTape(rec *recording.Recording, f replayFlags) (err error) {
	out := a.Out
	if f.output != "" {
		file, createErr := os.OpenFile(f.output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if createErr != nil {
			return createErr
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	shown := recording.Play(rec)
	if shown.Seek(rec.Duration()); f.atGiven {
		shown.Seek(f.at)
	}
	switch f.export {
	case "v2":
		return recording.ExportV2(out, rec)
	case "v3":
		return recording.ExportV3(out, rec)
	case "svg":
		return svg.Write(out, shown.Screen(), svg.Dark)
	case "text":
		return recording.ExportText(out, shown.Screen())
	}
	return fmt.Errorf("--export=%s: want v2, v3, svg or text", f.export)
}
