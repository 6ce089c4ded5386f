package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/mcp"
)

func TestAResourceIsReadOnceItWasAcceptedAndGranted(t *testing.T) {
	f := newSet(t, nil, program(t, "good", "good"))
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	tool, _ := f.registry.Get("mcp_resource")
	if tool.(tools.Optional).Offered() {
		t.Error("it is offered before anything was accepted")
	}
	read := json.RawMessage(`{"uri":"file:///notes"}`)
	if _, err := tool.Plan(t.Context(), read, tools.Env{}); err == nil || !strings.Contains(err.Error(), `no resource "file:///notes" that the operator has accepted`) {
		t.Errorf("before: %v", err)
	}
	if shown := strings.Join(f.accept("good"), "\n"); !strings.Contains(shown, "new resource file:///notes") || !strings.Contains(shown, "+ address: file:///notes") {
		t.Errorf("shown:\n%s", shown)
	}
	if !tool.(tools.Optional).Offered() {
		t.Error("it is not offered")
	}
	listed := f.run(t.Context(), tool, `{"server":"good"}`, tools.Env{})
	if text, _ := json.Marshal(listed.Value); !strings.Contains(string(text), `{"server":"good","uri":"file:///notes","description":"notes"}`) {
		t.Errorf("listed %s", text)
	}
	a, err := tool.Plan(t.Context(), read, tools.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Kind != tools.Invoke || a.Target != "mcp:good" || !a.Claim.Mutation || !strings.HasPrefix(a.Command, `"file:///notes" `) {
		t.Errorf("action %+v", a)
	}
	if _, err := tool.Execute(t.Context(), a, tools.Env{}); !errors.Is(err, tools.ErrNotGranted) {
		t.Errorf("read without a grant: %v", err)
	}
	r := f.run(t.Context(), tool, string(read), tools.Env{})
	if got := content(r); got != "[resource file:///notes]\nbuy milk\\u{1b}[31m" || !r.Record.Outcome.OK() {
		t.Errorf("read %q, %+v", got, r.Record)
	}
	for args, says := range map[string]string{`{"server":"god"}`: `no MCP server "god"`, `{"uri":"file:///etc/passwd"}`: "no resource", `{"url":"x"}`: "url"} {
		if _, err := tool.Plan(t.Context(), json.RawMessage(args), tools.Env{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
	// A definition that is not the accepted one is not read, whatever was granted.
	a.Command = strings.Replace(a.Command, strings.Fields(a.Command)[1], strings.Repeat("0", 16), 1)
	other, err := tool.Execute(t.Context(), a, tools.Env{Grant: f.minter.Mint(a)})
	if err != nil || !strings.HasPrefix(content(other), "changed: not called") {
		t.Errorf("another definition: %v, %q", err, content(other))
	}
}

// What a server says has changed is read anew before the next call.
func TestPromptsAndResourcesThatAreAddedAreSeen(t *testing.T) {
	f := newSet(t, nil, program(t, "good", "good"))
	f.accept("good")
	f.call(t.Context(), "good_more", `{}`, tools.Env{})
	_, err := f.Prompt(t.Context(), "good", "added", nil)
	for err != nil && strings.Contains(err.Error(), "no prompt") { // the server says so when it likes
		time.Sleep(time.Millisecond)
		_, err = f.Prompt(t.Context(), "good", "added", nil)
	}
	if err == nil || !strings.Contains(err.Error(), `the prompt "added" of the MCP server good is empty`) {
		t.Errorf("the added prompt: %v", err)
	}
	for f.Pending("good") == 0 {
		time.Sleep(time.Millisecond)
		if err := f.Reach(t.Context(), "good"); err != nil {
			t.Fatal(err)
		}
	}
	if w := f.warnings(); !strings.Contains(w, "1 resource of the MCP server good is new or changed") {
		t.Errorf("warned %q", w)
	}
}

// A server of HTTP that was started anew knows no session of before.
func TestAServerOfHTTPThatWasStartedAnew(t *testing.T) {
	var calls atomic.Int32
	fresh := func() http.Handler {
		s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
		sdk.AddTool(s, &sdk.Tool{Name: "count"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			calls.Add(1)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "counted"}}}, nil, nil
		})
		t.Cleanup(func() { // sessions that nobody has ended
			for session := range s.Sessions() {
				_ = session.Close()
			}
		})
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	var now atomic.Pointer[http.Handler]
	start := func() {
		h := fresh()
		now.Store(&h)
	}
	var down atomic.Bool
	start()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler)
		}
		(*now.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	f := newSet(t, nil, mcp.Config{Name: "web", URL: h.URL})
	f.accept("web")
	start()
	if got := content(f.call(t.Context(), "web_count", `{}`, tools.Env{})); got != "counted" || calls.Load() != 1 {
		t.Errorf("the first call after the start: %q, %d calls", got, calls.Load())
	}
	down.Store(true)
	if got := content(f.call(t.Context(), "web_count", `{}`, tools.Env{})); !strings.HasPrefix(got, "server_ended: ") {
		t.Errorf("while it is down: %q", got)
	}
	down.Store(false)
	start()
	if got := content(f.call(t.Context(), "web_count", `{}`, tools.Env{})); got != "counted" || calls.Load() != 2 {
		t.Errorf("the first call once it is back: %q, %d calls", got, calls.Load())
	}
}
