package guide

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/model"
)

func TestModels(t *testing.T) {
	names, err := newTalk(t).client.Models(context.Background())
	if err != nil || len(names) != 1 || names[0] != ModelName {
		t.Errorf("%q, %v", names, err)
	}
}

// TestRefusals: what is no request is an answer in the protocol, never a failure of the
// transport.
func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/v1/chat/completions", "{", 400},
		{"POST", "/v1/chat/completions", `{"messages":7}`, 400},
		{"POST", "/v1/embeddings", "{}", 404},
		{"GET", "/v1/chat/completions", "", 404},
	} {
		r, err := http.NewRequest(tc.method, "http://guide.invalid"+tc.path, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := New(Options{}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(resp.Body)
		if err := resp.Body.Close(); err != nil || resp.StatusCode != tc.status || !strings.Contains(string(page), `"error"`) {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, resp.StatusCode, page)
		}
	}
}

// TestPace: a reply can be slowed down, and a cancelled one ends at once.
func TestPace(t *testing.T) {
	c, err := model.New(model.Config{BaseURL: BaseURL, Model: ModelName, Transport: New(Options{Pace: time.Hour}).Transport()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err = c.Stream(ctx, model.Request{Messages: []model.Message{{Role: model.User, Content: "help"}}}, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// TestQuestion finds the operator's question among the messages of a turn.
func TestQuestion(t *testing.T) {
	user := func(s string) message { return message{Role: "user", Content: s} }
	answered := message{Role: "assistant", Content: "so it is"}
	called := message{Role: "assistant", ToolCalls: []toolCall{{ID: "a"}}}
	for _, tc := range []struct {
		name     string
		messages []message
		want     string
	}{
		{"none", nil, ""},
		{"a picture of the screen follows", []message{user("how much memory?"), user("<screen-1f>\ndisk full\n</screen-1f>")}, "how much memory?"},
		{"a notice follows", []message{user("how much memory?"), called, user("make in %3: exited 0")}, "how much memory?"},
		{"steered", []message{user("how much memory?"), called, user("and the disk?")}, "and the disk?"},
		{"a new question", []message{user("how much memory?"), answered, user("xyzzy")}, "xyzzy"},
	} {
		if got := readTurn(&request{Messages: tc.messages}).question; got != tc.want {
			t.Errorf("%s: question %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestDataFiles reads the embedded files as a reader of them would.
func TestDataFiles(t *testing.T) {
	k, err := load()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tp := range k.Topics {
		names[tp.Name] = true
		if tp.Title == "" || tp.Intro == "" || len(tp.Commands) == 0 || reports[tp.Name] == nil {
			t.Errorf("topic %q is incomplete", tp.Name)
		}
		if got := k.match(tp.Example); len(got) == 0 || got[0].Name != tp.Name {
			t.Errorf("the example %q does not lead to its topic", tp.Example)
		}
		for _, c := range tp.Commands {
			if c.Instead != "" && (tp.command(c.Instead) == nil || !tp.command(c.Instead).Spare) {
				t.Errorf("%s: %q is replaced by %q, which is no spare command", tp.Name, c.ID, c.Instead)
			}
			if c.Run == "" || c.Why == "" || strings.ContainsAny(c.Run, "\n;&") || strings.Contains(strings.ReplaceAll(c.Run, "2>/dev/null", ""), ">") {
				t.Errorf("%s: %q is not a plain line that only reads", tp.Name, c.Run)
			}
		}
	}
	for _, o := range k.Overview {
		for _, name := range o.Topics {
			if !names[name] {
				t.Errorf("overview of an unknown topic %q", name)
			}
		}
	}
}
