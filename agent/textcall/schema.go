package textcall

import (
	"encoding/json"
	"slices"
	"strings"
)

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of its arguments.
	Parameters map[string]any
}

// required are the arguments that the tool cannot do without.
func (t Tool) required() []string {
	var names []string
	switch list := t.Parameters["required"].(type) {
	case []string:
		names = list
	case []any:
		for _, n := range list {
			if s, ok := n.(string); ok {
				names = append(names, s)
			}
		}
	}
	return names
}

// types are the JSON types that an argument may have.
func (t Tool) types(argument string) []string {
	properties, _ := t.Parameters["properties"].(map[string]any)
	property, _ := properties[argument].(map[string]any)
	var all []string
	switch is := property["type"].(type) {
	case string:
		all = append(all, is)
	case []string:
		all = append(all, is...)
	case []any:
		for _, one := range is {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := property[key].([]any)
		for _, one := range list {
			if m, ok := one.(map[string]any); ok {
				if s, ok := m["type"].(string); ok {
					all = append(all, s)
				}
			}
		}
		maps, _ := property[key].([]map[string]any)
		for _, m := range maps {
			if s, ok := m["type"].(string); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// typed gives an argument that was written as text the type that it must have.
// Text stays text wherever the tool takes one and it is no boolean or number that
// the tool takes, too.
func (t Tool) typed(argument, text string) value {
	types := t.types(argument)
	v, n, err := readValue(text + " ")
	whole := err == nil && strings.TrimSpace(text[min(n, len(text)):]) == ""
	if !whole || len(types) == 0 || v.kind == 's' && slices.Contains(types, "string") {
		return value{kind: 's', text: text}
	}
	for _, is := range types {
		switch {
		case v.kind == '{' && is == "object", v.kind == '[' && is == "array",
			v.kind == 'n' && (v.text == "true" || v.text == "false") && is == "boolean",
			v.kind == 'n' && v.text == "null" && is == "null",
			v.kind == 'n' && isNumber(v.text) && (is == "number" || is == "integer"):
			return v
		}
	}
	return value{kind: 's', text: text}
}

func isNumber(text string) bool {
	var n json.Number
	return json.Unmarshal([]byte(text), &n) == nil && text != "null"
}
