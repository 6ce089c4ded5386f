// Package spectest tests what a tool tells a model about itself.
package spectest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

var sections = []string{"## When to use", "## When NOT to use", "## Disambiguation", "## Examples"}

// example finds the calls in the Examples section: JSON objects in backquotes.
var example = regexp.MustCompile("`(\\{[^`]*\\})`")

// Tool tests that the description ends with its four sections in order, that
// every example fits the schema, and that the schema is a fresh copy each time.
// It returns the examples.
func Tool(t *testing.T, tool tools.Tool) []json.RawMessage {
	t.Helper()
	text := tool.Description()
	at := 0
	for i, s := range sections {
		next := strings.Index(text, "\n"+s+"\n")
		if next < 0 || next < at {
			t.Fatalf("%s: section %q is missing or out of order", tool.Name(), s)
		}
		if at = next; i == 0 && at < 40 {
			t.Errorf("%s: no introduction before %q", tool.Name(), s)
		}
	}
	if strings.Contains(text[at+len(sections[3])+2:], "\n## ") {
		t.Errorf("%s: something comes behind the examples", tool.Name())
	}
	var examples []json.RawMessage
	for _, m := range example.FindAllStringSubmatch(text[at:], -1) {
		examples = append(examples, json.RawMessage(m[1]))
		if err := Fits(tool.InputSchema(), []byte(m[1])); err != nil {
			t.Errorf("%s: example %s: %v", tool.Name(), m[1], err)
		}
	}
	if len(examples) == 0 {
		t.Errorf("%s: no examples", tool.Name())
	}
	fresh(t, tool)
	return examples
}

func fresh(t *testing.T, tool tools.Tool) {
	t.Helper()
	want := tool.InputSchema()
	spoilt := tool.InputSchema()
	clear(spoilt["properties"].(map[string]any))
	clear(spoilt)
	if got := tool.InputSchema(); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the schema is shared between calls", tool.Name())
	}
}

// Fits checks a document against a schema, as far as the tools' schemas go:
// type, enum, pattern, minimum, maximum, required, properties,
// additionalProperties, items, minItems and anyOf. Any other key of a schema
// is an error.
func Fits(schema map[string]any, document []byte) error {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return err
	}
	// As the model gets it: slices of any, numbers as float64.
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return err
	}
	return fits(plain, v, "arguments")
}

func fits(schema map[string]any, v any, at string) error {
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		if err := keyword(schema, key, v, at); err != nil {
			return err
		}
	}
	return nil
}

// keywords check a value by what a schema says of it under a key.
var keywords map[string]func(want, v any, at string) error

func init() { // some reach back to fits
	keywords = map[string]func(want, v any, at string) error{
		"type":     checkType,
		"enum":     checkEnum,
		"pattern":  checkPattern,
		"minimum":  checkMinimum,
		"maximum":  checkMaximum,
		"minItems": checkMinItems,
		"required": checkRequired,
		"items":    checkItems,
		"anyOf":    checkAnyOf,
	}
}

func keyword(schema map[string]any, key string, v any, at string) error {
	switch key {
	case "description", "properties", "default":
		return nil
	case "additionalProperties":
		return members(schema, v, at)
	}
	check, ok := keywords[key]
	if !ok {
		return fmt.Errorf("%s: the schema has %q, which is not known here", at, key)
	}
	return check(schema[key], v, at)
}

func checkType(want, v any, at string) error {
	if !hasType(v, want.(string)) {
		return fmt.Errorf("%s: %v is no %s", at, v, want)
	}
	return nil
}

func checkEnum(want, v any, at string) error {
	if !slices.Contains(want.([]any), v) {
		return fmt.Errorf("%s: %v is none of %v", at, v, want)
	}
	return nil
}

func checkPattern(want, v any, at string) error {
	if s, ok := v.(string); ok && !regexp.MustCompile(want.(string)).MatchString(s) {
		return fmt.Errorf("%s: %q does not match %s", at, s, want)
	}
	return nil
}

func checkMinimum(want, v any, at string) error {
	if n, ok := v.(float64); ok && n < want.(float64) {
		return fmt.Errorf("%s: %v is less than %v", at, n, want)
	}
	return nil
}

func checkMaximum(want, v any, at string) error {
	if n, ok := v.(float64); ok && n > want.(float64) {
		return fmt.Errorf("%s: %v is more than %v", at, n, want)
	}
	return nil
}

func checkMinItems(want, v any, at string) error {
	if l, ok := v.([]any); ok && float64(len(l)) < want.(float64) {
		return fmt.Errorf("%s: fewer than %v", at, want)
	}
	return nil
}

func checkRequired(want, v any, at string) error {
	object, ok := v.(map[string]any)
	for _, name := range want.([]any) {
		if _, has := object[name.(string)]; ok && !has {
			return fmt.Errorf("%s: %v is missing", at, name)
		}
	}
	return nil
}

func checkItems(want, v any, at string) error {
	list, _ := v.([]any) // "type" says if it is none
	for i, e := range list {
		if err := fits(want.(map[string]any), e, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

// checkAnyOf returns the first schema's error if none of them fits.
func checkAnyOf(want, v any, at string) error {
	var first error
	for _, s := range want.([]any) {
		err := fits(s.(map[string]any), v, at)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// members checks an object's members; the schemas allow no others.
func members(schema map[string]any, v any, at string) error {
	properties := schema["properties"].(map[string]any)
	object, ok := v.(map[string]any)
	if !ok {
		return nil // "type" says so
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		s, ok := properties[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s: there is no %q", at, name)
		}
		if err := fits(s, object[name], at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func hasType(v any, want string) bool {
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == float64(int64(v))
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return want == "null"
}
