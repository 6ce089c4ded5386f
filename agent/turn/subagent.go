package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/taint"
	"github.com/nod-console/nod/tools"
)

// MaxSubAgents is how many sub-agents of an agent work at the same time; more wait.
const MaxSubAgents = 4

// Bounds of what is told of a sub-agent.
const (
	mostSteps = 20  // of one that failed
	mostStep  = 120 // characters of a step
)

// ErrNoTurn: only a turn that is running can send a sub-agent.
var ErrNoTurn = errors.New("there is no turn that could send a sub-agent")

// Delegation is a task for a sub-agent.
type Delegation struct {
	gate.From
	Task string
	// Prompt says how the sub-agent works; it is the operator's.
	Prompt string
	// Tools are those that it may call, as far as the turn that sends it may; nil:
	// all of those.
	Tools []string
	// Never are tools that no sub-agent gets.
	Never []string
	// Extra are tools that it gets in any case: what only sub-agents are offered.
	Extra []string
	// Begun is told its conversation before anything runs; nil: nobody listens.
	Begun func(conversation string)
	// Model answers it; nil: the one that answers the turn.
	Model *Model
	// MaxIterations bounds its requests; 0: as Config says.
	MaxIterations int
	// Progress is told what it does, until Delegate returns; nil: nobody listens.
	Progress func(tools.Progress)
}

// Delegated is what came of a task.
type Delegated struct {
	Conversation string // the sub-agent's own, which is kept whatever happens
	Ending       agent.Ending
	Answer       string // its last words; also of one that failed
	Fault        string // why it has not ended with an answer; empty if it has
	// Steps are the last calls that it made, in a line each.
	Steps []string
}

// under is what a sub-agent is bound to.
type under struct {
	who   gate.From
	tools []string      // never nil
	extra []string      // of them, those that are offered to nobody else
	seen  *taint.Memory // of the turn that sent it: both know what targets have printed
	alone chan struct{}
}

func (u *under) from() gate.From {
	if u == nil {
		return gate.From{}
	}
	return u.who
}

func (u *under) extras() []string {
	if u == nil {
		return nil
	}
	return u.extra
}

// Delegate has a sub-agent do a task for the turn that runs in the conversation
// d.Parent, and returns when it has ended. It has a history and a context of its
// own, which begin with the task; the gate, the secrets and what is tainted are
// those of the turn, whose account its requests are put on. When ctx ends, it is
// interrupted. The error says why it could not begin.
func (a *Agent) Delegate(ctx context.Context, d Delegation) (Delegated, error) {
	parent, only := a.sender(d.Parent)
	if parent == nil {
		return Delegated{}, ErrNoTurn
	}
	w := &worker{d: d, parent: parent}
	if err := w.wait(ctx, a.slots); err != nil {
		return Delegated{}, err
	}
	defer func() { <-a.slots }()
	llm := a.Model()
	if d.Model != nil {
		llm = *d.Model
	}
	c, err := a.cfg.History.CreateUnder(ctx, d.Parent, d.Agent, parent.situation.Target, llm.Name)
	if err != nil {
		return Delegated{}, fmt.Errorf("the sub-agent's conversation could not be begun: %w", err)
	}
	a.cfg.Gate.Share(c.ID, d.Parent)
	defer a.cfg.Gate.Succeed(d.Parent, c.ID)
	sub, err := New(a.subConfig(d, parent, only, llm))
	if err != nil {
		return Delegated{}, err
	}
	if d.Begun != nil {
		d.Begun(c.ID)
	}
	ending := w.run(ctx, sub, c.ID)
	if err := a.cfg.History.End(context.WithoutCancel(ctx), c.ID); err != nil {
		w.fault = cmp.Or(w.fault, err.Error()) // it is kept, and offered as unfinished
	}
	return w.outcome(ctx, a.cfg.History, c.ID, ending), nil
}

// sender is the running turn of a conversation, and the tools that it may still call.
func (a *Agent) sender(conversation string) (t *turn, only []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in := a.busy[conversation]
	if in == nil {
		return nil, nil
	}
	return in.turn, in.turn.only
}

// subConfig is what a sub-agent is made of.
func (a *Agent) subConfig(d Delegation, parent *turn, only []string, b Model) Config {
	c := a.cfg
	names := []string{} // never nil: that would be all
	for _, t := range c.Gate.Tools().All() {
		name := t.Name()
		if slices.Contains(d.Extra, name) {
			names = append(names, name)
			continue
		}
		if slices.Contains(d.Never, name) || only != nil && !slices.Contains(only, name) || d.Tools != nil && !slices.Contains(d.Tools, name) {
			continue
		}
		names = append(names, name)
	}
	situation := parent.situation
	if !slices.Contains(names, "activate_skill") {
		situation.Skills = nil
	}
	if d.ReadOnly {
		situation.Posture = "read-only"
	}
	c.under = &under{who: d.From, tools: names, extra: d.Extra, seen: parent.seen, alone: a.alone}
	c.Model, c.Situation = b, func() briefing.Situation { return situation }
	c.Memory, c.Guidance, c.Snapshot = nil, nil, nil
	intro := subPrompt
	if d.Parent == "" {
		intro = soloPrompt
	}
	c.SystemPrompt = strings.TrimSpace(c.SystemPrompt + "\n\n" + fmt.Sprintf(intro, d.Agent) + "\n\n" + d.Prompt)
	if d.MaxIterations > 0 {
		c.MaxIterations = d.MaxIterations
	}
	if c.MaxTokens > 0 {
		c.MaxTokens = max(c.MaxTokens-parent.spent(), 1)
	}
	return c
}

// subPrompt tells a sub-agent what it is.
const subPrompt = `You work as the sub-agent %q: another agent has sent you, and your first message
is its task for you. It is no word of the operator's. Do this task and nothing
else; nobody answers questions meanwhile. Your last message goes back to that agent
as your report: what you found, with figures and where they come from, what failed,
and what you did not look at.`

// soloPrompt tells an agent that the operator has started what it is.
const soloPrompt = `You work as the agent %q, which the operator has started; your first message is
its goal. You have the agent's tools and no others. What follows is the agent's own text.`

// Solo runs a turn of a conversation, which there must be, as an agent that no turn has
// sent. Its tools and its instructions are those of d; its requests are on the account of
// this turn alone. If d.Parent is empty, the operator has started it, and the task is the
// operator's word. d.Begun and d.Progress are not used: everything is told to sink.
func (a *Agent) Solo(ctx context.Context, conversation string, d Delegation, sink agent.Sink) agent.Ending {
	llm := a.Model()
	if d.Model != nil {
		llm = *d.Model
	}
	seen := &taint.Memory{}
	if d.Parent == "" {
		seen.Said(d.Task)
	}
	none := &turn{Agent: a, id: conversation, situation: a.cfg.Situation(), seen: seen}
	sub, err := New(a.subConfig(d, none, nil, llm))
	if err != nil {
		events := agent.NewSequencer(sink)
		defer events.Close()
		events.Send(agent.Fault{Text: err.Error()})
		events.Send(agent.Done{Ending: agent.Failed})
		return agent.Failed
	}
	return sub.Run(ctx, conversation, d.Task, sink)
}

// worker watches a sub-agent at work.
type worker struct {
	d      Delegation
	parent *turn

	mu    sync.Mutex
	what  map[string]string // by call, what it is about
	steps []string
	fault string
}

// wait takes a place among those that work.
func (w *worker) wait(ctx context.Context, slots chan<- struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	default:
		w.report(tools.Progress{Note: fmt.Sprintf("waits: %d sub-agents work already", MaxSubAgents)})
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *worker) report(p tools.Progress) {
	if w.d.Progress != nil {
		w.d.Progress(p)
	}
}

// run is the sub-agent's turn. A panic of it is its failure, not that of the turn
// that sent it.
func (w *worker) run(ctx context.Context, sub *Agent, conversation string) (ending agent.Ending) {
	defer func() {
		if v := recover(); v != nil {
			ending, w.fault = agent.Failed, fmt.Sprintf("the sub-agent panicked: %v", v)
		}
	}()
	return sub.Run(ctx, conversation, w.d.Task, w.take)
}

// take is the sub-agent's sink.
func (w *worker) take(e agent.Event) {
	switch e := e.(type) {
	case agent.CallStarted:
		what := step(e.Tool + " " + cmp.Or(e.Action.Path, e.Action.Command))
		w.mu.Lock()
		if w.what == nil {
			w.what = map[string]string{}
		}
		w.what[e.Call] = what
		w.mu.Unlock()
		w.report(tools.Progress{Note: w.d.Agent + ": " + what, Step: true})
	case agent.ApprovalAsked:
		w.report(tools.Progress{Note: w.d.Agent + ": waits for you: " + step(e.Request.Action.Tool+" "+cmp.Or(e.Request.Action.Path, e.Request.Action.Command))})
	case agent.CallFinished:
		w.ended(e)
	case agent.Retrying:
		w.report(tools.Progress{Note: w.d.Agent + ": " + step(e.Reason) + "; trying again"})
	case agent.Fault:
		w.mu.Lock()
		w.fault = e.Text
		w.mu.Unlock()
		w.report(tools.Progress{Note: w.d.Agent + ": " + step(e.Text), Step: true})
	case agent.Usage:
		w.bill(e)
	}
}

// ended notes how a call has ended.
func (w *worker) ended(e agent.CallFinished) {
	w.mu.Lock()
	defer w.mu.Unlock()
	outcome := e.Outcome
	if outcome == "" {
		outcome = "done"
		if e.IsError {
			outcome = "failed"
		}
	}
	w.steps = append(w.steps, cmp.Or(w.what[e.Call], e.Tool)+": "+outcome)
	if len(w.steps) > mostSteps {
		w.steps = w.steps[1:]
	}
}

// bill puts a request on the account of the turn.
func (w *worker) bill(u agent.Usage) {
	t := w.parent
	t.spend(u.Prompt + u.Completion)
	u.Total = t.gauge(t.id).charge(u.Cost)
	u.Agent, u.Context, u.Limit = w.d.Agent, 0, 0
	t.notify(u)
}

// outcome is what the turn is told. What was said is read from the store: it is the
// same whatever became of the sub-agent.
func (w *worker) outcome(ctx context.Context, store Store, conversation string, ending agent.Ending) Delegated {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := Delegated{Conversation: conversation, Ending: ending, Fault: w.fault, Steps: w.steps}
	stored, err := store.Load(context.WithoutCancel(ctx), conversation)
	if err != nil {
		done.Fault = cmp.Or(done.Fault, err.Error())
	}
	for i := len(stored) - 1; i >= 0 && done.Answer == ""; i-- {
		if stored[i].Role == history.Assistant {
			done.Answer = strings.TrimSpace(stored[i].Content)
		}
	}
	switch {
	case ending == agent.Interrupted:
		done.Fault = agent.InterruptedText
	case ending == agent.Failed:
		done.Fault = cmp.Or(done.Fault, "it failed")
	case done.Answer == "":
		done.Fault = "it ended without an answer"
	default:
		done.Fault = "" // what went wrong on the way, it has got over
	}
	return done
}

// step is a text in one short line.
func step(text string) string {
	head, omitted := tools.Head(strings.Join(strings.Fields(text), " "), mostStep)
	if omitted > 0 {
		head += "…"
	}
	return head
}

// narrow takes tools away from the turn, for its sub-agents as well.
func (t *turn) narrow(only []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.only = narrowed(t.only, only)
}

// takeTurn waits until a sub-agent's call may run, if it must be alone: sub-agents
// share the panes with each other. It is false if ctx ended first.
func (t *turn) takeTurn(ctx context.Context, name string) bool {
	if !t.mustBeAlone(name) {
		return true
	}
	select {
	case t.alone <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *turn) endTurn(name string) {
	if t.mustBeAlone(name) {
		<-t.alone
	}
}

func (t *turn) mustBeAlone(name string) bool {
	tool, ok := t.cfg.Gate.Tools().Get(name)
	return t.alone != nil && ok && !tool.Parallelizable()
}
