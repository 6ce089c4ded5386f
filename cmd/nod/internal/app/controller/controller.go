package controller

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/layouts"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/ui/console"
)

// promptHistory is how many earlier prompts the arrow keys reach.
const promptHistory = 200

// CrashReport is the file of the state folder that holds what the last crash printed.
const CrashReport = "crash.txt"

// guideNotice is the first line of a console without a model.
const guideNotice = "No model is configured, so the built-in guide answers: ask it \"what is filling the disk?\". " +
	"/tour shows everything else in two minutes. " +
	"To add a model, set NOD_BASE_URL and NOD_MODEL, or write a [model.NAME] section (nod help)."

// parts is what the callbacks need and gets only once the Core is
// open, which happens behind the first frame.
type parts struct {
	core  *app.Core
	turns *turn.Agent
}

// Options are what a Controller works with.
type Options struct {
	Sys      *process.System
	Config   *config.Config
	Targets  []string         // to be connected at the start; the first is the current one
	Existing *targets.OwnPane // the operator's own pane; nil if they have named none
	Resume   string           // the conversation to take up; lastConversation for the last one
	Lines    bool             // lines instead of a screen
	Version  string           // nod's own, which servers are told
}

// Controller is the console with everything behind it: one conversation at a time.
type Controller struct {
	Options

	brain    app.Model
	state    string
	store    *history.Store
	spare    *app.SpareHistory // changed under mu once the Controller runs
	kept     *layouts.Store    // how the screen was, and when targets were connected
	screen   Screen
	ask      ssh.Asker          // asks on the screen
	together questions.Together // one question for connections that are made together
	allow    questions.Allower
	choose   desk.Asker // the questions of the model
	fill     mcp.Asker  // the questions of servers

	closeScreen func()

	opened     chan struct{} // closed when parts is there, or never will be
	parts      parts
	failed     error // why parts is not there
	background sync.WaitGroup
	attention  *attention

	mu       sync.Mutex
	tended   map[tended]bool          // what is looked after
	loads    map[string]string        // what targets use, in words
	logs     map[string]func()        // what ends the logs that are shown, by target
	pulses   map[string]*pulse        // how targets do, by name, as far as the overview was shown
	followed map[*targets.Engine]bool // whose containers are in the picker
	// Why there are no containers of a kind.
	engineFaults   map[docker.Kind]error
	steps          map[string]string  // how far the connections to targets are
	attempted      map[string]bool    // targets that are connected, or could not be
	moved          chan struct{}      // closed and renewed when attempted or the current target changes
	terminals      []layouts.Terminal // the operator's own
	unkept         bool               // it was said that the layout cannot be kept
	conversationID string             // the conversation; empty until something is said
	local          []model.Local      // model servers on this machine that were found
	used           []app.Model        // that /model has opened
}

// Open opens what the first frame shows: the store and the screen.
func Open(ctx context.Context, opt Options) (d *Controller, err error) {
	d = &Controller{
		Options: opt, opened: make(chan struct{}), moved: make(chan struct{}),
		steps: map[string]string{}, attempted: map[string]bool{}, loads: map[string]string{}, logs: map[string]func(){}, pulses: map[string]*pulse{},
		tended: map[tended]bool{}, attention: newAttention(), followed: map[*targets.Engine]bool{}, engineFaults: map[docker.Kind]error{},
	}
	var barred error
	if d.state, barred, err = config.StateDirAnyway(d.Sys.Getenv); err != nil {
		return nil, err
	}
	if d.brain, err = app.OpenModel(d.Config, d.Sys.Getenv); err != nil {
		return nil, err
	}
	if d.store, d.spare, err = app.OpenHistory(ctx, d.Sys.Getenv, d.state, barred); err != nil {
		return nil, err
	}
	d.kept = layouts.Open(d.state, time.Now)
	screenOptions, err := d.options(ctx)
	if err == nil {
		err = d.openScreen(ctx, screenOptions)
	}
	if err != nil {
		return nil, errors.Join(err, d.closeHistory(ctx))
	}
	d.spare.Watch(d.screen.Notify)
	return d, nil
}

func (d *Controller) options(ctx context.Context) (console.Options, error) {
	bound, err := BoundKeys(d.Config)
	if err != nil {
		return console.Options{}, err
	}
	opt := console.Options{
		Submit:          d.submit,
		Command:         d.command,
		SetPosture:      d.setPosture,
		OpenWindow:      d.openWindow,
		NewConversation: d.newConversation,
		Report:          d.report,
		Standing:        d.standing,
		Preview:         d.preview,
		Previews:        d.previews,
		Try:             d.try,
		Tries:           d.tries,
		Undo:            d.undo,
		Undoable:        d.undoable,
		Steer:           d.steer,
		Compact:         d.compact,
		Context:         d.contextLines,
		Models:          &console.Models{List: d.listModels, Use: d.useModel},
		Servers:         d.serverOptions(),
		Plugins:         d.pluginOptions(),
		Past:            d.past(),
		Targets: &console.Targets{
			List: d.listTargets, Use: d.useTarget, Connect: d.useAll, Drop: d.dropTarget, Attach: d.attachTo, Logs: d.toggleLogs,
		},
		Overview:     d.overviewOptions(),
		Runs:         d.runs,
		OpenTerminal: d.openTerminal, Layouts: d.layoutOptions(),
		Replay: d.replay, Files: d.files,
		Edit: d.Sys.Edit, Stop: d.Sys.Jobs.Stop,
		CrashReport: filepath.Join(d.state, CrashReport),
		Theme:       d.Config.Display.Theme,
		Keys:        bound,
		Mouse:       d.Config.Display.Mouse,
		Vi:          d.Config.Display.Input == "vi",
		Quiet:       !d.Config.Display.Notifications,
		Status: console.Status{
			TargetStatus: console.TargetStatus{Name: d.Targets[0]},
			Posture:      d.Config.Policy.Posture, Model: d.brain.ShownName(), Limit: d.brain.Client.ContextLimit(),
		},
	}
	if opt.Own, err = d.ownOptions(); err != nil {
		return opt, err
	}
	if d.brain.IsGuide {
		opt.Notice = guideNotice
	}
	if notice := d.spare.Notice(); notice != "" {
		opt.Notice = notice
	}
	prompts, err := d.store.Prompts(ctx, promptHistory)
	if err != nil {
		return opt, err
	}
	opt.History = prompts
	opt.Resume, err = d.earlier(ctx)
	opt.FirstRun = len(prompts) == 0 && opt.Resume == nil
	return opt, err
}

// Run shows the console until the operator quits. The Core is opened behind
// the first frame; if it cannot be, the console ends and says why.
func (d *Controller) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var failed error // of this start, for after the end
	d.background.Go(func() {
		d.failed = d.open(ctx)
		close(d.opened) // d.failed is for everybody from here on
		if failed = d.failed; failed == nil {
			d.background.Go(func() { d.parts.core.WatchRecord(ctx, d.screen.SetAlarm) })
			d.background.Go(func() { d.attend(ctx, d.parts.core) })
			d.background.Go(func() { d.discover(ctx) })
			d.background.Go(func() { d.begin(ctx, d.parts.core) })
			d.background.Go(func() { d.checkTmuxAround(ctx) })
			d.watchEngines(ctx, d.parts.core)
			failed = d.connectAll(ctx)
		}
		if failed != nil {
			cancel(failed)
		}
	})
	err := d.screen.Run(ctx)
	d.closeScreen()
	quit := err == nil
	cancel(nil)
	d.background.Wait()
	err = outcome(ctx, err, failed)
	if h := d.parts.core; h != nil {
		err = errors.Join(err, h.Close())
	}
	d.closeModels()
	if quit { // else the link is lost or nod was ended, and the next start offers to go on
		err = errors.Join(err, d.end(context.WithoutCancel(ctx)))
	}
	return errors.Join(err, d.closeHistory(ctx))
}

// closeHistory lets go of the conversations. That they could not be kept is an error:
// nobody reads a warning when the screen is gone.
func (d *Controller) closeHistory(ctx context.Context) error {
	lost, err := d.spare.Close(context.WithoutCancel(ctx), d.store)
	return errors.Join(lost, err)
}

// outcome is what the end of the screen means: a signal is no failure of
// nod's, and a Core that could not be opened is one.
func outcome(ctx context.Context, err, failed error) error {
	switch {
	case failed != nil && !errors.Is(failed, context.Canceled):
		return failed
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return process.ExitStatus(process.InterruptedStatus(ctx))
	}
	return err
}

// open puts the Core behind the screen. ctx is its life.
func (d *Controller) open(ctx context.Context) error {
	d.together.Changed = d.targetsChanged
	h, err := app.Open(d.Config, d.Sys.Getenv, app.Options{
		Options: targets.Options{
			Ask: d.ask, Warn: d.screen.Notify, Panes: true, Attended: true, Existing: d.Existing, Step: d.step,
			Reached: func(s *targets.Target) { d.reached(ctx, s) },
		},
		Approver: d.screen.Approver(), Allow: d.allow, Choose: d.choose, Fill: d.fill, Version: d.Version, Spare: d.spare.Dir,
		Ended: d.screen.RunEnded, Reverting: d.screen.Reverting,
		Connect: func(call context.Context, name string) error { return d.connectFor(ctx, call, name) },
	})
	if err != nil {
		return err
	}
	d.parts.core = h
	if d.parts.turns, err = h.OpenAgent(d.brain, d.store); err != nil {
		return err
	}
	if err := h.Servers.Start(); err != nil {
		return err
	}
	// Also if it cannot be reached: what is meant for it runs nowhere else. It is chosen
	// before anybody can ask which target a prompt is for.
	h.Targets.Choose(d.Targets[0])
	h.Targets.OnChange(func() {
		d.targetsChanged()
		post(d.attention.wake)
	})
	h.Runs.OnChange(func() {
		post(d.attention.wake)
		d.screen.RunsChanged()
	})
	return nil
}

// ready waits until the Core is open.
func (d *Controller) ready(ctx context.Context) (parts, error) {
	select {
	case <-d.opened:
		return d.parts, d.failed
	case <-ctx.Done():
		return parts{}, ctx.Err()
	}
}

// talking waits until the current target is connected, as far as it can be, and returns
// the present conversation and what runs its turns.
func (d *Controller) talking(ctx context.Context) (turns *turn.Agent, talk string, err error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := d.awaitTarget(ctx); err != nil {
		return nil, "", err
	}
	if err := parts.core.Plugins.Tried(ctx); err != nil {
		return nil, "", err
	}
	if s := parts.core.Servers; s.HasRequired() {
		if err := s.Ready(ctx); err != nil {
			return nil, "", err
		}
	}
	talk, err = d.conversation(ctx)
	return parts.turns, talk, err
}
