package model

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCancelKeepsTheText cancels in the middle of a call: Stream returns at once, with the
// text, without the call, and with the context's error.
func TestCancelKeepsTheText(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		eventStream(w)
		write(w, hi, cutCall)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var cancelled time.Time
	reply, err := dial(t, s).Stream(ctx, ask("x"), func(d Delta) {
		if d.Call != nil {
			cancelled = time.Now()
			cancel()
		}
	})
	if took := time.Since(cancelled); took > 100*time.Millisecond && os.Getenv("NOD_E2E") == "1" {
		t.Errorf("it took %s", took)
	}
	if !errors.Is(err, context.Canceled) || reply.Message.Content != "hi" || len(reply.Message.Calls) != 0 {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}

func TestDeadlineIsTheContexts(t *testing.T) {
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(testContext(t), 30*time.Millisecond)
	defer cancel()
	if _, err := dial(t, s).Stream(ctx, ask("x"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// TestCancelEndsAPause: the pause before a retry is announced, and ends with the context.
func TestCancelEndsAPause(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var waits []Wait
	begin := time.Now()
	_, err := dial(t, s).Stream(ctx, ask("x"), func(d Delta) {
		if d.Wait != nil {
			waits = append(waits, *d.Wait)
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || time.Since(begin) > 5*time.Second {
		t.Errorf("error %v after %s", err, time.Since(begin))
	}
	if len(waits) != 1 || waits[0].For != 30*time.Second || waits[0].Try != 2 || waits[0].Of != 4 || waits[0].Reason.Kind != RateLimited {
		t.Errorf("waits %+v", waits)
	}
}

func TestLongRetryAfterIsNotWaitedFor(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := dial(t, s).Stream(testContext(t), ask("x"), nil)
	var e *Error
	if !errors.As(err, &e) || e.RetryAfter != 2*time.Hour || s.requests.Load() != 1 {
		t.Fatalf("error %v after %d requests", err, s.requests.Load())
	}
	if !strings.Contains(e.Error(), "2h0m0s") || !strings.Contains(e.Hint(), "try again after") {
		t.Errorf("%q, %q", e.Error(), e.Hint())
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:15 GMT", 10 * time.Second},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:00 GMT", 0},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"Retry-After", "soon", 0},
		{"Retry-After", "-1", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", 0},
	} {
		if got := retryAfter(http.Header{tc.header: {tc.value}}, now); got != tc.want {
			t.Errorf("%s: %s gives %s, want %s", tc.header, tc.value, got, tc.want)
		}
	}
}

// TestOrder: the sink sees the pieces in the server's order, on the caller's goroutine.
func TestOrder(t *testing.T) {
	var got []string
	_, err := stream(t, chunk(`{"reasoning_content":"r"}`)+chunk(`{"content":"a"}`)+callChunk(0, "i", "f", "{}")+chunk(`{"content":"b"}`)+stop,
		ask("x"), func(d Delta) {
			switch {
			case d.Call != nil:
				got = append(got, "call "+d.Call.Name+d.Call.Arguments)
			default:
				got = append(got, d.Reasoning+d.Text)
			}
		})
	if diff := cmp.Diff([]string{"r", "a", "call f{}", "b"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestRequest reads what is sent.
func TestRequest(t *testing.T) {
	zero, half := float32(0), float32(0.5)
	s := serve(t, sends(hi, stop, done))
	var headers http.Header
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers = r.Header.Clone()
		inner.ServeHTTP(w, r)
	})
	c := dial(t, s, func(c *Config) {
		c.Headers = map[string]string{"X-Title": "nod"}
		c.SessionHeader = "X-Session-ID"
		c.Temperature, c.TopP = &zero, &half
		c.ReasoningEffort = "low"
	})
	_, err := c.Stream(testContext(t), Request{MaxTokens: 99, Session: "s-1", Messages: []Message{
		{Role: System, Content: "sys"},
		{Role: User, Content: "one"},
		{Role: Assistant, Reasoning: "old", Calls: []Call{{ID: "a", Name: "f", Arguments: []byte(`{"x":1}`)}}},
		{Role: ToolRole, CallID: "a", Name: "f", Content: ""},
		{Role: User, Content: "two"},
		{Role: Assistant, Reasoning: "new", Calls: []Call{{ID: "b", Name: "f", Raw: `{"x":`, Invalid: "cut"}}},
		{Role: ToolRole, CallID: "b", Name: "f", Content: "bad"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(<-s.bodies), &got); err != nil {
		t.Fatal(err)
	}
	if temperature, _ := got["temperature"].(float64); temperature == 0 || temperature > 1e-6 {
		t.Errorf("a temperature of zero was sent as %v", got["temperature"])
	}
	delete(got, "temperature")
	call := func(id, args string) []any {
		return []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "f", "arguments": args}}}
	}
	want := map[string]any{
		"model": "m", "stream": true, "stream_options": map[string]any{"include_usage": true}, "max_tokens": 99.0,
		"top_p": 0.5, "reasoning_effort": "low",
		"messages": []any{
			map[string]any{"role": "system", "content": "sys"},
			map[string]any{"role": "user", "content": "one"},
			map[string]any{"role": "assistant", "tool_calls": call("a", `{"x":1}`)},
			map[string]any{"role": "tool", "content": "(empty)", "tool_call_id": "a", "name": "f"},
			map[string]any{"role": "assistant", "content": "[the operator says more]"},
			map[string]any{"role": "user", "content": "two"},
			map[string]any{"role": "assistant", "reasoning_content": "new", "tool_calls": call("b", `{}`)},
			map[string]any{"role": "tool", "content": "bad", "tool_call_id": "b", "name": "f"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, value := range map[string]string{"X-Title": "nod", "X-Session-Id": "s-1", "Authorization": "Bearer sk-test-1234567890"} {
		if headers.Get(name) != value {
			t.Errorf("header %s is %q", name, headers.Get(name))
		}
	}
}

func TestToolsAreSentVerbatim(t *testing.T) {
	s := serve(t, sends(hi, stop, done))
	_, err := dial(t, s).Stream(testContext(t), Request{Messages: ask("x").Messages, Tools: []ToolSpec{
		{Name: "f", Description: "does f", Parameters: map[string]any{"type": "object", "x-own": []any{1.0}}}, {Name: "g"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Tools []any }
	if err := json.Unmarshal([]byte(<-s.bodies), &got); err != nil {
		t.Fatal(err)
	}
	want := []any{
		map[string]any{"type": "function", "function": map[string]any{"name": "f", "description": "does f",
			"parameters": map[string]any{"type": "object", "x-own": []any{1.0}, "properties": map[string]any{}}}},
		map[string]any{"type": "function", "function": map[string]any{"name": "g",
			"parameters": map[string]any{"type": "object", "properties": map[string]any{}}}},
	}
	if diff := cmp.Diff(want, got.Tools); diff != "" {
		t.Error(diff)
	}
}

// TestHabits: a server that rejects an optional field is asked again without it, and not
// bothered with it any more.
func TestHabits(t *testing.T) {
	for field, complaint := range map[string]string{
		"stream_options":    "Unrecognized request argument supplied: stream_options",
		"reasoning_content": "Extra inputs are not permitted: messages.1.reasoning_content",
		`"max_tokens"`:      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
	} {
		t.Run(field, func(t *testing.T) {
			s := serve(t, nil)
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.requests.Add(1)
				var b strings.Builder
				if err := r.Write(&b); err != nil {
					t.Error(err)
				}
				if strings.Contains(b.String(), field) {
					data, _ := json.Marshal(map[string]any{"error": map[string]any{"message": complaint}})
					fails(400, string(data))(w, r, 0)
					return
				}
				sends(hi, stop, done)(w, r, 0)
			})
			c := dial(t, s)
			r := Request{MaxTokens: 7, Messages: []Message{{Role: User, Content: "x"},
				{Role: Assistant, Reasoning: "r", Calls: []Call{{ID: "a", Name: "f", Arguments: []byte("{}")}}},
				{Role: ToolRole, CallID: "a", Content: "y"}}}
			for range 2 {
				if _, err := c.Stream(testContext(t), r, nil); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.requests.Load(); got != 3 {
				t.Errorf("%d requests, want 3", got)
			}
		})
	}
}

// TestErrorsDoNotLeak: what a server says is one printable line without the key.
func TestErrorsDoNotLeak(t *testing.T) {
	s := serve(t, fails(401, `{"error":{"message":"bad key sk-test-1234567890\u001b[31m\n\u202egnp.exe `+strings.Repeat("x", 5000)+`"}}`))
	_, err := dial(t, s).Stream(testContext(t), ask("x"), nil)
	if err == nil {
		t.Fatal("no error")
	}
	msg := err.Error()
	if strings.Contains(msg, "sk-test") || strings.ContainsAny(msg, "\x1b\n\u202e") || len(msg) > 500 || !strings.Contains(msg, "[key]") {
		t.Errorf("%q", msg)
	}
}

func TestRedirectDoesNotTakeTheKeyAlong(t *testing.T) {
	elsewhere := serve(t, sends(hi, stop, done))
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		http.Redirect(w, r, elsewhere.URL+"/v1/chat/completions?token=abc", http.StatusPermanentRedirect)
	})
	_, err := dial(t, s).Stream(testContext(t), ask("x"), nil)
	if kindOf(err) != Redirected || elsewhere.requests.Load() != 0 || strings.Contains(err.Error(), "token=") {
		t.Errorf("error %v, %d requests elsewhere", err, elsewhere.requests.Load())
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{BaseURL: "http://" + address, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Stream(testContext(t), ask("x"), nil)
	if kindOf(err) != Unreachable || !strings.Contains(err.Error(), "nothing listens on "+address) {
		t.Errorf("error %v", err)
	}
}

func TestLibraryRefusal(t *testing.T) {
	half := float32(0.5)
	c, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "o3-mini", Temperature: &half, Transport: body("")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Stream(testContext(t), ask("x"), nil); kindOf(err) != Refused {
		t.Errorf("error %v", err)
	}
}

func TestModels(t *testing.T) {
	answer := func(kind, body string) handler {
		return func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", kind)
			write(w, body)
		}
	}
	got, err := dial(t, serve(t, answer("application/json", `{"object":"list","data":[{"id":"b"},{"id":"a\u001b"}]}`))).Models(testContext(t))
	if diff := cmp.Diff([]string{"b", "a"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, tc := range []struct {
		h    handler
		kind Kind
	}{
		{answer("text/html", "<html>"), Malformed},
		{answer("application/json", "{"), Malformed},
		{answer("application/json", `{"data":"`+strings.Repeat("x", maxDocument)), Malformed},
		{fails(401, ""), Auth},
		{fails(500, ""), Server},
	} {
		if _, err := dial(t, serve(t, tc.h)).Models(testContext(t)); kindOf(err) != tc.kind {
			t.Errorf("error %v, want kind %q", err, tc.kind)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, tc := range []struct {
		cfg  Config
		says string // "" is a good configuration
	}{
		{Config{BaseURL: "https://api.example.com/v1", Model: "m", APIKey: " key\n"}, ""},
		{Config{Model: "m"}, "base_url is missing"},
		{Config{BaseURL: "localhost:11434/v1", Model: "m"}, "must begin with http"},
		{Config{BaseURL: "http://", Model: "m"}, "has no host"},
		{Config{BaseURL: "http://h/v1?x=1", Model: "m"}, "must end with its path"},
		{Config{BaseURL: "http://u:p@h/v1", Model: "m"}, "user name or password"},
		{Config{BaseURL: "http://h\x7f/", Model: "m"}, "not an address"},
		{Config{BaseURL: "http://h/v1"}, "model is missing"},
		{Config{BaseURL: "http://h/v1", Model: "m", APIKey: "a\nb"}, "api_key"},
		{Config{BaseURL: "http://h/v1", Model: "m", Headers: map[string]string{"X-A": "b\r\nX-B: c"}}, `header "X-A"`},
		{Config{BaseURL: "http://h/v1", Model: "m", Headers: map[string]string{"X A": "b"}}, `header "X A"`},
		{Config{BaseURL: "http://h/v1", Model: "m", SessionHeader: "X:Y"}, `session_header "X:Y"`},
	} {
		c, err := New(tc.cfg)
		if tc.says == "" {
			if err != nil || c.cfg.APIKey != "key" || c.Host() != "api.example.com" {
				t.Errorf("%+v: %v", tc.cfg, err)
			}
			continue
		}
		if kindOf(err) != Misconfigured || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: error %v, want %q", tc.cfg, err, tc.says)
		}
	}
}
