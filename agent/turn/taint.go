package turn

import (
	"bytes"
	"encoding/json"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/taint"
)

// remember tells a memory, message by message and in their order, who said what:
// the operator, the model of its own accord, or a target.
func remember(m *taint.Memory, messages ...history.Message) {
	for _, s := range messages {
		switch s.Role {
		case history.User:
			m.Said(s.Content)
		case history.Task: // an agent's words: only what is not its own already counts
			m.Printed(s.Content)
		case history.Assistant:
			m.Thought(s.Content)
			for _, c := range s.Calls {
				texts([]byte(c.Arguments), m.Thought)
			}
		case history.Tool:
			if !s.Denied { // a denial is the operator's or a rule's
				texts([]byte(s.Content), m.Printed)
			}
		case history.Note:
			if s.Call != "" { // a command that has ended
				m.Printed(s.Content)
			}
		}
	}
}

// texts passes on every text in a JSON value, without its escapes; what is no
// JSON is passed on whole.
func texts(value []byte, each func(string)) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var found []string
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		if text, ok := token.(string); ok {
			found = append(found, text)
		}
	}
	if !json.Valid(value) {
		found = []string{string(value)}
	}
	for _, text := range found {
		each(text)
	}
}
