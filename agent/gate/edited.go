package gate

import (
	"encoding/json"

	"github.com/nod-console/nod/tools"
)

// commandOf returns the command in a call's arguments.
func commandOf(args json.RawMessage) (string, bool) {
	var with struct {
		Command *string `json:"command"`
	}
	if json.Unmarshal(args, &with) != nil || with.Command == nil {
		return "", false
	}
	return *with.Command, true
}

// withCommand replaces the command in a call's arguments.
func withCommand(args json.RawMessage, command string) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(args, &all); err != nil {
		return nil, tools.Invalid("the arguments are not a JSON object: %w", err)
	}
	text, err := json.Marshal(command)
	if err != nil {
		return nil, tools.Invalid("the command cannot be encoded: %w", err)
	}
	all["command"] = text
	return json.Marshal(all)
}
