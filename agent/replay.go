package agent

import (
	"encoding/json"

	"github.com/nod-console/nod/agent/history"
)

// Replay tells what was said in a conversation as a turn would have told it:
// prompt gets the operator's words, sink all else. It ends without a Done.
func Replay(said []history.Message, prompt func(text string), sink Sink) {
	for _, m := range said {
		switch m.Role {
		case history.User, history.Task:
			prompt(m.Content)
		case history.Assistant:
			if m.Reasoning != "" {
				sink(Reasoning{Text: m.Reasoning})
			}
			if m.Content != "" {
				sink(Text{Text: m.Content})
			}
			for _, c := range m.Calls {
				sink(Proposed(c))
			}
		case history.Tool:
			sink(CallFinished{Call: m.Call, Tool: m.Tool, IsError: m.IsError, Denied: m.Denied, Content: m.Content})
		case history.Steer:
			sink(Steered{Text: m.Content})
		case history.Summary:
			sink(Compaction{Summary: m.Content, Messages: m.Through})
		case history.Note:
			if m.Call != "" {
				sink(RunEnded{Call: m.Call, Text: m.Content})
			} else {
				sink(Notice{Text: m.Content})
			}
		}
	}
}

// Proposed is the event of a call as it is stored.
func Proposed(c history.Call) CallProposed {
	args := json.RawMessage(c.Arguments)
	if c.Invalid != "" || !json.Valid(args) {
		args, _ = json.Marshal(c.Arguments) // a string: cannot fail
	}
	return CallProposed{Call: c.ID, Tool: c.Name, Arguments: args}
}
