package spectest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

// goWords are how Go's libraries speak of what they cannot read. No model learns from them.
var goWords = regexp.MustCompile(`json:|unmarshal|Go (value|struct|type)|\*errors\.|strconv\.|reflect\.|interface ?\{|map\[string|struct \{|nil pointer|runtime error|goroutine|invalid character|unexpected end of JSON|error parsing regexp|parse "|%!|<nil>`)

// advice is how an answer says what to change.
var advice = regexp.MustCompile(`want|missing|there are|such as|counts from|at most|more than|leave it out|call again|empty|is none of|is no |not absolute|nothing`)

// Misfits tests that wrong arguments are answered with what to change: each required
// argument left out, each of a wrong type, one that there is not, and a word that is none
// of those to choose from. The answer names the argument, says what it wants, and has no
// words of Go's. good are arguments that fit; besides are arguments that somebody else
// than the tool checks.
func Misfits(t *testing.T, tool tools.Tool, env tools.Env, good json.RawMessage, besides ...string) {
	t.Helper()
	schema := plainSchema(t, tool)
	var whole map[string]any
	if err := json.Unmarshal(good, &whole); err != nil {
		t.Fatalf("%s: %v", tool.Name(), err)
	}
	try := func(name string, args any) {
		t.Helper()
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		said := refusal(t, tool, env, text)
		switch {
		case said == "":
			t.Errorf("%s %s: not refused", tool.Name(), text)
		case goWords.MatchString(said):
			t.Errorf("%s %s: the model reads %q", tool.Name(), text, said)
		case !strings.Contains(said, name) || !advice.MatchString(said):
			t.Errorf("%s %s: %q does not say what to change about %s", tool.Name(), text, said, name)
		}
	}
	for _, m := range misfits(schema, whole, besides) {
		try(m.name, m.args)
	}
	for _, text := range []string{`[]`, `"x"`, `{"a":`, `{`, `{}{}`, `7`, `nonsense`} {
		if said := refusal(t, tool, env, json.RawMessage(text)); said == "" || goWords.MatchString(said) || !strings.Contains(said, "JSON object") {
			t.Errorf("%s %s: %q", tool.Name(), text, said)
		}
	}
}

// refusal is what a call that cannot be planned is answered with; empty if it can.
func refusal(t *testing.T, tool tools.Tool, env tools.Env, args json.RawMessage) string {
	t.Helper()
	_, err := tool.Plan(t.Context(), args, env)
	var fault *tools.Error
	var no *tools.Rejection
	switch {
	case err == nil:
		return ""
	case errors.As(err, &fault):
		return fault.Message
	case errors.As(err, &no):
		return no.Error()
	}
	t.Errorf("%s %s: %T is no answer for a model: %v", tool.Name(), args, err, err)
	return ""
}

// plainSchema is a tool's schema as the model gets it.
func plainSchema(t *testing.T, tool tools.Tool) (schema map[string]any) {
	t.Helper()
	text, err := json.Marshal(tool.InputSchema())
	if err == nil {
		err = json.Unmarshal(text, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

type misfit struct {
	name string // of the argument that is wrong
	args any
}

// values are one of each JSON type, and what is nearly another.
var values = []any{"nodsuch", 7.0, 1.5, true, []any{"nodsuch"}, []any{7.0}, map[string]any{"nodsuch": 1.0}}

// misfits are the arguments with one fault each, down to those within lists of objects.
func misfits(schema, whole map[string]any, besides []string) []misfit {
	with := func(name string, value any) map[string]any {
		args := maps.Clone(whole)
		if args == nil {
			args = map[string]any{}
		}
		if delete(args, name); value != nil {
			args[name] = value
		}
		return args
	}
	all := []misfit{{"nodsuch", with("nodsuch", 1.0)}}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if slices.Contains(besides, fmt.Sprint(name)) {
			continue
		}
		all = append(all, misfit{fmt.Sprint(name), with(fmt.Sprint(name), nil)})
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(besides, name) {
			continue
		}
		property, _ := properties[name].(map[string]any)
		for _, v := range values {
			if fits(property, v, name) != nil && misType(property, v) {
				all = append(all, misfit{name, with(name, v)})
			}
		}
		if property["enum"] != nil {
			all = append(all, misfit{name, with(name, "nodsuch")})
		}
		items, _ := property["items"].(map[string]any)
		list, _ := whole[name].([]any)
		if items["type"] == "object" && len(list) > 0 {
			inner, _ := list[0].(map[string]any)
			for _, m := range misfits(items, inner, besides) {
				all = append(all, misfit{m.name, with(name, []any{m.args})})
			}
		}
	}
	return all
}

// misType reports whether a value has none of the types that a schema takes; what else is
// wrong with it (a range, a pattern) is the tool's own matter to tell.
func misType(schema map[string]any, v any) bool {
	if kinds, ok := schema["anyOf"].([]any); ok {
		for _, one := range kinds {
			if s, ok := one.(map[string]any); ok && !misType(s, v) {
				return false
			}
		}
		return true
	}
	kind, ok := schema["type"].(string)
	if !ok {
		return false
	}
	if items, ok := schema["items"].(map[string]any); ok && hasType(v, kind) {
		list, _ := v.([]any)
		return len(list) > 0 && misType(items, list[0])
	}
	return !hasType(v, kind)
}
