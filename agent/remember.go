package agent

import (
	"bytes"
	"encoding/json"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/taint"
	"github.com/nod-console/nod/tools"
)

// remember tells a memory, message by message and in their order, who said what:
// the operator, the model of its own accord, or a target.
func remember(m *taint.Memory, said ...history.Message) {
	for _, s := range said {
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

// named tells which hosts the operator has named: all of them in what he typed
// himself.
func (s Step) named() func(host string) bool {
	switch {
	case s.Operator:
		return func(string) bool { return true }
	case s.Seen == nil:
		return nil
	}
	return s.Seen.Named
}

// tainted are the parts of a step's command that the model has from a target
// and not from the operator.
func (s Step) tainted() []policy.Span {
	if s.Seen == nil || s.Operator {
		return nil
	}
	a := s.Action
	text, from := a.Command, 0
	switch a.Kind {
	case tools.Exec, tools.Run, tools.Fetch:
	case tools.Type: // what stands on the line already is nobody's proposal
		text, from = a.Pending+a.Literal, len(a.Pending)
	default:
		return nil
	}
	var spans []policy.Span
	for _, p := range s.Seen.Of(text) {
		if p.End > from {
			spans = append(spans, policy.Span{Start: max(p.Start, from), End: p.End})
		}
	}
	return spans
}
