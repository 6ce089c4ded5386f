package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// chunk is one piece of a reply with the given delta.
func chunk(delta string) string { return finishChunk(delta, "null") }

// finishChunk is a piece with a finish_reason, given as JSON.
func finishChunk(delta, finish string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` +
		delta + `,"finish_reason":` + finish + `}]}` + "\n\n"
}

const done = "data: [DONE]\n\n"

var (
	hi   = chunk(`{"role":"assistant","content":"hi"}`)
	stop = finishChunk(`{}`, `"stop"`)
	// cutCall ends in the middle of its arguments.
	cutCall = chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function",` +
		`"function":{"name":"run_shell","arguments":"{\"command\":\"rm -rf /tmp/x"}}]}`)
)

// handler answers the n-th request, counted from 1.
type handler func(w http.ResponseWriter, r *http.Request, n int)

type server struct {
	*httptest.Server
	requests atomic.Int32
	bodies   chan string
}

func serve(t *testing.T, h handler) *server {
	t.Helper()
	s := &server{bodies: make(chan string, 16)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case s.bodies <- string(body):
		default:
		}
		h(w, r, int(s.requests.Add(1)))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// dial makes a client with time-outs and pauses that fit a test.
func dial(t *testing.T, s *server, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{BaseURL: s.URL + "/v1", APIKey: "sk-test-1234567890", Model: "m",
		HeaderTimeout: time.Minute, IdleTimeout: time.Minute, RetryPause: time.Millisecond}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(text string) Request { return Request{Messages: []Message{{Role: User, Content: text}}} }

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func eventStream(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }

// sends is a handler that streams the pieces.
func sends(pieces ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		eventStream(w)
		write(w, pieces...)
	}
}

func write(w http.ResponseWriter, pieces ...string) {
	for _, p := range pieces {
		_, _ = io.WriteString(w, p) // the client may be gone, as some tests want
		w.(http.Flusher).Flush()
	}
}

func fails(status int, body string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// then answers the first request with one handler and all others with another.
func then(first, rest handler) handler {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			first(w, r, n)
			return
		}
		rest(w, r, n)
	}
}

// reset ends the connection with a TCP reset.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func callChunk(index int, id, name, args string) string {
	return chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]}`,
		index, id, name, args))
}
