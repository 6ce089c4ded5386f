package textcall

import (
	"encoding/json"
	"errors"
	"fmt"
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

// property is the schema of an argument; nil if there is none.
func (t Tool) property(argument string) map[string]any {
	properties, _ := t.Parameters["properties"].(map[string]any)
	property, _ := properties[argument].(map[string]any)
	return property
}

// typesOf are the JSON types that a schema takes.
func typesOf(schema map[string]any) []string {
	var all []string
	switch is := schema["type"].(type) {
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
	for _, one := range alternatives(schema) {
		if s, ok := one["type"].(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// alternatives are the schemas of which one has to fit.
func alternatives(schema map[string]any) []map[string]any {
	var all []map[string]any
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		for _, one := range list {
			if m, ok := one.(map[string]any); ok {
				all = append(all, m)
			}
		}
		maps, _ := schema[key].([]map[string]any)
		all = append(all, maps...)
	}
	return all
}

// within is the schema of what stands under a key in what fits a schema: a property, or
// with "items" what a list holds; nil if it is not said.
func within(schema map[string]any, key string) map[string]any {
	for _, s := range append([]map[string]any{schema}, alternatives(schema)...) {
		if key == "items" {
			if items, ok := s["items"].(map[string]any); ok {
				return items
			}
			continue
		}
		properties, _ := s["properties"].(map[string]any)
		if property, ok := properties[key].(map[string]any); ok {
			return property
		}
	}
	return nil
}

// typed gives an argument that was written as text the type that it must have.
func (t Tool) typed(argument, text string) (value, error) {
	v, err := typedAs(typesOf(t.property(argument)), text)
	if err != nil {
		return v, fmt.Errorf("the argument %q %w", argument, err)
	}
	return v, nil
}

var errNoJSON = errors.New("is neither whole JSON nor a text that its tool takes")

// typedAs is a text as one of several types. Text stays text wherever the tool takes one
// and it is no boolean or number that the tool takes, too, and where it may be repaired. A
// list or an object that cannot be read is an error.
func typedAs(types []string, text string) (value, error) {
	v, n, err := readValue(text + " ")
	whole := err == nil && strings.TrimSpace(text[min(n, len(text)):]) == ""
	holds := slices.Contains(types, "array") || slices.Contains(types, "object")
	switch {
	case !whole && holds && !slices.Contains(types, "string") && strings.ContainsAny(text, `[]{}"`):
		return value{}, errNoJSON
	case !whole || len(types) == 0 || v.kind == 's' && slices.Contains(types, "string"):
		return value{kind: 's', text: text}, nil
	}
	if slices.ContainsFunc(types, v.fits) {
		return v, nil
	}
	return value{kind: 's', text: text}, nil
}

// fits reports whether a value that is no string is of a JSON type.
func (v value) fits(is string) bool {
	word := v.kind == 'n'
	switch is {
	case "object":
		return v.kind == '{'
	case "array":
		return v.kind == '['
	case "boolean":
		return word && (v.text == "true" || v.text == "false")
	case "null":
		return word && v.text == "null"
	case "number", "integer":
		return word && isNumber(v.text)
	}
	return false
}

func isNumber(text string) bool {
	var n json.Number
	return json.Unmarshal([]byte(text), &n) == nil && text != "null"
}
