package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/console"
)

// promptHistory is how many earlier prompts the arrow keys reach.
const promptHistory = 200

// guideNotice is the first line of a console without a model.
const guideNotice = "No model is configured, so the built-in guide answers: ask it \"what is filling the disk?\". " +
	"To add a model, set NOD_BASE_URL and NOD_MODEL, or write a [model.NAME] section (nod help)."

// console is the body of "nod" itself.
func (a *app) console(cmd *cobra.Command, targets []string) error {
	for _, t := range targets {
		if t != local.Name {
			return fmt.Errorf("console: %q is neither a target (known: %s) nor a command; nod help lists the commands", t, local.Name)
		}
	}
	if !a.onTerminal() {
		return errors.New(`console: standard input and output must be a terminal; without one use nod ask "…" or nod run -- COMMAND`)
	}
	if a.getenv("TERM") == "dumb" {
		return errors.New(`console: TERM is "dumb": such a terminal cannot show a screen; set TERM to what it is, or use nod ask "…"`)
	}
	c, err := a.config()
	if err != nil {
		return err
	}
	d, err := a.openStation(cmd.Context(), c)
	if err != nil {
		return err
	}
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
	screen *console.Console

	opened  chan struct{} // closed when parts is there, or never will be
	parts   stationParts
	failed  error // why parts is not there
	tending sync.WaitGroup

	mu   sync.Mutex
	talk string // the conversation; empty until something is said
}

// openStation opens what the first frame shows: the store and the screen.
func (a *app) openStation(ctx context.Context, c *config.Config) (d *station, err error) {
	d = &station{app: a, config: c, opened: make(chan struct{})}
	if d.state, err = config.StateDir(a.getenv); err != nil {
		return nil, err
	}
	if d.brain, err = a.openBrain(c); err != nil {
		return nil, err
	}
	if d.store, err = history.Open(ctx, historyDir(d.state), history.Options{}); err != nil {
		return nil, err
	}
	opt, err := d.options(ctx)
	if err == nil {
		d.screen, err = console.New(opt)
	}
	if err != nil {
		return nil, errors.Join(err, d.store.Close())
	}
	return d, nil
}

func (d *station) options(ctx context.Context) (console.Options, error) {
	opt := console.Options{
		Submit:          d.submit,
		SetPosture:      d.setPosture,
		NewConversation: d.newConversation,
		Report:          d.report,
		Theme:           d.config.Display.Theme,
		Mouse:           d.config.Display.Mouse,
		Quiet:           !d.config.Display.Notifications,
		Status: console.Status{
			Target: local.Name, Trust: d.config.Targets[local.Name].Trust,
			Posture: d.config.Policy.Posture, Model: d.brain.name, Limit: d.brain.client.ContextLimit(),
		},
	}
	if d.brain.guide {
		opt.Notice = guideNotice
	}
	prompts, err := d.store.Prompts(ctx, promptHistory)
	if err != nil {
		return opt, err
	}
	opt.History = prompts
	opt.Resume, err = d.earlier(ctx)
	return opt, err
}

// lastConversation is the value of --resume without an ID.
const lastConversation = "last"

// earlier is the conversation that can be taken up: the one that --resume
// names, or one that was left open, or the last one.
func (d *station) earlier(ctx context.Context) (*console.Resume, error) {
	id := d.app.flags.resume
	c, err := d.store.Latest(ctx)
	switch {
	case id != "" && id != lastConversation:
		if c, err = d.store.Get(ctx, id); errors.Is(err, history.ErrNotFound) {
			return nil, fmt.Errorf("console: --resume=%s: %w; nod history list shows which there are", id, err)
		}
	case errors.Is(err, history.ErrNotFound):
		var all []history.Conversation
		if all, err = d.store.List(ctx, 1); err == nil && len(all) == 0 {
			if id != "" {
				return nil, errors.New("console: --resume: there is no conversation yet; start nod without it")
			}
			return nil, nil //nolint:nilnil // nothing to take up is no error
		}
		if err == nil {
			c = all[0]
		}
	}
	if err != nil {
		return nil, err
	}
	return &console.Resume{
		Title: c.Title, When: c.Updated, LeftOpen: c.Open, Now: id != "",
		Accept: func(ctx context.Context, prompt func(string), sink agent.Sink) error {
			return d.resume(ctx, c.ID, prompt, sink)
		},
	}, nil
}

// run shows the console until the operator quits. The house is opened behind
// the first frame; if it cannot be, the console ends and says why.
func (d *station) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		defer close(d.opened)
		if d.failed = d.open(ctx); d.failed != nil {
			cancel(d.failed)
		}
	}()
	err := d.screen.Run(ctx)
	quit := err == nil
	cancel(nil)
	<-d.opened
	d.tending.Wait()
	err = d.outcome(ctx, err)
	if h := d.parts.house; h != nil {
		err = errors.Join(err, h.Close())
	}
	if quit { // else the link is lost or nod was ended, and the next start offers to go on
		err = errors.Join(err, d.end(context.WithoutCancel(ctx)))
	}
	return errors.Join(err, d.store.Close())
}

// outcome is what the end of the screen means: a signal is no failure of
// nod's, and a house that could not be opened is one.
func (d *station) outcome(ctx context.Context, err error) error {
	switch {
	case d.failed != nil && !errors.Is(d.failed, context.Canceled):
		return d.failed
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitStatus(statusInterrupted)
	}
	return err
}

// open puts the house behind the screen and shows the shared pane.
func (d *station) open(ctx context.Context) error {
	h, err := d.app.openHouse(ctx, d.config, plan{
		approver: d.screen.Approver(), panes: true,
		ended: d.screen.RunEnded,
	})
	if err != nil {
		return err
	}
	d.parts.house = h
	if d.parts.turns, err = h.openAgent(d.brain, d.store); err != nil {
		return err
	}
	for _, note := range append(h.notes, recordState(h)) {
		if note != "" {
			d.screen.Notify(note)
		}
	}
	if h.panes == nil {
		return nil
	}
	shared, err := h.panes.Shared(ctx)
	if err != nil {
		return fmt.Errorf("panes: %w", err)
	}
	d.screen.AddPane(mirrorOf(shared))
	d.tending.Go(func() { d.tend(ctx, h.panes, shared) })
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

// submit runs one turn of the conversation.
func (d *station) submit(ctx context.Context, prompt string, sink agent.Sink) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	talk, err := d.conversation(ctx)
	if err != nil {
		return err
	}
	parts.turns.Run(ctx, talk, prompt, sink)
	return nil
}

// conversation is the present one, begun if there is none.
func (d *station) conversation(ctx context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.talk != "" {
		return d.talk, nil
	}
	c, err := d.store.Create(ctx, local.Name, d.brain.name)
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

// resume takes an earlier conversation up in place of the present one.
func (d *station) resume(ctx context.Context, id string, prompt func(string), sink agent.Sink) error {
	_, said, err := d.store.Resume(ctx, id)
	if err != nil {
		return err
	}
	if err := d.newConversation(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	d.talk = id
	d.mu.Unlock()
	agent.Replay(said, prompt, sink)
	return nil
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

// report is the lines of /status.
func (d *station) report(ctx context.Context) []string {
	parts, err := d.ready(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	h := parts.house
	lines := []string{
		"tools    " + strings.Join(toolNames(h), ", "),
		"record   " + ledgerDir(h.state),
		"config   " + d.config.Path(),
	}
	if state := recordState(h); state != "" {
		lines = append(lines, "         "+state)
	}
	if window := h.policy.Window(); window > 0 {
		lines = append(lines, "window   open for "+window.Round(time.Second).String())
	}
	if h.panes != nil {
		for _, p := range h.panes.List() {
			lines = append(lines, fmt.Sprintf("pane     %s %s/%s: %s", p.ID(), p.Session(), p.Name(), p.Attach()))
		}
	}
	return lines
}

func toolNames(h *house) []string {
	var names []string
	for _, t := range h.tools.All() {
		names = append(names, t.Name())
	}
	return names
}

// recordState is what the operator should know of the record, or nothing.
func recordState(h *house) string {
	if err := h.ledger.Healthy(); err != nil {
		return "commands cannot run now: " + err.Error()
	}
	return h.ledger.Warning()
}
