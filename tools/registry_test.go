package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nod-console/nod/tools"
)

type named string

func (n named) Name() string              { return string(n) }
func (named) Description() string         { return "" }
func (named) InputSchema() map[string]any { return map[string]any{} }
func (named) Parallelizable() bool        { return true }
func (named) Plan(context.Context, json.RawMessage, tools.Env) (tools.Action, error) {
	return tools.Action{}, nil
}
func (named) Execute(context.Context, tools.Action, tools.Env) (tools.Result, error) {
	return tools.Result{}, nil
}

func TestRegistryRefusesEmptyAndTakenNames(t *testing.T) {
	var r tools.Registry
	if err := r.Register(named("")); !errors.Is(err, tools.ErrNoName) {
		t.Errorf("empty name: %v", err)
	}
	for _, name := range []string{"Time", "1st", "_x", "a.b", "a b", "zeit-ü", strings.Repeat("a", 65)} {
		if err := r.Register(named(name)); !errors.Is(err, tools.ErrBadName) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.Register(named("time")); err != nil {
		t.Fatal(err)
	}
	err := r.Register(named("time"))
	if !errors.Is(err, tools.ErrNameTaken) || !strings.Contains(err.Error(), `"time"`) {
		t.Errorf("taken name: %v", err)
	}
	r.Unregister("time")
	r.Unregister("time")
	if _, ok := r.Get("time"); ok {
		t.Error("still there after Unregister")
	}
}

func TestRegistryListsByNameInAFreshSlice(t *testing.T) {
	var r tools.Registry
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := r.Register(named(fmt.Sprintf("t%02d", 19-i))); err != nil {
				t.Error(err)
			}
			r.All()
		})
	}
	wg.Wait()
	all := r.All()
	for i, tool := range all {
		if want := fmt.Sprintf("t%02d", i); tool.Name() != want {
			t.Fatalf("place %d: %s, want %s", i, tool.Name(), want)
		}
	}
	all[0] = named("changed")
	if r.All()[0].Name() != "t00" {
		t.Error("a caller's change shows in the registry")
	}
}

func TestEnvelopeSaysWhenAndKeepsTextReadable(t *testing.T) {
	at := time.UnixMilli(1772283708794)
	got := tools.Envelope(at, tools.Result{Value: map[string]any{"stdout": "a < b && c"}})
	want := `{"harness_timestamp":{"source":"harness","unix_millis":1772283708794},"result":{"stdout":"a < b && c"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = tools.Envelope(at, tools.Result{Value: func() {}})
	if !strings.Contains(got, "cannot be encoded") || !json.Valid([]byte(got)) {
		t.Errorf("a value that has no JSON: %s", got)
	}
}

func TestCutsFallBetweenCharacters(t *testing.T) {
	s := "日本語é🙂x"
	for limit := range 8 {
		head, omitted := tools.Head(s, limit)
		if n := utf8.RuneCountInString(head); !utf8.ValidString(head) || n+omitted != 6 || n != min(limit, 6) {
			t.Errorf("Head(%d) = %q, %d", limit, head, omitted)
		}
		tail, omitted := tools.Tail(s, limit)
		if n := utf8.RuneCountInString(tail); !utf8.ValidString(tail) || n+omitted != 6 || n != min(limit, 6) {
			t.Errorf("Tail(%d) = %q, %d", limit, tail, omitted)
		}
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	err := tools.Failed("read %q: %w", "/x", fs.ErrNotExist)
	if !errors.Is(err, fs.ErrNotExist) || err.Code != tools.ExecutionFailed {
		t.Errorf("%v", err)
	}
	if want := `execution_failed: read "/x": file does not exist`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	var r *tools.Rejection
	if wrapped := fmt.Errorf("plan: %w", tools.Reject("not_read", "read %q first", "/x")); !errors.As(wrapped, &r) ||
		!r.Result.IsError || r.Error() != `read "/x" first` {
		t.Errorf("%v", r)
	}
}
