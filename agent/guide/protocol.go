package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// request is the part of a chat-completions request that the guide reads.
type request struct {
	Messages []message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name       string `json:"name"`
			Parameters struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []toolCall `json:"tool_calls"`
}

type toolCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// offers says whether the request has a tool of that name.
func (r *request) offers(name string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

// takes says whether a tool has the parameter, as far as its schema tells.
func (r *request) takes(tool, parameter string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == tool {
			_, ok := t.Function.Parameters.Properties[parameter]
			return ok || len(t.Function.Parameters.Properties) == 0
		}
	}
	return false
}

// maxRequest bounds the conversation that is read.
const maxRequest = 64 << 20

// RoundTrip answers one request of the client. It starts no goroutine; the reply is
// written as it is read.
func (g *Guide) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		return document(r, http.StatusOK, map[string]any{"object": "list",
			"data": []any{map[string]any{"id": ModelName, "object": "model", "owned_by": "nod"}}}), nil
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		return g.complete(r)
	}
	return failure(r, http.StatusNotFound, "the guide has no "+r.Method+" "+r.URL.Path), nil
}

func (g *Guide) complete(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return failure(r, http.StatusBadRequest, "the request has no body"), nil
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if closeErr := r.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("guide: reading the request: %w", err)
	}
	var req request
	if err := json.Unmarshal(data, &req); err != nil {
		return failure(r, http.StatusBadRequest, "the request is not JSON: "+err.Error()), nil
	}
	s := &stream{ctx: r.Context(), pace: g.opts.Pace, chunks: chunks(g.answer(&req), len(data))}
	return response(r, http.StatusOK, "text/event-stream", s), nil
}

// answer is a whole reply: text, calls, or both.
type answer struct {
	text  string
	calls []toolCall
}

// chunks cuts a reply into the protocol's pieces: the text word by word, each call in two.
func chunks(a answer, promptBytes int) [][]byte {
	var out [][]byte
	add := func(delta map[string]any, finish any) {
		out = append(out, chunk(map[string]any{"id": "guide", "object": "chat.completion.chunk", "model": ModelName,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}))
	}
	add(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, word := range strings.SplitAfter(a.text, " ") {
		if word != "" {
			add(map[string]any{"content": word}, nil)
		}
	}
	for i, call := range a.calls {
		call.Index = i
		args := call.Function.Arguments
		call.Function.Arguments = ""
		add(map[string]any{"tool_calls": []toolCall{call}}, nil)
		add(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": args}}}}, nil)
	}
	finish := "stop"
	if len(a.calls) > 0 {
		finish = "tool_calls"
	}
	add(map[string]any{}, finish)
	// Four bytes a token is the usual estimate; the guide costs nothing.
	prompt, completion := promptBytes/4, len(a.text)/4
	out = append(out, chunk(map[string]any{"id": "guide", "object": "chat.completion.chunk", "model": ModelName, "choices": []any{},
		"usage": map[string]int{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}}))
	return append(out, []byte("data: [DONE]\n\n"))
}

func chunk(v any) []byte {
	var b bytes.Buffer
	b.WriteString("data: ")
	b.Write(encode(v))
	b.WriteString("\n\n")
	return b.Bytes()
}

// encode marshals values that cannot fail: maps, lists, strings and numbers.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("guide: " + err.Error())
	}
	return data
}

// stream gives out one chunk per read, with a pause between them if one is wanted.
type stream struct {
	ctx    context.Context
	pace   time.Duration
	chunks [][]byte
	begun  bool
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if len(s.chunks) == 0 {
		return 0, io.EOF
	}
	if s.pace > 0 && s.begun {
		t := time.NewTimer(s.pace)
		defer t.Stop()
		select {
		case <-t.C:
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
	s.begun = true
	n := copy(p, s.chunks[0])
	if s.chunks[0] = s.chunks[0][n:]; len(s.chunks[0]) == 0 {
		s.chunks = s.chunks[1:]
	}
	return n, nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.chunks = nil
	return nil
}

func failure(r *http.Request, status int, message string) *http.Response {
	return document(r, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
}

func document(r *http.Request, status int, v any) *http.Response {
	return response(r, status, "application/json", io.NopCloser(bytes.NewReader(encode(v))))
}

func response(r *http.Request, status int, kind string, body io.ReadCloser) *http.Response {
	return &http.Response{Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
		Header: http.Header{"Content-Type": {kind}}, Body: body, Request: r}
}

var _ http.RoundTripper = (*Guide)(nil)
