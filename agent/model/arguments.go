package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// cutOff says why a call of a reply that finished so may be only a part of one.
func cutOff(finish string) string {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded":
		return "the reply reached its token limit, so the call may be cut off: make it shorter, or in parts"
	case "content_filter", "safety", "recitation", "prohibited_content", "spii", "blocklist", "refusal":
		return "the server's content filter ended the reply, so the call may be cut off"
	case "abort", "aborted", "cancelled", "canceled", "error", "network_error", "malformed_function_call":
		return fmt.Sprintf("the server ended the reply early (%s), so the call may be cut off", finish)
	}
	return ""
}

// parseArguments accepts exactly one JSON object, and nothing at all for tools without
// parameters. An object in a code fence, or written as a JSON string, is taken out of it:
// it says the same. Anything else is not run.
func parseArguments(raw string) (args json.RawMessage, invalid string) {
	text := unfenced(strings.TrimSpace(raw))
	if text == "" {
		return json.RawMessage("{}"), ""
	}
	for range 3 { // a string in a string has been seen
		var inner string
		if text[0] != '"' || json.Unmarshal([]byte(text), &inner) != nil {
			break
		}
		if text = unfenced(strings.TrimSpace(inner)); text == "" {
			return nil, notAnObject
		}
	}
	if rest, ok := strings.CutPrefix(text, "{}"); ok && strings.HasPrefix(rest, "{\"") {
		text = rest // some servers begin with an empty object, and send the real one behind it
	}
	if list := []json.RawMessage(nil); text[0] == '[' && json.Unmarshal([]byte(text), &list) == nil && len(list) == 1 {
		text = string(list[0])
	}
	if !isObject([]byte(text)) {
		return nil, notAnObject
	}
	if text == strings.TrimSpace(raw) {
		return json.RawMessage(raw), ""
	}
	return json.RawMessage(text), ""
}

const notAnObject = "the arguments are not one JSON object: send exactly one, such as {\"name\": \"value\"}, with every quotation mark and bracket closed"

// unfenced is what stands in a code fence that is all of a text, or the text.
func unfenced(text string) string {
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	if inner, ok = strings.CutSuffix(inner, "```"); !ok {
		return text
	}
	if at := strings.IndexAny(inner, "{\n"); at >= 0 {
		inner = inner[at:] // behind the language
	}
	return strings.TrimSpace(inner)
}

func isObject(data []byte) bool {
	return first(data) == '{' && json.Valid(bytes.TrimSpace(data))
}
