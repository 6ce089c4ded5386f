package trace

import (
	"encoding/json"
	"fmt"
)

// Words says what a line is about, and the text that it is about, which may be long.
func (l Line) Words() (about, text string) {
	var v struct {
		Messages []struct{ Role, Content string }
		Tools    []json.RawMessage
		Message  struct {
			Content string
			Calls   []struct{ Name string }
		}
		Usage           struct{ Prompt, Completion int }
		Error           string
		Name, Arguments string
		Tool, Content   string
	}
	if json.Unmarshal(l.Value, &v) != nil {
		return "", string(l.Value)
	}
	switch l.Kind {
	case "request":
		last := ""
		if n := len(v.Messages); n > 0 {
			last = v.Messages[n-1].Role + ": " + v.Messages[n-1].Content
		}
		return fmt.Sprintf("%d messages, %d tools · ", len(v.Messages), len(v.Tools)), last
	case "reply":
		if v.Error != "" {
			return "failed: " + v.Error, ""
		}
		return fmt.Sprintf("%d + %d tokens, %d calls · ", v.Usage.Prompt, v.Usage.Completion, len(v.Message.Calls)), v.Message.Content
	case "call":
		return v.Name + " ", v.Arguments
	case "result":
		return v.Tool + " → ", v.Content
	}
	return "", string(l.Value)
}
