package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/history"
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

// Config says what an Agent is made of. Model, Gate and History are never nil.
type Config struct {
	Model   Streamer
	Gate    *Gate
	History Store
	// Name is what the model is called; empty means "nod".
	Name string
	// SystemPrompt is the operator's addition to nod's own prompt.
	SystemPrompt string
	// Situation is asked at the start of each turn; nil leaves it out.
	Situation func() Situation
	// MaxIterations bounds the requests of a turn; 0 means MaxIterations.
	MaxIterations int
	// MaxTokens bounds the tokens of a turn, prompts and answers; 0 means no bound.
	MaxTokens int
	// ContextLimit is the model's context in tokens; 0 if it is not known.
	ContextLimit int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Agent runs turns. Safe for concurrent use; a conversation has one turn at a
// time.
type Agent struct {
	cfg Config

	mu   sync.Mutex
	busy map[string]bool // by conversation
}

// New returns an agent.
func New(cfg Config) (*Agent, error) {
	if cfg.Model == nil || cfg.Gate == nil || cfg.History == nil {
		return nil, errors.New("agent: an agent needs a model, a gate and a history")
	}
	if cfg.Name == "" {
		cfg.Name = "nod"
	}
	if cfg.MaxIterations <= 0 {
		cfg.MaxIterations = MaxIterations
	}
	if cfg.Situation == nil {
		cfg.Situation = func() Situation { return Situation{} }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Agent{cfg: cfg, busy: map[string]bool{}}, nil
}

// Run runs one turn of a conversation and returns how it ended. Everything
// that happens, faults included, is told to the sink; Done comes last. When
// ctx ends, the turn is interrupted.
func (a *Agent) Run(ctx context.Context, conversation, prompt string, sink Sink) Ending {
	if sink == nil {
		sink = func(Event) {}
	}
	t := &turn{
		Agent: a, id: conversation, failures: map[string]int{},
		events: &valve{sink: sink}, situation: a.cfg.Situation(),
	}
	ending := Failed
	if a.begin(conversation) {
		ending = t.run(ctx, prompt)
		a.end(conversation)
	} else {
		t.emit(Fault{Text: "a turn of this conversation is running already", Hint: "wait for its end, or interrupt it"})
	}
	t.emit(Done{Ending: ending})
	return ending
}

func (a *Agent) begin(conversation string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[conversation] {
		return false
	}
	a.busy[conversation] = true
	return true
}

func (a *Agent) end(conversation string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.busy, conversation)
}

// Replay tells what was said in a conversation as a turn would have told it:
// prompt gets the operator's words, sink all else. It ends without a Done.
func Replay(said []history.Message, prompt func(text string), sink Sink) {
	for _, m := range said {
		switch m.Role {
		case history.User:
			prompt(m.Content)
		case history.Assistant:
			if m.Reasoning != "" {
				sink(Reasoning{Text: m.Reasoning})
			}
			if m.Content != "" {
				sink(Text{Text: m.Content})
			}
			for _, c := range m.Calls {
				sink(proposed(c))
			}
		case history.Tool:
			sink(CallFinished{Call: m.Call, Tool: m.Tool, IsError: m.IsError, Denied: m.Denied, Content: m.Content})
		case history.Note:
			if m.Call != "" {
				sink(RunEnded{Call: m.Call, Text: m.Content})
			} else {
				sink(Notice{Text: m.Content})
			}
		}
	}
}

// keep stores messages, whether or not the turn was interrupted meanwhile.
func (a *Agent) keep(ctx context.Context, conversation string, messages ...history.Message) error {
	if err := a.cfg.History.Append(context.WithoutCancel(ctx), conversation, messages...); err != nil {
		return fmt.Errorf("the conversation could not be stored: %w", err)
	}
	return nil
}
