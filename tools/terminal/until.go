package terminal

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/nod-console/nod/backends/search"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// maxKeysWait is how long a call can wait for the effect of keys.
const maxKeysWait = 10 * time.Minute

// untilSchema adds the properties of what ends a call and how much it tells.
func untilSchema(properties map[string]any) map[string]any {
	properties["wait_for"] = map[string]any{"type": "object"} // the tools' texts name what it holds
	properties["max_chars"] = map[string]any{"type": "integer"}
	return properties
}

// untilArgs are these arguments of a call.
type untilArgs struct {
	WaitFor  json.RawMessage `json:"wait_for"`
	MaxChars *int            `json:"max_chars"`
}

// until reads them; a text alone is a pattern. most bounds the time. The error is an
// invalid_args error.
func (u untilArgs) until(most time.Duration) (tools.Until, error) {
	var out tools.Until
	if u.MaxChars != nil {
		if *u.MaxChars < 1 {
			return out, tools.Invalid("max_chars is %d, want 1 to %d", *u.MaxChars, MostCharacters)
		}
		out.Most = min(*u.MaxChars, MostCharacters)
	}
	if len(u.WaitFor) == 0 || string(u.WaitFor) == "null" {
		return out, nil
	}
	var object struct {
		Pattern string `json:"pattern"`
		Silence *int   `json:"silence_ms"`
		Seconds *int   `json:"seconds"`
	}
	if json.Unmarshal(u.WaitFor, &object.Pattern) != nil {
		var misfit *tools.Error
		if errors.As(spec.Decode(u.WaitFor, &object), &misfit) {
			return out, tools.Invalid(`wait_for: %s; it is an object such as {"pattern": "ready", "silence_ms": 500, "seconds": 60}`, misfit.Message)
		}
	}
	out.Pattern = object.Pattern
	for _, part := range []struct {
		name string
		from *int
		unit time.Duration
		to   *time.Duration
	}{{"silence_ms", object.Silence, time.Millisecond, &out.Silence}, {"seconds", object.Seconds, time.Second, &out.Time}} {
		if part.from == nil {
			continue
		}
		if *part.from < 1 || *part.from > int(most/part.unit) {
			return out, tools.Invalid("wait_for: %s is %d, want 1 to %d", part.name, *part.from, most/part.unit)
		}
		*part.to = time.Duration(*part.from) * part.unit
	}
	if out.Pattern != "" {
		re, err := guard.Pattern(out.Pattern)
		switch {
		case err != nil:
			return out, tools.Invalid("wait_for: %w", search.Misread(err))
		case re.MatchString(""):
			return out, tools.Invalid("wait_for: the pattern %q matches nothing at all, so it would not wait", out.Pattern)
		}
	}
	if !out.Waits() {
		return out, tools.Invalid("wait_for: give a pattern, silence_ms or seconds")
	}
	return out, nil
}
