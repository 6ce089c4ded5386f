package terminal

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed send_keys.md
var sendKeysGuide string

// SendKeys is the tool send-keys.
type SendKeys struct {
	Guard *guard.Guard
	// Jobs are the same as run_shell's; nil: the end of a command is not told.
	Jobs *Jobs
	// Fleet finds the targets of a call for several; nil: there is one only.
	Fleet *fleet.Fleet
}

var (
	_ tools.Tool = (*SendKeys)(nil)
	_ tools.Many = (*SendKeys)(nil)
)

// Name implements [tools.Tool].
func (*SendKeys) Name() string { return "send-keys" }

// Description implements [tools.Tool].
func (s *SendKeys) Description() string {
	return spec.Brief(sendKeysGuide, spec.If("targets", s.Fleet.Offered()))
}

// Guidance implements [tools.Documented].
func (*SendKeys) Guidance() string { return spec.Whole(sendKeysGuide) }

// Parallelizable implements [tools.Tool].
func (*SendKeys) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (s *SendKeys) InputSchema() map[string]any {
	properties := untilSchema(selectorSchema(map[string]any{
		"literal_text": spec.String(""),
		"keys": map[string]any{
			"type":        "array",
			"items":       map[string]any{"type": "string"},
			"description": `tmux names: "C-c", "Escape", "Up", "F5", "q"`,
		},
		"enter": spec.Bool(""),
		"delay": spec.String(`before, "2s"`),
	}))
	if s.Fleet.Offered() {
		properties["targets"] = fleet.Schema()
	}
	return spec.Schema(spec.Acting(properties), spec.ClaimNames()...)
}

type keyArgs struct {
	Literal string      `json:"literal_text"`
	Keys    []string    `json:"keys"`
	Enter   bool        `json:"enter"`
	Delay   string      `json:"delay"`
	Targets fleet.Names `json:"targets"`
	untilArgs
	selector
	spec.Claim
}

// Plan implements [tools.Tool].
func (s *SendKeys) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args keyArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	if err := args.check(); err != nil {
		return tools.Action{}, err
	}
	delay, err := parseDelay(args.Delay)
	if err != nil {
		return tools.Action{}, err
	}
	until, err := args.until(maxKeysWait)
	if err != nil {
		return tools.Action{}, err
	}
	a := tools.Action{
		Tool: s.Name(), Kind: tools.Type,
		Literal: args.Literal, Keys: args.Keys, Enter: args.Enter, Wait: delay, Until: until,
		Claim: claim,
	}
	if args.Targets != nil {
		return s.planMany(ctx, a, args)
	}
	about, err := args.place(s.Guard, env)
	if err != nil {
		return tools.Action{}, err
	}
	return s.into(ctx, a, about, args.selector)
}

// check finds what no pane could be given.
func (k keyArgs) check() error {
	if k.Literal == "" && len(k.Keys) == 0 && !k.Enter {
		return tools.Invalid("nothing to type: give literal_text, keys or enter")
	}
	if err := checkLiteral(k.Literal); err != nil {
		return err
	}
	for _, key := range k.Keys {
		if err := checkKey(key); err != nil {
			return err
		}
	}
	return nil
}

// into is a for a pane of a target, as that stands now.
func (s *SendKeys) into(ctx context.Context, a tools.Action, about guard.About, at selector) (tools.Action, error) {
	state, err := at.lookInto(ctx, s.Guard)
	if err != nil {
		return tools.Action{}, err
	}
	a.Target, a.User, a.Pane = about.Target, about.User, state.ID
	a.Dialect, a.Dir, a.Inside, a.Shell = state.Shell, state.Dir, state.Inside, state.Generation
	a.Prompt, a.Pending, a.Program, a.Busy = state.AtPrompt, state.Pending, state.Program, state.Busy
	return a, nil
}

// KeysValue is the Value of send-keys' Result.
type KeysValue struct {
	Pane    string `json:"pane,omitempty"` // empty where it is one of several targets'
	Message string `json:"message"`
	// Screen is what has changed there since: new lines and those that differ.
	Screen string `json:"screen,omitempty"`
	// ExitCode is that of the tracked command that has ended meanwhile.
	ExitCode *int     `json:"exit_code,omitempty"`
	Job      string   `json:"job,omitempty"` // the tracked command that goes on
	Notices  []string `json:"notices,omitempty"`
}

// Execute implements [tools.Tool].
func (s *SendKeys) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	if err := sleep(ctx, a.Wait); err != nil {
		return outcome(ctx, err)
	}
	k := s.Jobs.in(a.Target, a.Pane)
	var ended <-chan struct{}
	if k != nil {
		ended = k.run.Done()
	}
	effect, err := s.Guard.TypeAndSee(ctx, a, env.Grant, ended)
	if err != nil {
		return outcome(ctx, err)
	}
	v := KeysValue{Pane: a.Pane, Message: fmt.Sprintf("typed into %s: %s; %s", where(a), typed(a), seen(a, effect))}
	var notes ShellValue // as of a command's output
	v.Screen = notes.text(ctx, env, "screen", output{text: effect.Text}, budget(a))
	v.Notices = notes.Notices
	if k != nil {
		v.of(k)
	}
	return tools.Result{
		Value: v,
		Record: tools.Record{
			Outcome:  backends.ExitedWith(0),
			Bytes:    int64(len(a.Literal)),
			Duration: env.Time().Sub(began),
		},
	}, nil
}

// where says into which pane a types. Of several targets each has one that everybody uses.
func where(a tools.Action) string {
	if a.PartOf != "" {
		return "the shared pane"
	}
	return a.Pane
}

// seen says what became of the keys of a.
func seen(a tools.Action, e guard.Effect) string {
	switch {
	case e.Blind:
		return "look at the effect with capture-pane"
	case a.Until.Waits() && !e.Met && !e.Changed:
		return "nothing has changed on the screen, and what is waited for has not come"
	case a.Until.Waits() && !e.Met:
		return "what is waited for has not come; the screen has changed"
	case !e.Changed:
		return "nothing changed within 500 ms"
	case e.Text == "":
		return "the screen has changed, and there is no new text on it"
	}
	return "the screen has changed"
}

// of tells how the tracked command stands that the keys were for. Its output so far is on
// the screen.
func (v *KeysValue) of(k *job) {
	if !isDone(k.run) {
		v.Job = k.handle
		k.news(k.output(k.run.Result()).text)
		return
	}
	k.jobs.forget(k)
	var end ShellValue
	end.ended(k.run.Result().Outcome)
	v.ExitCode = end.ExitCode
	v.Message += fmt.Sprintf("; %q has ended: %s", line(k.action.Command), running{k.run, k.action}.end())
}
