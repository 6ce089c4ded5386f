package gate

import (
	"encoding/json"

	"github.com/nod-console/nod/tools"
)

// edited are the arguments that hold what the operator may write otherwise: a command, or
// the text that is typed.
var edited = []string{"command", "literal_text"}

// editedOf is the name of the argument of a call that may be edited; empty if it has none.
func editedOf(args json.RawMessage) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return ""
	}
	for _, name := range edited {
		var text *string
		if json.Unmarshal(all[name], &text) == nil && text != nil {
			return name
		}
	}
	return ""
}

// with replaces a text in a call's arguments.
func with(args json.RawMessage, name, text string) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(args, &all); err != nil {
		return nil, tools.Invalid("the arguments are not a JSON object: %w", err)
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil, tools.Invalid("%s cannot be encoded: %w", name, err)
	}
	all[name] = encoded
	return json.Marshal(all)
}
