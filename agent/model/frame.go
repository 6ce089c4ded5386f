package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// frame is the part of a chunk that has to be looked at before the library reads it.
type frame struct {
	data   []byte            // what the library gets
	finish bool              // some choice has a finish_reason
	extras []json.RawMessage // see extrasOf
}

// readFrame checks one chunk and brings the dialects of different servers to the one that
// the library knows. It passes on what a reply consists of and nothing else, so that no
// other field can have a type that the library rejects:
//
//   - reasoning (OpenRouter, Ollama) and thinking become reasoning_content (DeepSeek, vLLM,
//     llama.cpp);
//   - content as a list of parts (Mistral) becomes text and reasoning;
//   - calls become what they ought to be, see translateCalls, and function_call one of them;
//   - a whole message, as in an answer that is no stream, becomes a delta, if whole is set.
//
// An error object in a chunk, in whatever dress, is returned as an error.
func (c *Client) readFrame(ev event, whole bool) (frame, error) {
	var top struct {
		Error   json.RawMessage `json:"error"`
		Object  json.RawMessage `json:"object"`
		Choices json.RawMessage `json:"choices"`
		Usage   json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(ev.data, &top); err != nil {
		return frame{}, &Error{Kind: Malformed, Wrapped: err,
			Message: c.host + " sent a piece of the reply that is not a JSON object"}
	}
	if ev.name == "error" || isFault(top.Error) || text(top.Object) == "error" {
		return frame{}, c.spokenError(0, ev.data)
	}
	choices, err := choicesOf(top.Choices)
	if err != nil {
		return frame{}, &Error{Kind: Malformed, Wrapped: err,
			Message: c.host + " sent a piece of the reply whose choices are not a list"}
	}
	var f frame
	var b bytes.Buffer
	b.WriteString(`{"choices":[`)
	for i, choice := range choices {
		if i > 0 {
			b.WriteByte(',')
		}
		finished, extras := choice.translate(&b, whole)
		f.finish = f.finish || finished
		if i == 0 {
			f.extras = extras
		}
	}
	b.WriteByte(']')
	if usage := counted(top.Usage); usage != nil {
		b.WriteString(`,"usage":`)
		b.Write(usage)
	}
	b.WriteByte('}')
	f.data = compact(b.Bytes())
	return f, nil
}

// isFault reports whether what stands under "error" is one. Some servers have the field in
// every chunk, with nothing in it.
func isFault(raw json.RawMessage) bool {
	if !set(raw) || string(raw) == "false" || string(raw) == `""` {
		return false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return true
	}
	for _, value := range fields {
		if set(value) && !slices.Contains([]string{`""`, "0", "false", "{}", "[]"}, string(value)) {
			return true
		}
	}
	return false
}

// choice is one of the answers in a chunk.
type choice struct {
	Index   json.RawMessage `json:"index"`
	Delta   json.RawMessage `json:"delta"`
	Message json.RawMessage `json:"message"`
	Finish  json.RawMessage `json:"finish_reason"`
}

// choicesOf are the choices of a chunk, of which some servers give one as it is.
func choicesOf(raw json.RawMessage) (choices []choice, err error) {
	if first(raw) == '{' {
		raw = encode([]json.RawMessage{raw})
	}
	if set(raw) {
		err = json.Unmarshal(raw, &choices)
	}
	return choices, err
}

// translate writes a choice as the library reads it. finished says that it has a finish_reason.
func (c choice) translate(b *bytes.Buffer, whole bool) (finished bool, extras []json.RawMessage) {
	delta := c.Delta
	if whole && !set(delta) {
		delta = c.Message
	}
	fmt.Fprintf(b, `{"index":%d`, number(c.Index))
	if set(delta) {
		delta, extras = translateDelta(delta)
		b.WriteString(`,"delta":`)
		b.Write(delta)
	}
	reason := text(c.Finish)
	if reason != "" {
		b.WriteString(`,"finish_reason":`)
		b.Write(encode(reason))
	}
	b.WriteByte('}')
	return reason != "", extras
}

// number is a whole number, also one in a string or with a fraction; 0 for all else.
func number(raw json.RawMessage) int {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<31 {
		return 0
	}
	return int(n)
}

// counted is a usage that the library can read: nil if there is none.
func counted(raw json.RawMessage) json.RawMessage {
	var usage openai.Usage
	if !set(raw) || json.Unmarshal(raw, &usage) == nil {
		return raw
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return encode(map[string]int{
		"prompt_tokens": number(fields["prompt_tokens"]), "completion_tokens": number(fields["completion_tokens"]),
		"total_tokens": number(fields["total_tokens"]),
	})
}

// fields are those of a delta.
type fields map[string]json.RawMessage

// translateDelta makes of a delta what the library can read: text in the fields that hold
// text, and calls in the protocol's form. What else is of another type is left out, but for
// the content: without it, a reply would be another one.
func translateDelta(raw json.RawMessage) (translated json.RawMessage, extras []json.RawMessage) {
	var delta fields
	if json.Unmarshal(raw, &delta) != nil {
		if first(raw) != '"' {
			return json.RawMessage("{}"), nil
		}
		return encode(fields{"content": raw}), nil
	}
	fixed := false
	for _, step := range []func(fields) bool{fields.nameReasoning, fields.joinContent, fields.dropOdd, fields.nameCalls} {
		fixed = step(delta) || fixed
	}
	if set(delta["tool_calls"]) {
		list, changed := callList(delta["tool_calls"])
		extras = extrasOf(list)
		calls, ok := translateCalls(list)
		if changed || ok {
			delta["tool_calls"] = calls
			fixed = true
		}
	}
	if !fixed {
		return raw, extras
	}
	return encode(delta), extras
}

// nameReasoning gives reasoning the name that the library knows. It reports whether there was
// any of another name.
func (delta fields) nameReasoning() (fixed bool) {
	for _, name := range []string{"reasoning", "thinking"} {
		if text(delta["reasoning_content"]) == "" && text(delta[name]) != "" {
			delta["reasoning_content"] = delta[name]
			fixed = true
		}
	}
	return fixed
}

// joinContent makes text of content in parts. It reports whether it was in parts.
func (delta fields) joinContent() (fixed bool) {
	if kind := first(delta["content"]); kind != '[' && kind != '{' {
		return false
	}
	said, thought := joinParts(delta["content"])
	delta["content"] = encode(said)
	if thought != "" {
		delta["reasoning_content"] = encode(thought)
	}
	return true
}

// dropOdd leaves out what should be text and is not. It reports whether anything was so.
func (delta fields) dropOdd() (fixed bool) {
	for _, name := range []string{"role", "refusal", "reasoning_content"} {
		if set(delta[name]) && first(delta[name]) != '"' {
			delete(delta, name)
			fixed = true
		}
	}
	return fixed
}

// nameCalls makes of the older function_call one of the calls. It reports whether there was
// one.
func (delta fields) nameCalls() (fixed bool) {
	old := delta["function_call"]
	if !set(old) {
		return false
	}
	if !set(delta["tool_calls"]) {
		delta["tool_calls"] = encode([]fields{{"index": encode(0), "function": old}})
	}
	delete(delta, "function_call")
	return true
}

// joinParts reads content that is a list of typed parts.
func joinParts(raw json.RawMessage) (said, thought string) {
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if first(raw) == '{' {
		raw = encode([]json.RawMessage{raw})
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
