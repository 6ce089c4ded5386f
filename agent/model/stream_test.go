package model

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestFaults puts every fault that a server, or what stands between, can have in front of
// the client: each is one error of the right kind, and no call comes out of any.
func TestFaults(t *testing.T) {
	plain := func(s string) handler { return sends(s) }
	good := sends(hi, stop, done)
	for _, tc := range []struct {
		name     string
		h        handler
		reset    bool // the connection, when the text has been read: a reset overtakes what was not
		kind     Kind // "" means success
		text     string
		requests int32
		change   func(*Config)
	}{
		{name: "clean close in a call", h: plain(hi + cutCall), kind: Truncated, text: "hi", requests: 1},
		{name: "done in a call without finish_reason", h: plain(hi + cutCall + done), kind: Truncated, text: "hi", requests: 1},
		{name: "close without chunked coding in a call", h: func(w http.ResponseWriter, _ *http.Request, _ int) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+hi+cutCall)
			_ = conn.Close()
		}, kind: Truncated, text: "hi", requests: 1},
		{name: "reset in a call", h: plain(hi + cutCall), reset: true, kind: Truncated, text: "hi", requests: 1},
		{name: "chunked body aborted in a call", h: func(w http.ResponseWriter, _ *http.Request, _ int) {
			eventStream(w)
			write(w, hi, cutCall)
			panic(http.ErrAbortHandler)
		}, kind: Truncated, text: "hi", requests: 1},
		{name: "malformed chunk", h: plain(hi + "data: {\"id\":\"x\",\"cho\n\n" + done), kind: Malformed, text: "hi", requests: 1},
		{name: "chunk that is a list", h: plain(hi + "data: [1]\n\n" + stop + done), kind: Malformed, text: "hi", requests: 1},
		{name: "chunk with wrong types", h: plain(hi + chunk(`{"content":7}`) + stop + done), kind: Malformed, text: "hi", requests: 1},
		{name: "error object in the stream", h: plain(hi + `data: {"error":{"message":"overloaded","type":"server_error"}}` + "\n\n"),
			kind: Server, text: "hi", requests: 1},
		{name: "error object after another key", h: plain(hi + `data: { "id":"x", "error": {"message":"overloaded"}}` + "\n\n" + done),
			kind: Server, text: "hi", requests: 1},
		{name: "error event", h: plain(hi + "event: error\ndata: {\"message\":\"overloaded\",\"type\":\"server_error\"}\n\n"),
			kind: Server, text: "hi", requests: 1},
		{name: "error object of vllm", h: plain(`data: {"object":"error","message":"too many tokens","code":400}` + "\n\n"),
			kind: ContextLength, requests: 1},
		{name: "error after the finish", h: plain(hi + stop + `data: {"error":{"message":"late"}}` + "\n\n"), kind: Server, text: "hi", requests: 1},
		{name: "first chunk is a passing error", h: then(plain(`data: {"error":{"message":"overloaded","code":503}}`+"\n\n"), good),
			text: "hi", requests: 2},
		{name: "html with status 200", h: func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>login</html>")
		}, kind: Malformed, requests: 1},
		{name: "html that claims to be a stream", h: plain("<html>login</html>\n\n"), kind: Truncated, requests: 4},
		{name: "json error with status 200", h: func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"error":{"message":"no such model","code":404}}`)
		}, kind: NotFound, requests: 1},
		{name: "document instead of a stream", h: func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{\n \"choices\": [{\"message\": {\"content\": \"hi\"}, \"finish_reason\": \"stop\"}]\n}\n")
		}, text: "hi", requests: 1},
		{name: "document that claims to be a stream", h: plain(`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`), text: "hi", requests: 1},
		{name: "document without an end", h: plain(`{"choices":[{"message":{"content":"hi"}}]}`), kind: Truncated, text: "hi", requests: 1},
		{name: "document that is cut", h: plain(`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}`), kind: Malformed, requests: 1},
		{name: "document that says something else", h: plain(`{"hello":1}`), kind: Malformed, requests: 1},
		{name: "empty body", h: plain(""), kind: Truncated, requests: 4},
		{name: "empty body once", h: then(plain(""), good), text: "hi", requests: 2},
		{name: "status 204", h: fails(204, ""), kind: Truncated, requests: 4},
		{name: "400 keep-alive comments", h: plain(strings.Repeat(": ping\n\n", 400) + hi + stop + done), text: "hi", requests: 1},
		{name: "last line without its end", h: plain(hi + strings.TrimSpace(stop)), kind: Truncated, text: "hi", requests: 1},
		{name: "no choices at all", h: plain("data: {\"id\":\"x\",\"choices\":[]}\n\n" + done), kind: Truncated, requests: 4},
		{name: "choices of the wrong type", h: plain("data: {\"choices\":7}\n\n" + done), kind: Malformed, requests: 1},
		{name: "line of 5 MiB", h: plain(chunk(`{"content":"` + strings.Repeat("A", 5<<20) + `"}`)), kind: TooLarge, requests: 1},
		{name: "reply of 17 MiB", h: func(w http.ResponseWriter, _ *http.Request, _ int) {
			eventStream(w)
			for range 17 {
				write(w, chunk(`{"reasoning_content":"`+strings.Repeat("A", 1<<20)+`"}`))
			}
		}, kind: TooLarge, requests: 1},
		{name: "stall after a chunk", h: func(w http.ResponseWriter, r *http.Request, _ int) {
			eventStream(w)
			write(w, hi)
			<-r.Context().Done()
		}, kind: Timeout, text: "hi", requests: 1, change: func(c *Config) { c.IdleTimeout = time.Second }},
		{name: "stall before the header", h: func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() },
			kind: Timeout, requests: 1, change: func(c *Config) { c.HeaderTimeout = 50 * time.Millisecond }},
		{name: "429 once", h: then(fails(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`), good), text: "hi", requests: 2},
		{name: "429 for ever", h: fails(429, `{"error":{"message":"slow down"}}`), kind: RateLimited, requests: 4},
		{name: "429 without credit", h: fails(429, `{"error":{"message":"no","code":"insufficient_quota"}}`), kind: Quota, requests: 1},
		{name: "503 page once", h: then(fails(503, "<html>bad</html>"), good), text: "hi", requests: 2},
		{name: "500 for ever", h: fails(500, "oops"), kind: Server, requests: 4},
		{name: "408 once", h: then(fails(408, ""), good), text: "hi", requests: 2},
		{name: "401", h: fails(401, `{"error":{"message":"bad key"}}`), kind: Auth, requests: 1},
		{name: "403", h: fails(403, ``), kind: Auth, requests: 1},
		{name: "402", h: fails(402, ``), kind: Quota, requests: 1},
		{name: "404 of ollama", h: fails(404, `{"error":"model 'm' not found"}`), kind: NotFound, requests: 1},
		{name: "400", h: fails(400, `{"detail":"no"}`), kind: Refused, requests: 1},
		{name: "400 with a list, as from google", h: fails(400, `[{"error":{"code":400,"message":"bad","status":"INVALID"}}]`), kind: Refused, requests: 1},
		{name: "context length by code", h: fails(400, `{"error":{"message":"no","code":"context_length_exceeded"}}`), kind: ContextLength, requests: 1},
		{name: "context length of llama.cpp", h: fails(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`),
			kind: ContextLength, requests: 1},
		{name: "no tools of ollama", h: fails(400, `{"error":{"message":"registry.ollama.ai/library/gemma does not support tools"}}`), kind: NoTools, requests: 1},
		{name: "reset before the response once", h: then(func(w http.ResponseWriter, _ *http.Request, _ int) { reset(w) }, good), text: "hi", requests: 2},
		{name: "reset before the response for ever", h: func(w http.ResponseWriter, _ *http.Request, _ int) { reset(w) }, kind: Unreachable, requests: 4},
		{name: "redirect", h: func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, "http://elsewhere.invalid/v1/chat/completions", http.StatusTemporaryRedirect)
		}, kind: Redirected, requests: 1},
		{name: "connection held open after the end", h: func(w http.ResponseWriter, r *http.Request, _ int) {
			eventStream(w)
			write(w, hi, stop)
			<-r.Context().Done()
		}, text: "hi", requests: 1, change: func(c *Config) { c.IdleTimeout = time.Second }},
		{name: "reset after the end", h: plain(hi + stop), reset: true, text: "hi", requests: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			read := make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				tc.h(w, r, n)
				if !tc.reset {
					return
				}
				select {
				case <-read:
					reset(w)
				case <-r.Context().Done():
				}
			})
			change := tc.change
			if change == nil {
				change = func(*Config) {}
			}
			reply, err := dial(t, s, change).Stream(testContext(t), ask("x"), func(d Delta) {
				if tc.reset && d.Text != "" {
					close(read)
				}
			})
			if got := kindOf(err); got != tc.kind || err != nil && got == "" {
				t.Fatalf("error %v (kind %q), want kind %q", err, got, tc.kind)
			}
			if reply.Message.Content != tc.text && tc.kind != TooLarge {
				t.Errorf("text %q, want %q", reply.Message.Content, tc.text)
			}
			if len(reply.Message.Calls) != 0 {
				t.Errorf("calls came out of it: %+v", reply.Message.Calls)
			}
			if got := s.requests.Load(); got != tc.requests {
				t.Errorf("%d requests, want %d", got, tc.requests)
			}
			var e *Error
			if errors.As(err, &e) {
				if e.Hint() == "" || strings.ContainsAny(e.Error(), "\n\r\x1b") || strings.Contains(e.Error(), "sk-test") {
					t.Errorf("error is not one clean sentence with a hint: %q, %q", e.Error(), e.Hint())
				}
			}
		})
	}
}
