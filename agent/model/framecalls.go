package model

import (
	"encoding/json"
	"strconv"
)

// callList is what stands under "tool_calls" as a list: one call by itself, or a list that
// was written as a text, is made one. Whatever is no call is left out.
func callList(raw json.RawMessage) (list json.RawMessage, changed bool) {
	switch first(raw) {
	case '"':
		inner := json.RawMessage(text(raw))
		if kind := first(inner); kind != '[' && kind != '{' {
			return json.RawMessage("[]"), true
		}
		list, _ = callList(inner)
		return list, true
	case '{':
		return encode([]json.RawMessage{raw}), true
	}
	var calls []json.RawMessage
	if json.Unmarshal(raw, &calls) != nil {
		return json.RawMessage("[]"), true
	}
	kept := calls[:0]
	for _, call := range calls {
		if first(call) == '{' {
			kept = append(kept, call)
		}
	}
	if len(kept) == len(calls) {
		return raw, false
	}
	return encode(kept), true
}

// translateCalls brings calls to the types that the protocol has: ids that are numbers
// become text, indices that are text or fractions numbers, and arguments that are objects
// the strings that they ought to be. A name and arguments beside "function" move into it.
func translateCalls(raw json.RawMessage) (json.RawMessage, bool) {
	var calls []map[string]json.RawMessage
	if json.Unmarshal(raw, &calls) != nil {
		return raw, false
	}
	fixed := false
	for _, call := range calls {
		if id := call["id"]; set(id) && first(id) != '"' {
			call["id"] = encode(string(id))
			fixed = true
		}
		if kind := call["type"]; set(kind) && first(kind) != '"' {
			delete(call, "type")
			fixed = true
		}
		if index := call["index"]; set(index) {
			if _, err := strconv.Atoi(string(index)); err != nil {
				call["index"] = encode(number(index))
				fixed = true
			}
		}
		if translateFunction(call) {
			fixed = true
		}
	}
	if !fixed {
		return raw, false
	}
	return encode(calls), true
}

// translateFunction makes of a call's function an object with two texts.
func translateFunction(call map[string]json.RawMessage) (fixed bool) {
	var function map[string]json.RawMessage
	switch first(call["function"]) {
	case '{':
		if json.Unmarshal(call["function"], &function) != nil {
			return false
		}
	case '"':
		function, fixed = map[string]json.RawMessage{"name": call["function"], "arguments": argumentsOf(call)}, true
	default:
		if set(call["function"]) || set(call["name"]) {
			function, fixed = map[string]json.RawMessage{"name": call["name"], "arguments": argumentsOf(call)}, true
		}
	}
	if function == nil {
		return false
	}
	if name := function["name"]; set(name) && first(name) != '"' {
		delete(function, "name")
		fixed = true
	}
	args := argumentsOf(function)
	if set(args) && first(args) != '"' {
		args = encode(string(args))
	}
	if string(args) != string(function["arguments"]) && set(args) {
		function["arguments"] = args
		fixed = true
	}
	if fixed {
		call["function"] = encode(function)
	}
	return fixed
}

// argumentsOf are a call's arguments, by whatever name; "null" if there are none.
func argumentsOf(call map[string]json.RawMessage) json.RawMessage {
	for _, name := range []string{"arguments", "parameters", "input"} {
		if set(call[name]) {
			return call[name]
		}
	}
	return json.RawMessage("null")
}
