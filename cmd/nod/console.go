package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/terminal"
	"github.com/nod-console/nod/ui/console"
)

// promptHistory is how many earlier prompts the arrow keys reach.
const promptHistory = 200

// crashReport is the file of the state folder that holds what the last crash printed.
const crashReport = "crash.txt"

// guideNotice is the first line of a console without a model.
const guideNotice = "No model is configured, so the built-in guide answers: ask it \"what is filling the disk?\". " +
	"/tour shows everything else in two minutes. " +
	"To add a model, set NOD_BASE_URL and NOD_MODEL, or write a [model.NAME] section (nod help)."

// console is the body of "nod" itself.
func (a *app) console(cmd *cobra.Command, targets []string) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	if targets, err = a.canonical(c, targets); err != nil {
		var unknown *unknownTargetError
		if errors.As(err, &unknown) {
			return fmt.Errorf("console: %q is neither a target (%s) nor a command; nod help lists the commands", unknown.name, targetNames)
		}
		return fmt.Errorf("console: %w", err)
	}
	if !a.onTerminal() {
		return errors.New(`console: standard input and output must be a terminal; without one use nod ask "…" or nod run -- COMMAND`)
	}
	if why, remedy := a.undrawable(); why != "" && !a.inLines() {
		return fmt.Errorf("console: %s; %s, or use nod --plain", why, remedy)
	}
	there, err := a.existingPane(c, a.flags.pane)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	d, err := a.openStation(cmd.Context(), c, targets)
	if err != nil {
		return err
	}
	d.existing = there
	return d.run(cmd.Context())
}

func (a *app) onTerminal() bool {
	return a.inFile != nil && a.outFile != nil &&
		term.IsTerminal(int(a.inFile.Fd())) && term.IsTerminal(int(a.outFile.Fd()))
}

// stationParts is what the station's callbacks need and gets only once the house is
// open, which happens behind the first frame.
type stationParts struct {
	house *house
	turns *agent.Agent
}

// station is the console with everything behind it: one conversation at a time.
type station struct {
	app    *app
	config *config.Config
	brain  brain
	state  string
	store  *history.Store
	kept   *unkept // changed under mu once the station runs
	screen face
	ask    ssh.Asker // asks on the screen
	allow  allower
	choose desk.Asker // the questions of the model

	closeScreen func()

	targets  []string  // to be connected at the start; the first is the current one
	existing *existing // the operator's own pane, if he has named one

	opened  chan struct{} // closed when parts is there, or never will be
	parts   stationParts
	failed  error // why parts is not there
	tending sync.WaitGroup

	mu       sync.Mutex
	mirrored map[*site]bool    // whose panes are shown
	loads    map[string]string // what targets use, in words
	logs     map[string]func() // what ends the logs that are shown, by target
	followed map[*engine]bool  // whose containers are in the picker
	// Why there are no containers of a kind.
	engineFaults map[docker.Kind]error
	steps        map[string]string // how far the connections to targets are
	attempted    map[string]bool   // targets that are connected, or could not be
	moved        chan struct{}     // closed and renewed when attempted or the current target changes
	talk         string            // the conversation; empty until something is said
	local        []model.Local     // model servers on this machine that were found
	used         []brain           // that /model has opened
}

// openStation opens what the first frame shows: the store and the screen.
func (a *app) openStation(ctx context.Context, c *config.Config, targets []string) (d *station, err error) {
	d = &station{
		app: a, config: c, targets: targets, opened: make(chan struct{}), moved: make(chan struct{}),
		steps: map[string]string{}, attempted: map[string]bool{}, loads: map[string]string{}, logs: map[string]func(){},
		followed: map[*engine]bool{}, engineFaults: map[docker.Kind]error{},
	}
	var barred error
	if d.state, barred, err = a.stateDir(); err != nil {
		return nil, err
	}
	if d.brain, err = a.openBrain(c); err != nil {
		return nil, err
	}
	if d.store, d.kept, err = a.openHistory(ctx, d.state, barred); err != nil {
		return nil, err
	}
	opt, err := d.options(ctx)
	if err == nil {
		d.screen, d.ask, d.allow, d.choose, d.closeScreen, err = a.openFace(ctx, opt)
	}
	if err != nil {
		return nil, errors.Join(err, d.closeHistory(ctx))
	}
	d.kept.tell(d.screen.Notify)
	return d, nil
}

func (d *station) options(ctx context.Context) (console.Options, error) {
	bound, err := boundKeys(d.config)
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
		Undo:            d.undo,
		Undoable:        d.undoable,
		Steer:           d.steer,
		Compact:         d.compact,
		Context:         d.contextLines,
		Models:          &console.Models{List: d.listModels, Use: d.useModel},
		Past:            d.past(),
		Targets: &console.Targets{
			List: d.listTargets, Use: d.useTarget, Drop: d.dropTarget, Attach: d.attachTo, Logs: d.toggleLogs,
		},
		Replay: d.app.replayInConsole, Files: d.files,
		Edit: d.app.edit, Stop: d.app.jobs.stop,
		CrashReport: filepath.Join(d.state, crashReport),
		Theme:       d.config.Display.Theme,
		Keys:        bound,
		Mouse:       d.config.Display.Mouse,
		Quiet:       !d.config.Display.Notifications,
		Status: console.Status{
			TargetStatus: console.TargetStatus{Name: d.targets[0]},
			Posture:      d.config.Policy.Posture, Model: d.brain.shown(), Limit: d.brain.client.ContextLimit(),
		},
	}
	if d.brain.guide {
		opt.Notice = guideNotice
	}
	if unkept := d.kept.notice(); unkept != "" {
		opt.Notice = unkept
	}
	prompts, err := d.store.Prompts(ctx, promptHistory)
	if err != nil {
		return opt, err
	}
	opt.History = prompts
	opt.Resume, err = d.earlier(ctx)
	return opt, err
}

// run shows the console until the operator quits. The house is opened behind
// the first frame; if it cannot be, the console ends and says why.
func (d *station) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var failed error // of this start, for after the end
	d.tending.Go(func() {
		d.failed = d.open()
		close(d.opened) // d.failed is for everybody from here on
		if failed = d.failed; failed == nil {
			d.tending.Go(func() { d.parts.house.watchRecord(ctx, d.screen.SetAlarm) })
			d.tending.Go(func() { d.discover(ctx) })
			d.tending.Go(func() { d.checkTmuxAround(ctx) })
			d.watchEngines(ctx, d.parts.house)
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
	d.tending.Wait()
	err = outcome(ctx, err, failed)
	if h := d.parts.house; h != nil {
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
func (d *station) closeHistory(ctx context.Context) error {
	lost, err := d.kept.close(context.WithoutCancel(ctx), d.app, d.store)
	return errors.Join(lost, err)
}

// outcome is what the end of the screen means: a signal is no failure of
// nod's, and a house that could not be opened is one.
func outcome(ctx context.Context, err, failed error) error {
	switch {
	case failed != nil && !errors.Is(failed, context.Canceled):
		return failed
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitStatus(interruptedStatus(ctx))
	}
	return err
}

// open puts the house behind the screen.
func (d *station) open() error {
	h, err := d.app.openHouse(d.config, plan{
		approver: d.screen.Approver(), ask: d.ask, allow: d.allow, choose: d.choose, warn: d.screen.Notify, panes: true, existing: d.existing,
		ended: d.screen.RunEnded, reverting: d.screen.Reverting, step: d.step, spare: d.kept.dir,
	})
	if err != nil {
		return err
	}
	d.parts.house = h
	if d.parts.turns, err = h.openAgent(d.brain, d.store); err != nil {
		return err
	}
	// Also if it cannot be reached: what is meant for it runs nowhere else. It is chosen
	// before anybody can ask which target a prompt is for.
	h.sites.choose(d.targets[0])
	h.sites.onChange(d.sitesChanged)
	return nil
}

// ready waits until the house is open.
func (d *station) ready(ctx context.Context) (stationParts, error) {
	select {
	case <-d.opened:
		return d.parts, d.failed
	case <-ctx.Done():
		return stationParts{}, ctx.Err()
	}
}

// talking waits until the current target is connected, as far as it can be, and returns
// the present conversation and what runs its turns.
func (d *station) talking(ctx context.Context) (turns *agent.Agent, talk string, err error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := d.awaitTarget(ctx); err != nil {
		return nil, "", err
	}
	talk, err = d.conversation(ctx)
	return parts.turns, talk, err
}

// submit runs one turn of the conversation.
func (d *station) submit(ctx context.Context, prompt string, sink agent.Sink) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	d.parts.house.consider(ctx)
	turns.Run(ctx, talk, prompt, sink)
	return nil
}

// command runs a command that the operator gives himself, in the terminal that
// the model works in.
func (d *station) command(ctx context.Context, command string, sink agent.Sink) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	arguments, err := json.Marshal(map[string]any{
		"command": command,
		// Of a command that the operator gives, nobody claims anything.
		"risk": "high", "mutation": true, "privesc": true, "why": "the operator's own command",
	})
	if err != nil {
		return err
	}
	turns.Own(ctx, talk, "!"+command, (*terminal.RunShell)(nil).Name(), arguments, sink)
	return nil
}

// conversation is the present one, begun if there is none.
func (d *station) conversation(ctx context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept.settle(ctx, d.app, d.store) {
		d.screen.Notify("the state folder can be written again, and this conversation is kept from now on")
	}
	if d.talk != "" {
		return d.talk, nil
	}
	c, err := d.store.Create(ctx, d.currentTarget(), d.brain.shown())
	if err != nil {
		return "", err
	}
	d.talk = c.ID
	return d.talk, nil
}

// end finishes the present conversation.
func (d *station) end(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.talk == "" {
		return nil
	}
	id := d.talk
	d.talk = ""
	return d.store.End(ctx, id)
}

func (d *station) newConversation(ctx context.Context) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	parts.house.seen.Forget()
	return d.end(ctx)
}

func (d *station) setPosture(ctx context.Context, word string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	posture, err := policy.ParsePosture(word)
	if err != nil {
		return err
	}
	if err := parts.house.ledger.Note(ledger.Note{Kind: "posture", Text: word, By: operator()}); err != nil {
		return fmt.Errorf("the posture stays: it cannot be put on record: %w", err)
	}
	parts.house.policy.SetPosture(posture)
	return nil
}

// openWindow opens or closes the timed window, on record.
func (d *station) openWindow(ctx context.Context, length time.Duration) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	h := parts.house
	if err := h.policy.OpenWindow(length); err != nil {
		return err
	}
	if err := h.ledger.Note(ledger.Note{Kind: "window", Text: length.String(), By: operator()}); err != nil {
		return errors.Join(fmt.Errorf("the window stays closed: it cannot be put on record: %w", err), h.policy.OpenWindow(0))
	}
	return nil
}

// report is the lines of /status.
func (d *station) report(ctx context.Context) []string {
	parts, err := d.ready(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	h := parts.house
	lines := []string{
		"tools    " + strings.Join(toolNames(h), ", "),
		"record   " + ledgerDir(h.state) + ", " + recordingsDir(h.state),
		"config   " + d.config.Path(),
	}
	if state, _ := recordState(h); state != "" {
		lines = append(lines, "         "+state)
	}
	if pace := h.policy.Pace(); pace.Approvals > 0 {
		lines = append(lines, fmt.Sprintf("approved %d in the last hour; the median of the time to decide is %s", pace.Approvals, pace.Median.Round(100*time.Millisecond)))
	}
	if window := h.policy.Window(); window > 0 {
		lines = append(lines, "window   open for "+window.Round(time.Second).String())
	}
	lines = append(lines, d.engineReport(h)...)
	open, _ := h.sites.list()
	for _, s := range open {
		for _, p := range s.list() {
			lines = append(lines, fmt.Sprintf("pane     %s %s %s/%s: %s", s.name(), p.ID(), p.Session(), p.Name(), p.Attach()))
			if err := p.Degraded(); err != nil {
				lines = append(lines, "         "+err.Error())
			}
		}
	}
	return lines
}

// standing reports whether the pane of an action is as it was when the action
// was planned, and nobody has typed there since.
func (d *station) standing(ctx context.Context, a tools.Action, since time.Time) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	if err := parts.house.guard.Standing(ctx, a); err != nil {
		return err
	}
	open, _ := parts.house.sites.list()
	for _, s := range open {
		for _, p := range s.list() {
			if p.Target() == a.Target && p.ID() == a.Pane && p.OperatorTyped().After(since) {
				return errors.New("somebody has typed in the pane since the action was planned")
			}
		}
	}
	return nil
}

func toolNames(h *house) []string {
	var names []string
	for _, t := range h.tools.All() {
		names = append(names, t.Name())
	}
	return names
}
