package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// Reply is what the scripted model does with one request.
type Reply func(w io.Writer, r *http.Request)

// Server is an OpenAI-compatible server on loopback that follows a script.
type Server struct {
	*httptest.Server
	Mu       sync.Mutex
	Requests []Request
	Count    int
	spent    time.Duration // answering, since busy was asked
}

// Busy is how long the server has worked on answers since it was last asked.
func (s *Server) Busy() time.Duration {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	spent := s.spent
	s.spent = 0
	return spent
}

// Forget drops what was asked so far.
func (s *Server) Forget() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Requests = nil
}

// AskedKey is where a reply finds what was asked.
type AskedKey struct{}

// Request is what the server was asked.
type Request struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		Reasoning  string `json:"reasoning_content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID    string          `json:"id"`
			Extra json.RawMessage `json:"extra_content"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []json.RawMessage `json:"tools"`
}

// Serve starts a server that answers with the script, a reply for each request.
func Serve(t *testing.T, script []Reply) *Server {
	t.Helper()
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		defer func() {
			s.Mu.Lock()
			s.spent += time.Since(began)
			s.Mu.Unlock()
		}()
		var q Request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.Mu.Lock()
		n := s.Count
		s.Count++
		s.Requests = append(s.Requests, q)
		s.Mu.Unlock()
		if why := q.unsound(); why != "" {
			t.Errorf("request %d: %s", n, why)
		}
		if n >= len(script) {
			http.Error(w, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		script[n](Flushing{w}, r.WithContext(context.WithValue(r.Context(), AskedKey{}, q)))
	}))
	t.Cleanup(s.Close)
	return s
}

// Sent is all that a request's messages say.
func (q Request) Sent() string {
	var all strings.Builder
	for _, m := range q.Messages {
		fmt.Fprintf(&all, "[%s] %s\n", m.Role, m.Content)
	}
	return all.String()
}

// unsound says what strict servers reject: calls without exactly their results
// behind them, and prompts that do not follow an answer.
func (q Request) unsound() string {
	for i, m := range q.Messages {
		for n, c := range m.ToolCalls {
			at := i + 1 + n
			if at >= len(q.Messages) || q.Messages[at].Role != "tool" || q.Messages[at].ToolCallID != c.ID {
				return fmt.Sprintf("call %s has no result at message %d", c.ID, at)
			}
		}
		if m.Role == "user" && i > 1 && q.Messages[i-1].Role == "user" {
			return fmt.Sprintf("message %d: user after user", i)
		}
		if m.Role == "user" && i > 1 && q.Messages[i-1].Role != "assistant" && !strings.HasPrefix(m.Content, "steer:") {
			return fmt.Sprintf("message %d: user after %s", i, q.Messages[i-1].Role)
		}
	}
	return ""
}

// Notice is how a notice of nod's stands in a request: with the mark that its prompt
// names.
func (b *Bench) Notice(q Request, text string) string {
	b.T.Helper()
	_, rest, ok := strings.Cut(q.Messages[0].Content, `<notice from="nod" mark="`)
	mark, _, _ := strings.Cut(rest, `"`)
	if !ok || len(mark) < 12 {
		b.T.Errorf("no mark in the prompt: %q", mark)
	}
	return `<notice from="nod" mark="` + mark + `">` + text + "</notice>"
}

// Asked returns the requests so far, in order.
func (s *Server) Asked() []Request {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return slices.Clone(s.Requests)
}

// Flushing sends on at once what is written.
type Flushing struct{ http.ResponseWriter }

// Write implements [io.Writer]; each piece is sent at once.
func (f Flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

// Says answers with text, a few bytes a chunk.
func Says(text string) Reply {
	return func(w io.Writer, _ *http.Request) {
		for len(text) > 0 {
			n := character(text, min(7, len(text)))
			Chunk(w, map[string]any{"content": text[:n]}, nil)
			text = text[n:]
		}
		Finish(w, "stop")
	}
}

// character is the first place from at on where no character is cut in two.
func character(s string, at int) int {
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return at
}

// ToolCall is one call of a tool in a reply.
type ToolCall struct{ ID, ToolName, Args string }

// Cmd is a call with a command as its argument.
func Cmd(id, name, command string) ToolCall {
	args, _ := json.Marshal(map[string]string{"command": command}) // strings: cannot fail
	return ToolCall{id, name, string(args)}
}

// Calls asks for tool calls whose arguments arrive in pieces, all at the
// same time.
func Calls(calls ...ToolCall) Reply {
	return func(w io.Writer, _ *http.Request) {
		for i, c := range calls {
			Chunk(w, map[string]any{"tool_calls": []any{Piece(i, c.ID, c.ToolName, "")}}, nil)
		}
		for at, more := 0, true; more; at += 5 {
			more = false
			for i, c := range calls {
				if at < len(c.Args) {
					Chunk(w, map[string]any{"tool_calls": []any{Piece(i, "", "", c.Args[character(c.Args, at):character(c.Args, min(at+5, len(c.Args)))])}}, nil)
					more = true
				}
			}
		}
		Finish(w, "tool_calls")
	}
}

// Piece is a part of a call as a delta of a stream.
func Piece(i int, id, name, args string) map[string]any {
	p := map[string]any{"index": i, "function": map[string]any{"arguments": args}}
	if name != "" {
		p["id"], p["type"] = id, "function"
		p["function"] = map[string]any{"name": name, "arguments": args}
	}
	return p
}

// Chunk writes one event of a stream.
func Chunk(w io.Writer, delta map[string]any, Finish any) {
	text, err := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion.chunk", "model": "m",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": Finish}},
	})
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", text) // the client may have gone, as some tests want
}

// Finish writes the last event of a stream.
func Finish(w io.Writer, reason string) {
	Chunk(w, map[string]any{}, reason)
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n",
		`{"id":"x","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":90,"completion_tokens":10,"total_tokens":100}}`)
}
