package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// Names of events.
const (
	SessionStart  = "session_start"  // nod begins to work; a denial ends each turn before it begins
	PreMessage    = "pre_message"    // the operator says something to the model
	PostMessage   = "post_message"   // the model has said something; a denial ends the turn
	PreTool       = "pre_tool"       // something is to run, and nobody was asked yet
	ApprovalAsked = "approval_asked" // the operator is being asked; a denial takes the question back
	PostTool      = "post_tool"      // something has run; a denial keeps its result from the model
	RunEnded      = "run_ended"      // a command that went on after its call has ended; nothing can be denied
)

// Events are all names of events, in the order in which they happen.
func Events() []string {
	return []string{SessionStart, PreMessage, PostMessage, PreTool, ApprovalAsked, PostTool, RunEnded}
}

// Known reports, as an error, that there is no event of that name.
func Known(event string) error {
	if !slices.Contains(Events(), event) {
		return fmt.Errorf("there is no event %q; there are %s", event, strings.Join(Events(), ", "))
	}
	return nil
}

// Event is what a hook is told. Fields that mean nothing for the event are left out.
type Event struct {
	Event        string `json:"event"`
	Conversation string `json:"conversation,omitempty"`
	Call         string `json:"call,omitempty"`
	Agent        string `json:"agent,omitempty"`    // the sub-agent or plugin whose it is
	Operator     bool   `json:"operator,omitempty"` // the operator's own command

	// Of pre_tool, approval_asked, post_tool: what would be done, or was.
	Tool   string `json:"tool,omitempty"`
	Effect string `json:"kind,omitempty"` // "exec", "read", "write", "fetch", ...
	Target string `json:"target,omitempty"`
	// Targets are those of one action on several; Target is their folded name then.
	Targets []string `json:"targets,omitempty"`
	Pane    string   `json:"pane,omitempty"`
	Command string   `json:"command,omitempty"` // the command line, the URL, the arguments
	Path    string   `json:"path,omitempty"`
	Content string   `json:"content,omitempty"` // what would be written, or the command's input

	// Text is the message, the result as the model would get it, why it is asked, or how
	// the run ended.
	Text    string `json:"text,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Failed  bool   `json:"failed,omitempty"` // the result is an error
}

// Answer is what a hook says. The zero value is nothing.
type Answer struct {
	Deny string `json:"deny"` // why not; empty: no denial
	Note string `json:"note"` // for the operator, and where it concerns a call, for the model
}

// Bounds of what a hook says, in characters.
const (
	mostDeny = 500
	mostNote = 2000
)

// Decode reads a hook's answer. Nothing but the fields of [Answer] may be in it.
func Decode(text []byte) (Answer, error) {
	var a Answer
	if len(bytes.TrimSpace(text)) == 0 {
		return a, nil
	}
	var fields map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&fields); err != nil {
		return a, fmt.Errorf("its answer %q is not a JSON object: %w", harmless.Line(string(text), 80), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return a, fmt.Errorf("its answer %q is more than one JSON object", harmless.Line(string(text), 80))
	}
	for name := range fields {
		switch name {
		case "deny", "note":
		case "allow":
			return a, errors.New(`it answered "allow", and a hook cannot allow anything; it can deny or note`)
		default:
			return a, fmt.Errorf("it answered %q; there are deny and note", harmless.Line(name, 40))
		}
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return Answer{}, fmt.Errorf("its answer %q: want texts: %w", harmless.Line(string(text), 80), err)
	}
	if raw, denies := fields["deny"]; denies && a.Deny == "" && string(raw) != "null" {
		return Answer{}, errors.New(`its "deny" is empty; say why, or leave it out`)
	}
	a.Deny, a.Note = harmless.Line(a.Deny, mostDeny), harmless.Line(a.Note, mostNote)
	return a, nil
}

// Hook is somebody who is told of events.
type Hook struct {
	// Name is what the operator calls it: "ticket", or "plugin tickets".
	Name     string
	Events   []string
	Required []string // of them, those where its failure denies
	// Timeout bounds each call; it is more than zero.
	Timeout time.Duration
	// Call puts an event before it. It may be called from several goroutines. An error
	// is a failure; [ErrAbsent] is one that was told already.
	Call func(ctx context.Context, e Event) (Answer, error)
}

// ErrAbsent is the error of a hook that is not there, which was told when it went.
var ErrAbsent = errors.New("it is not running")

func (h Hook) wants(event string) bool    { return slices.Contains(h.Events, event) }
func (h Hook) requires(event string) bool { return slices.Contains(h.Required, event) }
