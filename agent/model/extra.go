package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Some servers attach to a call what they want back with it: Google's sign what the model
// thought before the call, and reject the next request of the turn without the signature.
// The library knows no such field (extra_content), so it is taken out of the chunks before
// the library reads them, and put into the request after the library wrote it.

// extrasOf are the extra_content values of a chunk's calls, by place; nil if there are none.
func extrasOf(calls json.RawMessage) []json.RawMessage {
	var list []struct {
		Extra json.RawMessage `json:"extra_content"`
	}
	if !bytes.Contains(calls, []byte(`"extra_content"`)) || json.Unmarshal(calls, &list) != nil {
		return nil
	}
	extras := make([]json.RawMessage, len(list))
	for i, call := range list {
		if set(call.Extra) {
			extras[i] = call.Extra
		}
	}
	return extras
}

// addExtras writes Call.Extra into a request that the library wrote from messages.
func addExtras(req *http.Request, messages []Message) error {
	if !haveExtras(messages) {
		return nil
	}
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("reading back the request: %w", err)
	}
	var top map[string]json.RawMessage
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return fmt.Errorf("reading back the request: %w", err)
	}
	if err := json.Unmarshal(top["messages"], &list); err != nil {
		return fmt.Errorf("reading back the request: %w", err)
	}
	for i, m := range messages {
		var calls []map[string]json.RawMessage
		if len(m.Calls) == 0 || json.Unmarshal(list[i]["tool_calls"], &calls) != nil {
			continue
		}
		for j, call := range m.Calls {
			if json.Valid(call.Extra) {
				calls[j]["extra_content"] = call.Extra
			}
		}
		list[i]["tool_calls"] = encode(calls)
	}
	top["messages"] = encode(list)
	data = encode(top)
	req.Body = io.NopCloser(bytes.NewReader(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.ContentLength = int64(len(data))
	return nil
}

func haveExtras(messages []Message) bool {
	for _, m := range messages {
		for _, call := range m.Calls {
			if len(call.Extra) > 0 {
				return true
			}
		}
	}
	return false
}
