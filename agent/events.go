package agent

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// Event is something that happened in a turn. The types of this file are all
// there are.
type Event interface {
	// Kind is the event's stable name, as in the "type" field of its JSON.
	Kind() string
}

// Sink receives the events of a turn in order.
type Sink func(Event)

// Sequencer passes events on to a sink, one at a time, until it is closed. Safe for
// concurrent use.
type Sequencer struct {
	mu     sync.Mutex
	closed bool
	sink   Sink
}

// NewSequencer returns a sequencer for a sink.
func NewSequencer(sink Sink) *Sequencer { return &Sequencer{sink: sink} }

// Send passes an event on and returns when the sink has taken it. After Close it does
// nothing.
func (s *Sequencer) Send(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.sink(e)
	}
}

// Close ends the sequence. No event reaches the sink after it has returned.
func (s *Sequencer) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// InterruptedText is what events, the history and the record say of something that the
// operator has stopped.
const InterruptedText = "interrupted by the operator"

// Text is a piece of the model's answer.
type Text struct {
	Text string `json:"text"`
}

// Reasoning is a piece of the model's reasoning.
type Reasoning struct {
	Text string `json:"text"`
}

// CallProposed says that the model wants a tool called.
type CallProposed struct {
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// ApprovalAsked says that a call waits for the operator.
type ApprovalAsked struct {
	Call    string         `json:"call"`
	Request policy.Request `json:"-"`
}

// ApprovalAnswered says how the operator, or a rule in his place, decided.
type ApprovalAnswered struct {
	Call     string `json:"call"`
	Approved bool   `json:"approved"`
	Reason   string `json:"reason,omitempty"`
}

// CallStarted says that a call was allowed and has begun.
type CallStarted struct {
	Call   string       `json:"call"`
	Tool   string       `json:"tool"`
	Target string       `json:"target,omitempty"`
	Pane   string       `json:"pane,omitempty"`
	Effect string       `json:"effect,omitempty"`
	Action tools.Action `json:"-"`
}

// CallProgress is a step of a running call.
type CallProgress struct {
	Call     string         `json:"call"`
	Progress tools.Progress `json:"progress"`
}

// CallFinished carries a call's one result as the model gets it.
type CallFinished struct {
	Call     string        `json:"call"`
	Tool     string        `json:"tool"`
	IsError  bool          `json:"is_error"`
	Denied   bool          `json:"denied,omitempty"`
	Outcome  string        `json:"outcome,omitempty"`
	Content  string        `json:"content"`
	Duration time.Duration `json:"duration_ns"`
}

// RunEnded says that a command that was only dispatched has ended. Outcome and Duration
// are as in CallFinished; they are not known of a conversation that was loaded.
type RunEnded struct {
	Call     string        `json:"call"`
	Text     string        `json:"text"`
	Outcome  string        `json:"outcome,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// Usage counts the tokens of one request.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Reasoning  int `json:"reasoning_tokens,omitempty"`
	Cached     int `json:"cached_tokens,omitempty"`
	// Context is the share of the model's context limit that the conversation
	// takes, with what is kept free for an answer, in percent; 0 if the limit is
	// not known.
	Context int `json:"context_percent,omitempty"`
	// Model answered, and Limit is its context in tokens; 0 if that is not known.
	Model string `json:"model,omitempty"`
	Limit int    `json:"context_limit,omitempty"`
	// Cost is what the request has cost, Total what those of the conversation have
	// since nod was started; 0 if the price is not known.
	Cost  float64 `json:"cost,omitempty"`
	Total float64 `json:"total_cost,omitempty"`
	// Agent is the sub-agent whose request it was; empty for the conversation's own.
	// Its context is its own, so Context is 0 then.
	Agent string `json:"agent,omitempty"`
	// Limits is what the server still takes at the moment, in words.
	Limits string `json:"rate_limits,omitempty"`
}

// Compaction says that a summary stands in the place of earlier messages from now
// on. Nothing was deleted.
type Compaction struct {
	Summary  string `json:"summary"`
	Messages int    `json:"messages"` // that it stands for
	// Before and After are the shares of the context that the conversation took
	// and takes, in percent; 0 if the limit is not known.
	Before int `json:"before_percent,omitempty"`
	After  int `json:"after_percent,omitempty"`
	// Own says that nod wrote it without the model.
	Own bool `json:"own,omitempty"`
}

// Steered says that words of the operator's, which he said while the model was
// working, go to it with the next request.
type Steered struct {
	Text string `json:"text"`
}

// Notice is something that the operator should know.
type Notice struct {
	Text string `json:"text"`
}

// Retrying says that a request failed and is made again after a delay.
type Retrying struct {
	Reason string        `json:"reason"`
	After  time.Duration `json:"after_ns"`
	Try    int           `json:"try"`
}

// Fault is a failure of the infrastructure, with what to do about it.
type Fault struct {
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// Reverting is how an armed revert stands.
type Reverting struct {
	ID     string
	Call   string
	Target string
	// Due is when it comes, by this machine's clock; zero once that is settled.
	Due time.Time
	// Text says it in a line; a line more for each thing that was reverted. What
	// the target said in it is not to be trusted.
	Text string
	// Over says that nothing more will come of it, Fired that it was not
	// cancelled.
	Over, Fired bool
}

// Done ends the turn.
type Done struct {
	Ending Ending `json:"ending"`
}

// Ending says how a turn ended.
type Ending uint8

const (
	// Failed means that the turn ended on an error. It is the zero value.
	Failed Ending = iota
	// Answered means that the model answered without a call.
	Answered
	// Denied means that the last call of the turn was denied.
	Denied
	// Interrupted means that the operator ended the turn.
	Interrupted
)

// String implements fmt.Stringer.
func (e Ending) String() string {
	switch e {
	case Answered:
		return "answered"
	case Denied:
		return "denied"
	case Interrupted:
		return "interrupted"
	}
	return "failed"
}

// MarshalText encodes the ending by its name.
func (e Ending) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Kind implements Event.
func (Text) Kind() string { return "text" }

// Kind implements Event.
func (Reasoning) Kind() string { return "reasoning" }

// Kind implements Event.
func (CallProposed) Kind() string { return "call_proposed" }

// Kind implements Event.
func (ApprovalAsked) Kind() string { return "approval_asked" }

// Kind implements Event.
func (ApprovalAnswered) Kind() string { return "approval_answered" }

// Kind implements Event.
func (CallStarted) Kind() string { return "call_started" }

// Kind implements Event.
func (CallProgress) Kind() string { return "call_progress" }

// Kind implements Event.
func (CallFinished) Kind() string { return "call_finished" }

// Kind implements Event.
func (RunEnded) Kind() string { return "run_ended" }

// Kind implements Event.
func (Usage) Kind() string { return "usage" }

// Kind implements Event.
func (Compaction) Kind() string { return "compaction" }

// Kind implements Event.
func (Steered) Kind() string { return "steered" }

// Kind implements Event.
func (Notice) Kind() string { return "notice" }

// Kind implements Event.
func (Retrying) Kind() string { return "retrying" }

// Kind implements Event.
func (Fault) Kind() string { return "fault" }

// Kind implements Event.
func (Done) Kind() string { return "done" }

// EncodeEvent is the event as one JSON object with its "type" first.
func EncodeEvent(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Kind(), err)
	}
	head := fmt.Appendf(nil, `{"type":%q`, e.Kind())
	if string(body) == "{}" {
		return append(head, '}'), nil
	}
	return append(append(head, ','), body[1:]...), nil
}
