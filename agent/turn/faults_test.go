package turn_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/model"
)

// aReply is text and two calls as they are streamed, without their end.
func aReply() string {
	var b strings.Builder
	chunk(&b, map[string]any{"content": "I will "}, nil)
	chunk(&b, map[string]any{"tool_calls": []any{piece(0, "a", "sh", `{"command":"touch `)}}, nil)
	chunk(&b, map[string]any{"tool_calls": []any{piece(0, "", "", `made"}`)}}, nil)
	chunk(&b, map[string]any{"tool_calls": []any{piece(1, "b", "look", `{"command":"x"}`)}}, nil)
	return b.String()
}

// serverFaults are what a server, or what stands between, can do behind the first
// part of a reply.
var serverFaults = []struct {
	ToolName string
	Do       func(w http.ResponseWriter, r *http.Request)
}{
	{"ends", func(http.ResponseWriter, *http.Request) {}},
	{"aborts", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	{"resets", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close() // that is the fault
		}
	}},
	{"falls silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
	{"says it is done", writes("\n\ndata: [DONE]\n\n")},
	{"sends an error", writes("\n\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n")},
	{"sends an error behind a key", writes("\n\ndata: {\"id\":\"x\",\"error\":{\"message\":\"no\"}}\n\ndata: [DONE]\n\n")},
	{"sends an error event", writes("\n\nevent: error\ndata: {\"message\":\"no\"}\n\n")},
	{"sends an error as text", writes("\n\ndata: {\"error\":\"no\"}\n\n")},
	{"sends a page", writes("\n\n<html>bad gateway</html>\n\n")},
	{"sends half a chunk", writes("\n\ndata: {\"id\":\n\ndata: [DONE]\n\n")},
	{"sends a list", writes("\n\ndata: [1]\n\n")},
	{"sends wrong choices", writes("\n\ndata: {\"choices\":7}\n\n")},
	{"sends zero bytes", writes(strings.Repeat("\x00", 3000))},
	{"sends no text", writes(strings.Repeat("\xff\xfe", 500) + "\n\n")},
	{"only keeps alive", writes("\n\n" + strings.Repeat(": ping\n\n", 300))},
	{"finishes something else", writes("\n\n" + `data: {"choices":[{"index":3,"delta":{},"finish_reason":"stop"}]}` + "\n\n")},
	{"sends an endless line", writes(strings.Repeat("A", 5<<20))},
}

// answerFaults come in the place of a whole answer.
var answerFaults = []struct {
	ToolName string
	Do       http.HandlerFunc
}{
	{"a page with status 200", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>log in</html>")
	}},
	{"nothing", func(http.ResponseWriter, *http.Request) {}},
	{"no such key", status(401, `{"error":{"message":"bad key"}}`)},
	{"no credit", status(402, "")},
	{"too many", status(429, `{"error":{"message":"slow down"}}`)},
	{"an error of its own", status(500, "oops")},
	{"a bad gateway", status(502, "<html>")},
	{"a redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
	}},
	{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
}

func writes(text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// TestEveryFaultIsOneSentenceAndRunsNothing has a conversation in which every turn
// meets another fault, at several places of the reply: nothing runs, nothing that was
// stored is lost, and the operator reads one sentence and what to do. In the end, the
// model answers.
func TestEveryFaultIsOneSentenceAndRunsNothing(t *testing.T) {
	whole := aReply()
	cuts := 2
	if os.Getenv("NOD_E2E") == "1" {
		cuts = 30
	}
	type trial struct {
		ToolName string
		Do       reply
	}
	var trials []trial
	for _, f := range serverFaults {
		n := cuts
		if f.ToolName == "falls silent" {
			n = 1
		}
		for i := range n {
			at := (i + 1) * len(whole) / n
			trials = append(trials, trial{fmt.Sprintf("%s behind byte %d", f.ToolName, at), func(w io.Writer, r *http.Request) {
				_, _ = io.WriteString(w, whole[:at]) // the client may have gone
				f.Do(w.(agenttest.Flushing).ResponseWriter, r)
			}})
		}
	}
	for _, f := range answerFaults {
		trials = append(trials, trial{f.ToolName, func(w io.Writer, r *http.Request) {
			raw := w.(agenttest.Flushing).ResponseWriter
			raw.Header().Del("Content-Type")
			f.Do(raw, r)
		}})
	}
	script := make([]reply, 0, len(trials)+1)
	for _, x := range trials {
		script = append(script, x.Do)
	}
	b := newBench(t, options{Model: func(c *model.Config) {
		c.Tries, c.IdleTimeout, c.HeaderTimeout = 1, time.Second, time.Second
	}}, append(script, says("here I am"))...)
	b.Answer = approve
	var stored []history.Message
	for i, x := range trials {
		b.Forget()
		if ending := b.Run(t.Context(), fmt.Sprint("prompt ", i)); ending != agent.Failed {
			t.Fatalf("%s: %v", x.ToolName, ending)
		}
		faults := eventsOf[agent.Fault](b)
		if len(faults) != 1 || faults[0].Hint == "" || strings.ContainsAny(faults[0].Text, "\n\r\x1b") || len(faults[0].Text) > 400 {
			t.Errorf("%s: %+v", x.ToolName, faults)
		}
		if n := len(eventsOf[agent.CallStarted](b)); n > 0 {
			t.Errorf("%s: %d calls ran", x.ToolName, n)
		}
		now := b.Messages()
		for n, m := range stored {
			if now[n].Content != m.Content {
				t.Fatalf("%s: message %d was lost", x.ToolName, n)
			}
		}
		if text := now[len(stored)].Content; text != fmt.Sprint("prompt ", i) {
			t.Errorf("%s: the prompt is not stored: %q", x.ToolName, text)
		}
		stored = now
	}
	if ran := b.Executed(); len(ran) != 0 {
		t.Errorf("%q", ran)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "still there?"); ending != agent.Answered || b.Text() != "here I am" {
		t.Error(ending, b.Text())
	}
}
