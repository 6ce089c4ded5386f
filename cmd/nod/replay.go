package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/vt/svg"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/console"
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

func (a *app) replayCommand() *cobra.Command {
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
			err := a.replay(cmd.Context(), f, strings.Join(args, ""))
			var status exitStatus
			if err == nil || errors.As(err, &status) {
				return err
			}
			return fmt.Errorf("replay: %w", err)
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

func (a *app) replay(ctx context.Context, f replayFlags, what string) error {
	switch {
	case f.speed <= 0:
		return fmt.Errorf("--speed=%g: it must be more than 0", f.speed)
	case f.output != "" && f.export == "":
		return errors.New("--output: say with --export what to write there")
	}
	tape, err := a.findTape(what)
	if err != nil {
		return err
	}
	rec, err := recording.Load(tape.path)
	if err != nil {
		return err
	}
	if said := a.doubts(tape.path); said != "" {
		a.warn(printable(filepath.Base(tape.path) + ": " + said))
	}
	if rec.Torn != "" {
		a.warn(printable(fmt.Sprintf("%s: %s; what stands before is played", filepath.Base(tape.path), rec.Torn)))
	}
	if !f.atGiven {
		f.at, f.atGiven = tape.at, tape.placed
	}
	if f.export != "" {
		if end, ok := tape.end(rec); ok && !f.atGiven {
			f.at, f.atGiven = end, true
		}
		return a.exportTape(rec, f)
	}
	if !a.onTerminal() {
		return errors.New("standard input and output must be a terminal; without one use --export text")
	}
	if why, remedy := a.undrawable(); why != "" {
		return fmt.Errorf("%s; %s, or use --export text", why, remedy)
	}
	return a.playTape(ctx, rec, f, filepath.Base(tape.path))
}

func (a *app) playTape(ctx context.Context, rec *recording.Recording, f replayFlags, name string) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	theme, err := themes.Load(c.Display.Theme)
	if err != nil {
		return err
	}
	bound, err := boundKeys(c)
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
		return exitStatus(interruptedStatus(ctx))
	}
	return err
}

// exportTape writes a recording in another form.
func (a *app) exportTape(rec *recording.Recording, f replayFlags) (err error) {
	out := a.out
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

// tape is a recording's file, and where in it to begin.
type tape struct {
	path    string
	at      time.Duration
	placed  bool   // the operator has named the time
	command string // the run that was asked for; empty if it was not a run
}

// end is when the run that was asked for has ended.
func (t tape) end(rec *recording.Recording) (time.Duration, bool) {
	for _, c := range rec.Commands() {
		if t.command != "" && c.At >= t.at && c.Text == t.command && c.Outcome != "" {
			return c.End, true
		}
	}
	return 0, false
}

// findTape is the recording that the operator means.
func (a *app) findTape(what string) (tape, error) {
	state, err := config.StatePath(a.getenv)
	if err != nil {
		return tape{}, err
	}
	dir := recordingsDir(state)
	if what == "" {
		return newestTape(dir)
	}
	name, at, placed := what, time.Duration(0), false
	if i := strings.LastIndexByte(what, '@'); i > 0 {
		if d, err := time.ParseDuration(what[i+1:]); err == nil {
			name, at, placed = what[:i], d, true
		}
	}
	switch {
	case strings.ContainsRune(what, '/') || exists(what):
		return tape{path: what}, nil
	case filepath.Base(name) != name || !exists(filepath.Join(dir, name)):
		return runTape(state, what)
	case placed:
		return placeTape(dir, name, at)
	}
	return tape{path: filepath.Join(dir, name)}, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// newestTape is the newest recording in which something was done, or the newest if
// there is none.
func newestTape(dir string) (tape, error) {
	all, err := recording.List(dir)
	if err != nil {
		return tape{}, err
	}
	if len(all) == 0 {
		return tape{}, fmt.Errorf("there are no recordings in %s yet; panes of the console and of nod run --pane are recorded", dir)
	}
	for _, f := range slices.Backward(all) {
		path := filepath.Join(dir, f.Name)
		if rec, err := recording.Load(path); err != nil || happened(rec) {
			return tape{path: path}, nil // whoever plays it says what is wrong with it
		}
	}
	return tape{path: filepath.Join(dir, all[len(all)-1].Name)}, nil
}

// happened tells a recording in which something was done from one that has only a
// shell's first prompt, such as that of a console which was just opened.
func happened(rec *recording.Recording) bool {
	const promptTakes = 3 * time.Second
	return rec.Duration() > promptTakes || len(rec.Commands()) > 0
}

// placeTape finds the file that shows a time since the beginning of a recording,
// by the name of its first file.
func placeTape(dir, name string, at time.Duration) (tape, error) {
	part, begins, err := recording.PartAt(dir, name, at)
	if err != nil {
		return tape{}, err
	}
	return tape{path: filepath.Join(dir, part), at: at - begins, placed: true}, nil
}

// leastOfName is how much of a run's name must be given.
const leastOfName = 4

// runTape finds the recording of a run by the name that "nod audit show" has for
// it: the end of its intent's.
func runTape(state, name string) (tape, error) {
	var found []ledger.Intent
	dir := ledgerDir(state)
	err := ledger.Read(dir, func(r ledger.Record) error {
		if r.Intent != nil && len(name) >= leastOfName && strings.HasSuffix(strings.ToUpper(r.Intent.ID), strings.ToUpper(name)) {
			found = append(found, *r.Intent)
		}
		return nil
	})
	switch {
	case errors.Is(err, ledger.ErrNone), err == nil && len(found) == 0:
		return tape{}, fmt.Errorf("%q is no file, no recording and no run; nod recordings list and nod audit show have their names", name)
	case err != nil:
		return tape{}, auditError(dir, err)
	case len(found) > 1:
		return tape{}, fmt.Errorf("%q is the end of the names of %d runs; nod audit export has them in full", name, len(found))
	case found[0].Recording == nil:
		return tape{}, fmt.Errorf("the run %q is not recorded: only what runs in a pane is", name)
	}
	place := found[0].Recording
	if !exists(filepath.Join(recordingsDir(state), place.File)) {
		return tape{}, fmt.Errorf("the recording of the run %q, %s, is not there any more", name, place.File)
	}
	t, err := placeTape(recordingsDir(state), place.File, place.At)
	t.placed, t.command = false, found[0].Command
	return t, err
}

// doubts says in what a recording is not what was recorded; empty if it is.
func (a *app) doubts(path string) string {
	state, err := config.StatePath(a.getenv)
	if err != nil {
		return ""
	}
	if path, err = filepath.Abs(path); err != nil {
		return ""
	}
	return doubts(state, path)
}

// replayInConsole finds a recording for the console.
func (a *app) replayInConsole(_ context.Context, what string) (console.Tape, error) {
	found, err := a.findTape(what)
	if err != nil {
		return console.Tape{}, err
	}
	rec, err := recording.Load(found.path)
	if err != nil {
		return console.Tape{}, err
	}
	return console.Tape{Name: filepath.Base(found.path), At: found.at, Recording: rec, Doubts: printable(a.doubts(found.path))}, nil
}
