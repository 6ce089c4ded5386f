package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Envelope encodes a result for the model: the harness's time and the value.
//
//	{"harness_timestamp":{"source":"harness","unix_millis":N},"result":…,"repaired":["…"],"notes":["…"]}
//
// "repaired" is there only if something was, "notes" only if a hook has said something.
// A value that cannot be encoded becomes a Problem that says so.
func Envelope(now time.Time, r Result) string {
	type stamp struct {
		Source     string `json:"source"`
		UnixMillis int64  `json:"unix_millis"`
	}
	type envelope struct {
		Timestamp stamp `json:"harness_timestamp"`
		Result    any   `json:"result"`

		Repaired []string `json:"repaired,omitempty"`
		Notes    []string `json:"notes,omitempty"`
	}
	e := envelope{stamp{"harness", now.UnixMilli()}, r.Value, r.Repaired, r.Notes}
	text, err := encode(e)
	if err != nil {
		e.Result = Problem{Error: fmt.Sprintf("the result cannot be encoded: %v", err)}
		text, _ = encode(e) // two strings: cannot fail
	}
	return text
}

// encode is json.Marshal without HTML escapes: models read "<" better than
// "\u003c".
func encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Head cuts s to its first limit characters and reports how many it left out.
// It never cuts a character in two.
func Head(s string, limit int) (head string, omitted int) {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i], utf8.RuneCountInString(s[i:])
		}
		n++
	}
	return s, 0
}

// Tail cuts s to its last limit characters and reports how many it left out.
// It never cuts a character in two.
func Tail(s string, limit int) (tail string, omitted int) {
	total := utf8.RuneCountInString(s)
	if total <= limit {
		return s, 0
	}
	omitted = total - limit
	n := 0
	for i := range s {
		if n == omitted {
			return s[i:], omitted
		}
		n++
	}
	return "", omitted
}
