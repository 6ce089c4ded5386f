package turn

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// Limits of a turn.
const (
	// MaxIterations is how many requests a turn makes with tools, unless
	// Config says otherwise.
	MaxIterations = 25
	// MaxCalls bounds the calls of a turn.
	MaxCalls = 50
	// maxUnreadable is how many replies of a turn may have calls that cannot
	// be read; after one more, the turn ends.
	maxUnreadable = 2
	// maxFailures is how often a call may fail in the same way before it is
	// answered without being run.
	maxFailures = 2
	// parallel bounds the calls that run at the same time.
	parallel = 8
)

// Config says what an Agent is made of. Model.Client, Gate and History are never
// nil.
type Config struct {
	Model   Model // answers until Agent.Use says another one
	Gate    *gate.Gate
	History Store
	// Name is what the model is called; empty means "nod".
	Name string
	// SystemPrompt is the operator's addition to nod's own prompt.
	SystemPrompt string
	// Memory is what is known from other turns; nil: nothing is.
	Memory Memory
	// Guidance is what the operator's folder, or he himself, says of a target; it is
	// told to the model as data. Nil: nothing.
	Guidance func(target string) briefing.Guidance
	// Situation is asked at the start of each turn; nil leaves it out.
	Situation func() briefing.Situation
	// MaxIterations bounds the requests of a turn; 0 means MaxIterations.
	MaxIterations int
	// MaxTokens bounds the tokens of a turn, prompts and answers; 0 means no bound.
	MaxTokens int
	// Snapshot shows what the operator has before him in a terminal, for each
	// request; nil means that the model does not get to see it. It must be quick.
	Snapshot func(ctx context.Context) briefing.Snapshot
	// Pinned is what a summary of a conversation repeats word for word: its open
	// todos; nil means nothing.
	Pinned func(said []history.Message) string
	// Hooks have a say in what is said; nil: there are none.
	Hooks *hook.Set
	// NoTools keeps all tools from the model; the operator's own calls are made.
	NoTools bool
	// Trace is told of each request, reply, call and result; nil means nobody.
	Trace Tracer
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	under *under // what a sub-agent is bound to; nil for the operator's own agent
}

// Agent runs turns. Safe for concurrent use; a conversation has one turn at a
// time.
type Agent struct {
	cfg  Config
	seal string // marks nod's notices; no program knows it

	mu     sync.Mutex
	model  Model
	busy   map[string]*inbox // by conversation, while its turn runs
	gauges map[string]*gauge // by conversation
	last   *recent           // what the turn before has left
	slots  chan struct{}     // taken by the sub-agents that work
	alone  chan struct{}     // taken by the one whose call must be alone

	lastRecalled recalled
	limits       map[string]int // by model, the context that its server has named
}

// New returns an agent.
func New(cfg Config) (*Agent, error) {
	if cfg.Model.Client == nil || cfg.Gate == nil || cfg.History == nil {
		return nil, errors.New("turn: an agent needs a model, a gate and a history")
	}
	if cfg.Name == "" {
		cfg.Name = "nod"
	}
	if cfg.MaxIterations <= 0 {
		cfg.MaxIterations = MaxIterations
	}
	if cfg.Situation == nil {
		cfg.Situation = func() briefing.Situation { return briefing.Situation{} }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Agent{cfg: cfg, seal: strings.ToLower(rand.Text()[:12]), model: cfg.Model, busy: map[string]*inbox{}, limits: map[string]int{}, gauges: map[string]*gauge{},
		slots: make(chan struct{}, MaxSubAgents), alone: make(chan struct{}, 1)}, nil
}

// Run runs one turn of a conversation and returns how it ended. Everything
// that happens, faults included, is told to the sink; Done comes last. When
// ctx ends, the turn is interrupted.
func (a *Agent) Run(ctx context.Context, conversation, prompt string, sink agent.Sink) agent.Ending {
	return a.turn(conversation, sink, func(t *turn) agent.Ending { return t.run(ctx, prompt) })
}

// turn does something that a conversation has one of at a time.
func (a *Agent) turn(conversation string, sink agent.Sink, do func(*turn) agent.Ending) agent.Ending {
	if sink == nil {
		sink = func(agent.Event) {}
	}
	t := &turn{
		Agent: a, id: conversation, failures: map[string]int{}, slips: map[string][]string{},
		events: agent.NewSequencer(sink), situation: a.cfg.Situation(),
	}
	if a.cfg.under != nil {
		t.only, t.alone = a.cfg.under.tools, a.cfg.under.alone
	}
	ending := agent.Failed
	if t.inbox = a.begin(conversation, t); t.inbox != nil {
		ending = do(t)
		t.leave()
		a.end(conversation)
	} else {
		t.notify(agent.Fault{Text: "a turn of this conversation is running already", Hint: "wait for its end, or interrupt it"})
	}
	t.notify(agent.Done{Ending: ending})
	t.events.Close()
	return ending
}

// begin notes that a conversation's turn runs; nil means that one does already.
func (a *Agent) begin(conversation string, t *turn) *inbox {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[conversation] != nil {
		return nil
	}
	in := &inbox{turn: t}
	a.busy[conversation] = in
	return in
}

func (a *Agent) end(conversation string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.busy, conversation)
}

// keep stores messages, whether or not the turn was interrupted meanwhile.
func (a *Agent) keep(ctx context.Context, conversation string, messages ...history.Message) error {
	if err := a.cfg.History.Append(context.WithoutCancel(ctx), conversation, messages...); err != nil {
		return fmt.Errorf("the conversation could not be stored: %w", err)
	}
	return nil
}
