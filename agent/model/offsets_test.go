package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// broken is a transport inside the process: a stream that begins well and then
// shows a fault.
type broken struct {
	good string
	then func(ctx context.Context) io.Reader
}

func (b broken) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(io.MultiReader(strings.NewReader(b.good), b.then(r.Context())))}, nil
}

// ends is a reader that fails at once.
type ends struct{ err error }

func (e ends) Read([]byte) (int, error) { return 0, e.err }

// hangs is a reader that gives nothing until its request is given up.
type hangs struct{ ctx context.Context }

func (h hangs) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

func with(text string) func(context.Context) io.Reader {
	return func(context.Context) io.Reader { return strings.NewReader(text) }
}

func failing(err error) func(context.Context) io.Reader {
	return func(context.Context) io.Reader { return ends{err} }
}

// threeCalls is a reply of text and three calls, without its end.
func threeCalls() string {
	return hi + callChunk(0, "call_1", "run_shell", `{"command":"rm -rf /tmp/x`) + callChunk(0, "", "", `/cache","risk":"high"}`) +
		callChunk(1, "call_2", "run_shell", `{}`) +
		callChunk(2, "call_3", "read_file", `{"path":"/etc/hosts"`) + callChunk(2, "", "", `}`)
}

// offsetFaults are what may come at any byte of a reply in the place of its rest.
// passes is set where the reply may count as whole, with calls that are cut.
var offsetFaults = []struct {
	name   string
	then   func(ctx context.Context) io.Reader
	passes bool
}{
	{"the end", with(""), false},
	{"an unexpected end", failing(io.ErrUnexpectedEOF), false},
	{"a reset", failing(syscall.ECONNRESET), false},
	{"a broken pipe", failing(syscall.EPIPE), false},
	{"an unknown error", failing(errors.New("something\nodd \x1b[31m")), false},
	{"silence", func(ctx context.Context) io.Reader { return hangs{ctx} }, false},
	{"the end mark", with("\n\n" + done), false},
	{"the end mark without a line before", with(done), false},
	{"an error object", with("\n\ndata: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n"), false},
	{"an error object behind another key", with("\n\ndata: { \"id\":\"x\", \"error\": {\"message\":\"overloaded\"}}\n\n" + done), false},
	{"an error event", with("\n\nevent: error\ndata: {\"message\":\"overloaded\"}\n\n"), false},
	{"an error object of vllm", with("\n\ndata: {\"object\":\"error\",\"message\":\"no\",\"code\":500}\n\n"), false},
	{"an error that is a text", with("\n\ndata: {\"error\":\"out of memory\"}\n\n" + done), false},
	{"a page", with("\n\n<html><body>502 Bad Gateway</body></html>\n\n"), false},
	{"a chunk that breaks off", with("\n\ndata: {\"id\":\"x\",\"cho\n\n" + done), false},
	{"a chunk that is a list", with("\n\ndata: [1]\n\n" + stop + done), false},
	{"choices that are a number", with("\n\ndata: {\"choices\":7}\n\n" + stop + done), false},
	{"content that is a number", with("\n\n" + chunk(`{"content":7}`) + stop + done), false},
	{"zero bytes", with(strings.Repeat("\x00", 5000)), false},
	{"bytes that are no text", with(strings.Repeat("\xff\xfe", 999) + "\n\n"), false},
	{"a line without an end", func(context.Context) io.Reader {
		return io.LimitReader(endless('A'), 5<<20)
	}, false},
	{"comments, and the end", with("\n\n" + strings.Repeat(": ping\n\n", 500)), false},
	{"the end of another choice", with("\n\n" + `data: {"id":"x","choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}` + "\n\n" + done), false},
	{"a finish that is null", with("\n\n" + finishChunk(`{}`, "null") + done), false},
	{"its token limit", with("\n\n" + finishChunk(`{}`, `"length"`) + done), true},
	{"a content filter", with("\n\n" + finishChunk(`{}`, `"content_filter"`) + done), true},
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{byte(e)}, len(p)))
	return len(p), nil
}

// TestEachFaultAtManyOffsets puts every fault behind every part of a reply with three
// calls: every byte with NOD_E2E=1, else every 41st. No call is ever ready to be run
// before the reply has ended well, the error is one clean sentence with a hint, and
// nothing waits longer than its time-out.
func TestEachFaultAtManyOffsets(t *testing.T) {
	whole := threeCalls()
	step := 41
	if os.Getenv("NOD_E2E") == "1" {
		step = 1
	}
	for _, f := range offsetFaults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			each := step
			if f.name == "silence" || f.name == "a line without an end" { // which take their time
				each *= 7
			}
			for at := 0; at <= len(whole); at += each {
				c, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", APIKey: "sk-test-1234567890",
					Transport: broken{whole[:at], f.then}, Tries: 1, IdleTimeout: 30 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				reply, err := c.Stream(t.Context(), ask("x"), nil)
				for _, call := range reply.Message.Calls {
					if !f.passes || call.Arguments != nil || call.Invalid == "" {
						t.Fatalf("behind byte %d: a call could be run: %+v", at, call)
					}
				}
				if f.passes && err == nil {
					continue
				}
				if err == nil {
					t.Fatalf("behind byte %d: no error; the reply is %+v", at, reply)
				}
				clean(t, fmt.Sprint("behind byte ", at), err)
			}
		})
	}
}

// clean checks that an error is one sentence that can be shown, with a hint.
func clean(t *testing.T, where string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Hint() == "" || strings.ContainsAny(e.Error(), "\n\r\x1b") ||
		strings.Contains(e.Error(), "sk-test") || len(e.Error()) > 500 || strings.HasSuffix(e.Error(), ".") {
		t.Errorf("%s: no clean sentence with a hint: %v", where, err)
	}
}

// A stream that ends well behind some noise is a good one.
func TestNoiseThatIsNoFault(t *testing.T) {
	for name, noise := range map[string]string{
		"comments": strings.Repeat(": ping\n\n", 500), "empty events": "\n\n\n\n", "unknown fields": "retry: 10\nid: 5\n\n",
		"usage in between": `data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}` + "\n\n",
		"an empty delta":   chunk(`{}`),
	} {
		reply, err := stream(t, threeCalls()+noise+finishChunk(`{}`, `"tool_calls"`)+noise+done, ask("x"), nil)
		if err != nil || len(reply.Message.Calls) != 3 || reply.Message.Calls[0].Arguments == nil {
			t.Errorf("%s: %d calls, %v", name, len(reply.Message.Calls), err)
		}
	}
}

func TestLimitsOfTheHeadersInUse(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		head map[string]string
		want string
	}{
		{"openai", map[string]string{"x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1s",
			"x-ratelimit-limit-tokens": "150000", "x-ratelimit-remaining-tokens": "149984", "x-ratelimit-reset-tokens": "6m0s"},
			"59 of 60 requests left (full in 1s), 149984 of 150000 tokens left (full in 6m0s)"},
		{"anthropic", map[string]string{"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "0",
			"anthropic-ratelimit-requests-reset": "2026-03-01T00:00:30Z"}, "0 of 50 requests left (full in 30s)"},
		{"openrouter", map[string]string{"X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "1772323210000"},
			"3 of 20 requests left (full in 10s)"},
		{"nonsense", map[string]string{"x-ratelimit-remaining-tokens": "many", "x-ratelimit-remaining-requests": "-4"}, ""},
		{"half", map[string]string{"x-ratelimit-remaining-tokens": "7", "x-ratelimit-reset-tokens": "soon"}, "7 tokens left"},
	} {
		h := http.Header{}
		for k, v := range c.head {
			h.Set(k, v)
		}
		l := limitsOf(h, now)
		if l.String() != c.want || l.Empty() != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, l.String(), c.want)
		}
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		w.Header().Set("X-Ratelimit-Remaining-Tokens", "5")
		sends(hi, stop, done)(w, r, n)
	})
	if reply, err := dial(t, s).Stream(testContext(t), ask("x"), nil); err != nil || reply.Limits.Tokens.Left != 5 {
		t.Errorf("%+v, %v", reply.Limits, err)
	}
}

func TestSessionModes(t *testing.T) {
	got := make(chan string, 8)
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		got <- r.Header.Get("X-Session-ID")
		sends(hi, stop, done)(w, r, n)
	})
	for mode, check := range map[string]func(a, b, other string) bool{
		"":               func(a, b, other string) bool { return a == "talk" && b == "talk" && other == "else" },
		SessionResume:    func(a, b, other string) bool { return a == "talk" && b == "talk" && other == "else" },
		SessionStateless: func(a, b, other string) bool { return a+b+other == "" },
		SessionFresh:     func(a, b, other string) bool { return a == b && a != "talk" && len(a) > 16 && other != a },
	} {
		c := dial(t, s, func(cfg *Config) { cfg.SessionHeader, cfg.SessionMode = "X-Session-ID", mode })
		for _, session := range []string{"talk", "talk", "else"} {
			r := ask("x")
			r.Session = session
			if _, err := c.Stream(testContext(t), r, nil); err != nil {
				t.Fatal(err)
			}
		}
		if a, b, other := <-got, <-got, <-got; !check(a, b, other) {
			t.Errorf("mode %q: %q, %q, %q", mode, a, b, other)
		}
	}
	if _, err := New(Config{BaseURL: "http://x/v1", Model: "m", SessionMode: "often"}); err == nil {
		t.Error("an unknown mode")
	}
}
