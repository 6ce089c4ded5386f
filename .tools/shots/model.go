package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// reply is what the model answers to one request: calls, or else text.
type reply struct {
	text  string
	calls []call
}

type call struct {
	name string
	args map[string]any
}

// script is a model server that gives prepared replies, one a request.
type script struct {
	address string // of the API
	server  *http.Server
	mu      sync.Mutex
	replies []reply
}

func serve(replies []reply) (*script, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &script{address: "http://" + listener.Addr().String() + "/v1", replies: replies}
	s.server = &http.Server{Handler: http.HandlerFunc(s.answer), ReadHeaderTimeout: patience}
	go func() { _ = s.server.Serve(listener) }() // it ends with close
	return s, nil
}

func (s *script) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.server.Close()
}

func (s *script) answer(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.replies) == 0 {
		http.Error(w, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
		return
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	delta, finish := map[string]any{"content": next.text}, "stop"
	if next.calls != nil {
		var all []any
		for i, c := range next.calls {
			args, err := json.Marshal(c.args)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			all = append(all, map[string]any{"index": i, "id": fmt.Sprintf("call-%d-%d", len(s.replies), i), "type": "function",
				"function": map[string]any{"name": c.name, "arguments": string(args)}})
		}
		delta["tool_calls"], finish = all, "tool_calls"
	}
	chunk, err := json.Marshal(map[string]any{
		"id": "shot", "object": "chat.completion.chunk", "created": 1, "model": "large",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk) // nod has ended if that fails
}
