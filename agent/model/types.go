package model

import (
	"encoding/json"
	"time"
)

// Role says who wrote a message.
type Role string

// The four roles of the protocol.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role    Role
	Content string
	// Reasoning is what the model thought before it answered, kept apart from Content.
	Reasoning string
	// Calls are the tool calls of an assistant message, in the order in which they appeared.
	Calls []Call
	// CallID names the call that a tool message answers.
	CallID string
	// Name is the tool's name in a tool message, otherwise optional.
	Name string
	// Aside is set for a user message that begins no turn: something that is said between
	// a call's result and what the model makes of it.
	Aside Aside
}

// Aside says who speaks in the middle of a turn.
type Aside uint8

// The speakers.
const (
	// NoAside is the zero value: the message begins a turn, or is not a user's.
	NoAside Aside = iota
	// FromNod is data of nod's, such as what a terminal shows. It is sent as a part of
	// the result before it: many templates refuse a user's message behind one.
	FromNod
	// FromOperator are words of the operator's. They are sent as a user's message, behind a
	// result with a word of the model's between.
	FromOperator
)

// Call is one tool call of a finished reply.
type Call struct {
	// ID is unique within the reply and among the messages of the request.
	ID   string
	Name string
	// Arguments is a valid JSON object, or nil when Invalid is set.
	Arguments json.RawMessage
	// Raw is what the model wrote, byte for byte.
	Raw string
	// Invalid says why the call must not run. It is empty for a sound call.
	Invalid string
	// Extra is what the server wants back with the call, opaque; nil for most. Keep it with
	// the call.
	Extra json.RawMessage
}

// ToolSpec describes one tool to the model. Parameters is a JSON Schema, sent verbatim but
// for properties, which it gets if it has none.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  map[string]any
}

// Request is one question to the model.
type Request struct {
	Messages []Message
	// Tools may be empty; the request then has no tools field at all.
	Tools []ToolSpec
	// MaxTokens bounds the reply; 0 leaves it to the server.
	MaxTokens int
	// Session is sent in Config.SessionHeader when both are set.
	Session string
}

// Delta is one step of a reply. Any number of its fields may be set.
type Delta struct {
	Text      string
	Reasoning string
	Call      *CallDelta
	Usage     *Usage
	// Wait says that the request is about to be sent again after a pause.
	Wait *Wait
}

// CallDelta is a piece of a call that is still being written. It is there to be shown,
// never to be run.
type CallDelta struct {
	// Index is the call's place in Reply.Message.Calls.
	Index int
	ID    string
	Name  string
	// Arguments is the piece of the argument text that arrived now.
	Arguments string
}

// Wait announces a retry. The next try starts at Until unless the context ends first.
type Wait struct {
	Until time.Time
	For   time.Duration
	// Try is the number of the try to come, Of how many there are at most.
	Try, Of int
	Reason  *Error
}

// Usage counts tokens as the server reports them; all zero when it reports none.
type Usage struct {
	Prompt     int
	Completion int
	Total      int
	// Reasoning is the part of Completion that was thought, Cached the part of Prompt
	// that came out of the server's cache.
	Reasoning int
	Cached    int
}

// Reply is a whole answer.
type Reply struct {
	Message Message
	// Finish is the server's finish_reason; empty when the stream did not finish.
	Finish string
	Usage  Usage
	// Limits is what the server says that it still takes.
	Limits Limits
}
