package model

import (
	"bytes"
	"encoding/json"
)

// frame is the part of a chunk that has to be looked at before the library reads it.
type frame struct {
	data   []byte            // what the library gets
	finish bool              // some choice has a finish_reason
	extras []json.RawMessage // see extrasOf
}

// readFrame checks one chunk and brings the dialects of different servers to the one that
// the library knows:
//
//   - reasoning (OpenRouter, Ollama) becomes reasoning_content (DeepSeek, vLLM, llama.cpp);
//   - content as a list of parts (Mistral) becomes text and reasoning;
//   - arguments as an object become the string that they ought to be.
//
// An error object in a chunk, in whatever dress, is returned as an error.
func (c *Client) readFrame(ev event) (frame, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(ev.data, &top); err != nil {
		return frame{}, &Error{Kind: Malformed, Wrapped: err,
			Message: c.host + " sent a piece of the reply that is not a JSON object"}
	}
	if ev.name == "error" || set(top["error"]) || text(top["object"]) == "error" {
		return frame{}, c.spokenError(0, ev.data)
	}
	var choices []map[string]json.RawMessage
	if set(top["choices"]) {
		if err := json.Unmarshal(top["choices"], &choices); err != nil {
			return frame{}, &Error{Kind: Malformed, Wrapped: err,
				Message: c.host + " sent a piece of the reply whose choices are not a list"}
		}
	}
	f := frame{data: ev.data}
	changed := false
	for i, choice := range choices {
		if text(choice["finish_reason"]) != "" {
			f.finish = true
		}
		if set(choice["delta"]) {
			delta, extras, fixed := translateDelta(choice["delta"])
			if i == 0 {
				f.extras = extras
			}
			if fixed {
				choice["delta"] = delta
				changed = true
			}
		}
	}
	if !changed {
		f.data = compact(ev.data)
		return f, nil
	}
	top["choices"] = encode(choices)
	f.data = encode(top)
	return f, nil
}

func translateDelta(raw json.RawMessage) (translated json.RawMessage, extras []json.RawMessage, fixed bool) {
	var delta map[string]json.RawMessage
	if json.Unmarshal(raw, &delta) != nil {
		return raw, nil, false
	}
	extras = extrasOf(delta["tool_calls"])
	if text(delta["reasoning_content"]) == "" && text(delta["reasoning"]) != "" {
		delta["reasoning_content"] = delta["reasoning"]
		fixed = true
	}
	if first(delta["content"]) == '[' {
		said, thought := joinParts(delta["content"])
		delta["content"] = encode(said)
		if thought != "" {
			delta["reasoning_content"] = encode(thought)
		}
		fixed = true
	}
	if bytes.Contains(delta["tool_calls"], []byte(`"arguments"`)) {
		if calls, ok := translateCalls(delta["tool_calls"]); ok {
			delta["tool_calls"] = calls
			fixed = true
		}
	}
	if !fixed {
		return raw, extras, false
	}
	return encode(delta), extras, true
}

// joinParts reads content that is a list of typed parts.
func joinParts(raw json.RawMessage) (said, thought string) {
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", ""
	}
	for _, p := range parts {
		switch {
		case p.Type != "thinking":
			said += p.Text
		case first(p.Thinking) == '[':
			inner, _ := joinParts(p.Thinking)
			thought += inner
		default:
			thought += text(p.Thinking)
		}
	}
	return said, thought
}

// translateCalls turns arguments that are objects into strings that hold them.
func translateCalls(raw json.RawMessage) (json.RawMessage, bool) {
	var calls []map[string]json.RawMessage
	if json.Unmarshal(raw, &calls) != nil {
		return raw, false
	}
	fixed := false
	for _, call := range calls {
		var function map[string]json.RawMessage
		if json.Unmarshal(call["function"], &function) != nil || first(function["arguments"]) != '{' {
			continue
		}
		function["arguments"] = encode(string(function["arguments"]))
		call["function"] = encode(function)
		fixed = true
	}
	if !fixed {
		return raw, false
	}
	return encode(calls), true
}

// compact puts a chunk on one line, since the library reads line by line.
func compact(data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 {
		return data
	}
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return data
	}
	return b.Bytes()
}

// encode marshals values that cannot fail: strings, and maps and lists of valid JSON.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return data
}

func set(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null"
}

// text returns a JSON string's value, and "" for everything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func first(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}
