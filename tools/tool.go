package tools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nod-console/nod/backends"
)

// Tool is something that a model can call.
type Tool interface {
	// Name is what the model calls it by; unique in a registry.
	Name() string

	// Description tells the model what the tool is for. It ends with the
	// sections "When to use", "When NOT to use", "Disambiguation" and
	// "Examples".
	Description() string

	// InputSchema is a JSON Schema of the arguments: a fresh copy for each
	// call, sent to the model verbatim. It informs the model; Plan validates.
	InputSchema() map[string]any

	// Parallelizable reports whether the tool's effects commute with those of
	// any sibling call.
	Parallelizable() bool

	// Plan says what exactly a call with these arguments would do. It changes
	// nothing that anybody would miss: the one effect that it may have is that
	// the operator's shared pane is there. The error is an *Error (invalid_args, execution_failed) or
	// a *Rejection.
	Plan(ctx context.Context, args json.RawMessage, env Env) (Action, error)

	// Execute does what a says. env.Grant is the grant for a. The error is an
	// *Error, and the Result is zero then.
	Execute(ctx context.Context, a Action, env Env) (Result, error)
}

// Optional is a tool that is of no use at times; it is not offered to the model
// then.
type Optional interface {
	// Offered must be quick.
	Offered() bool
}

// Added is a tool that the operator has added to nod's own: an MCP server's, a plugin's.
type Added interface {
	Added() bool
}

// Documented is a tool whose Description is short. It has more to say to whoever asks.
type Documented interface {
	// Guidance is the whole text.
	Guidance() string
}

// Delegating is a parallelizable tool whose call lets others act: a sub-agent. Its
// calls run at the same time as each other, and as nothing else.
type Delegating interface {
	Delegates() bool
}

// Env is all that one call may know of its surroundings.
type Env struct {
	// Call is the id of the tool call; unique in a conversation.
	Call string
	// Target is the target that a call means if it names none.
	Target string
	// Grant allows the action. It is zero in Plan.
	Grant Grant
	// Now is the harness's clock; nil means time.Now.
	Now func() time.Time
	// Progress reports a step of a long execution; nil means nobody listens.
	// It may be called from any goroutine until Execute returns.
	Progress func(Progress)
	// Chunk is told what a command writes, as it comes; nil means that nobody asked for it.
	// As Progress otherwise.
	Chunk func(stream Stream, text string)
	// Conversation is where the call was made; empty if it is part of none.
	Conversation string
	// Tainted reports whether a text has parts that a target has printed and the
	// operator has never said; nil means that nobody knows.
	Tainted func(text string) bool
	// Outputs keeps what a result had to cut; nil means that it is lost.
	Outputs Outputs
	// Effect has another tool called on behalf of code that users have added, while this
	// call is executed. It passes the gate as any call; its result is also what a denial
	// is. Nil in Plan.
	Effect func(ctx context.Context, e Effect) Result
}

// Effect is a call that a plugin's code wants made.
type Effect struct {
	By        string // whose it is, as the record and the operator's question name it: "plugin tickets"
	Tool      string
	Arguments json.RawMessage
	// Permit reports why the plugin may not even ask for what was planned; nil if it may.
	Permit func(Action) error
}

// Time is the harness's clock.
func (e Env) Time() time.Time {
	if e.Now != nil {
		return e.Now()
	}
	return time.Now()
}

// Report passes p on if somebody listens.
func (e Env) Report(p Progress) {
	if e.Progress != nil {
		e.Progress(p)
	}
}

// Progress is a step of a long execution.
type Progress struct {
	Note  string // "waiting for the pane", "412 MiB of 1 GiB"
	Bytes int64  // output so far
	Step  bool   // worth a line of its own where lines are only added
	Chunk
}

// Chunk is what a command has written since the last one, where somebody asked for that.
type Chunk struct {
	Stdout   string `json:"stdout,omitempty"`
	Stderr   string `json:"stderr,omitempty"`
	Terminal string `json:"terminal,omitempty"` // in a pane, with its escape sequences
}

// NewChunk is text of one stream.
func NewChunk(stream Stream, text string) Chunk {
	switch stream {
	case Stderr:
		return Chunk{Stderr: text}
	case Terminal:
		return Chunk{Terminal: text}
	}
	return Chunk{Stdout: text}
}

// Stream is one of a command's outputs.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	// Terminal is what a terminal gets, in which both are one.
	Terminal Stream = "terminal"
)

// Outputs stores full outputs, so that a cut result can say where the rest is.
type Outputs interface {
	// Keep stores text under the call's id and the stream's name ("stdout")
	// and returns a reference that reads it back.
	Keep(ctx context.Context, call, stream, text string) (ref string, err error)
	// Text returns what was kept under a reference of the same conversation.
	Text(ctx context.Context, ref string) (string, error)
}

// Result is the outcome of a call that the model gets to see.
type Result struct {
	// Value is what the model is told; it is encoded as JSON into the envelope.
	Value any
	// IsError marks an outcome that the model should treat as a failure.
	IsError bool
	// Repaired tells the model what was taken differently from how it was written,
	// such as a flag that was sent as text.
	Repaired []string
	// Notes are what hooks say of the call; the model is told them beside the value.
	Notes []string
	// Record is what the ledger is told.
	Record Record
	// Only, if not nil, are the tools that may be called from now on to the end of
	// the turn, among those that could be before.
	Only []string
	// Running is set by a call that only dispatched its command. The ledger's
	// conclusion is written, and the model hears of it, when it is done.
	Running Running
}

// Record is the outcome of an action for the ledger. The zero value is an
// unknown outcome.
type Record struct {
	Outcome   backends.Outcome
	TimedOut  bool   // the wait ended before the command did
	Failed    string // why the action could not be carried out; empty if it was
	Unsure    string // why the outcome is not known, where it is not and never will be
	Bytes     int64  // output or content, in bytes
	Truncated bool   // some of the output was not kept
	Duration  time.Duration
}

// Running is a command that goes on after its call has returned.
type Running interface {
	Done() <-chan struct{}
	// Record is valid once Done is closed.
	Record() Record
	// Describe names the command and its end in a line for the model and the
	// operator, for example "du -sh /var in %3: exited 0".
	Describe() string
}

// Failure is a Result that tells the model what went wrong and what to do. The
// code is a stable word such as "not_read"; it may be empty.
func Failure(code, message string) Result {
	return Result{
		Value:   Problem{Error: message, Code: code},
		IsError: true,
		Record:  Record{Failed: message},
	}
}

// Problem is the Value of a failed Result.
type Problem struct {
	Error string `json:"error"`
	Code  string `json:"code,omitempty"`
}
