// Package spec is what the built-in tools share in how they speak to a model:
// arguments that are read strictly, the annotation that every acting call must
// carry, and the pieces of a JSON Schema.
//
// Package spectest holds the tests that every tool must pass.
package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/nod-console/nod/tools"
)

// Decode reads a call's arguments into a struct. Unknown names, wrong types
// and anything behind the object are errors; no arguments at all are an empty
// object. The error is an invalid_args error.
func Decode(args json.RawMessage, into any) error {
	text := bytes.TrimSpace(args)
	if len(text) == 0 || string(text) == "null" {
		text = []byte("{}")
	}
	if text[0] != '{' {
		return tools.Invalid("the arguments are not a JSON object: %.80q; send one such as {\"name\": \"value\"}", text)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return tools.Invalid("%s", misfit(text, err, into))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return tools.Invalid("there is more than one JSON object in the arguments: send one")
	}
	return nil
}

// Claim is the annotation of an acting call, to be embedded into its arguments.
type Claim struct {
	Risk     *string `json:"risk"`
	Mutation *bool   `json:"mutation"`
	Privesc  *bool   `json:"privesc"`
	Why      *string `json:"why"`
}

// Check returns the annotation if it is complete. The error is an invalid_args
// error.
func (c Claim) Check() (tools.Claim, error) {
	var missing []string
	for _, m := range []struct {
		name   string
		absent bool
	}{{"risk", c.Risk == nil}, {"mutation", c.Mutation == nil}, {"privesc", c.Privesc == nil}, {"why", c.Why == nil}} {
		if m.absent {
			missing = append(missing, m.name)
		}
	}
	if len(missing) > 0 {
		return tools.Claim{}, Missing(missing...)
	}
	switch *c.Risk {
	case "low", "medium", "high":
	default:
		return tools.Claim{}, tools.Invalid(`risk is %q, want "low", "medium" or "high"`, *c.Risk)
	}
	if strings.TrimSpace(*c.Why) == "" {
		return tools.Claim{}, tools.Invalid("why is empty: say shortly what the call is for")
	}
	return tools.Claim{Risk: *c.Risk, Mutation: *c.Mutation, Privesc: *c.Privesc, Why: *c.Why}, nil
}

// Missing is the invalid_args error for arguments that a call lacks.
func Missing(names ...string) error {
	again := "it"
	if len(names) > 1 {
		again = "them"
	}
	return tools.Invalid("missing: %s; call again with %s", strings.Join(names, ", "), again)
}

// A tool's guidance is one text: what each request says of the tool, then a line with
// three dashes, then the whole of it.
const rule = "\n---\n"

// Condition says whether something is there that lines of a guidance are about.
type Condition struct {
	name  string
	holds bool
}

// If is a condition.
func If(name string, holds bool) Condition { return Condition{name, holds} }

// Brief is the part of a guidance that goes with each request. It ends with the four
// sections. A line that begins with {panes} is part of it if the condition of that name
// holds, one with {!panes} if it does not.
func Brief(guidance string, conditions ...Condition) string {
	brief, _, _ := strings.Cut(guidance, rule)
	for _, c := range conditions {
		keep, drop := "{"+c.name+"} ", "{!"+c.name+"} "
		if !c.holds {
			keep, drop = drop, keep
		}
		var lines []string
		for line := range strings.Lines(brief) {
			if !strings.HasPrefix(line, drop) {
				lines = append(lines, strings.TrimPrefix(line, keep))
			}
		}
		brief = strings.Join(lines, "")
	}
	return strings.TrimSpace(brief)
}

// Whole is the whole guidance.
func Whole(guidance string) string {
	brief, whole, _ := strings.Cut(guidance, rule)
	if whole = strings.TrimSpace(whole); whole != "" {
		return whole
	}
	return strings.TrimSpace(brief)
}

// Schema makes the schema of an object from its properties. No others are
// allowed.
func Schema(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{
		"type":                 "object",
		"properties":           properties,
		"additionalProperties": false,
	}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// Acting adds the annotation's properties to those of an acting tool.
func Acting(properties map[string]any) map[string]any {
	properties["risk"] = map[string]any{
		"type": "string", "enum": []string{"low", "medium", "high"},
	}
	properties["mutation"] = Bool("")
	properties["privesc"] = Bool("")
	properties["why"] = String("")
	return properties
}

// ClaimNames are the required names that Acting adds.
func ClaimNames(others ...string) []string {
	return append(others, "risk", "mutation", "privesc", "why")
}

// String is the schema of a text.
func String(description string) map[string]any {
	return described(map[string]any{"type": "string"}, description)
}

// described adds a description, unless it is empty: names that say enough, and those
// that the prompt explains once, need none.
func described(schema map[string]any, description string) map[string]any {
	if description != "" {
		schema["description"] = description
	}
	return schema
}

// Bool is the schema of a flag.
func Bool(description string) map[string]any {
	return described(map[string]any{"type": "boolean"}, description)
}

// Count is the schema of a whole number of at least lowest.
func Count(lowest int, description string) map[string]any {
	return described(map[string]any{"type": "integer", "minimum": lowest}, description)
}

// Target is the schema of the argument that names a target.
func Target() map[string]any {
	return String("")
}
