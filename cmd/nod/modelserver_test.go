package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// scripted is an OpenAI-compatible server on loopback that gives prepared
// replies, one a request, as streams.
type scripted struct {
	*httptest.Server
	mu       sync.Mutex
	replies  [][]string
	requests []request
}

// request is what the server was asked.
type request struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// result is what the model was told last of a call: the pictures of terminals that
// stand behind it are none.
func (r request) result() string {
	for _, m := range slices.Backward(r.Messages) {
		if !strings.HasPrefix(m.Content, "<screen-") {
			return m.Content
		}
	}
	return ""
}

// serveModel answers the n-th request with the n-th reply, a list of the
// deltas to stream, and further ones with an error.
func serveModel(t testing.TB, replies ...[]string) *scripted {
	t.Helper()
	s := &scripted{replies: replies}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) answer(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm","max_model_len":131072}]}`)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, "not here", http.StatusNotFound)
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if n >= len(s.replies) {
		http.Error(w, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range s.replies[n] {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", delta)
		w.(http.Flusher).Flush()
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// asked returns the requests so far.
func (s *scripted) asked() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

// says is a reply of text, in pieces of a few bytes.
func says(text string) []string {
	var all []string
	for len(text) > 0 {
		n := min(7, len(text))
		all = append(all, chunk(map[string]any{"content": text[:n]}, nil))
		text = text[n:]
	}
	return append(all, chunk(map[string]any{}, "stop"))
}

// call is one tool call of a reply.
type call struct {
	id, name string
	args     map[string]any
}

// calls is a reply of tool calls whose arguments arrive in pieces.
func calls(list ...call) []string {
	var all []string
	for i, c := range list {
		all = append(all, toolDelta(i, map[string]any{"id": c.id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": ""}}))
		args, err := json.Marshal(c.args)
		if err != nil {
			panic(err)
		}
		piece := max(11, len(args)/100)
		for text := string(args); len(text) > 0; {
			n := min(piece, len(text))
			all = append(all, toolDelta(i, map[string]any{"function": map[string]any{"arguments": text[:n]}}))
			text = text[n:]
		}
	}
	return append(all, chunk(map[string]any{}, "tool_calls"))
}

func toolDelta(index int, call map[string]any) string {
	call["index"] = index
	return chunk(map[string]any{"tool_calls": []any{call}}, nil)
}

func chunk(delta map[string]any, finish any) string {
	text, err := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// shell is a run_shell call with an honest claim.
func shell(id, command string, mutation bool) call {
	risk := "low"
	if mutation {
		risk = "medium"
	}
	return call{id, "run_shell", map[string]any{
		"command": command, "risk": risk, "mutation": mutation, "privesc": false, "why": "the story wants it",
	}}
}
