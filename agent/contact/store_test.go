package contact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFactsAreKept: for each model on each server, a day at home and a week elsewhere, in
// files of the operator's alone.
func TestFactsAreKept(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := &Store{Dir: filepath.Join(t.TempDir(), "models"), Now: func() time.Time { return now }}
	far, near := "https://api.example.com/v1", "http://127.0.0.1:8080/v1"
	f := Facts{Server: "vLLM", Context: 4096, Source: "max_model_len", Refuses: Refusal{ManyCalls: true}}
	for _, base := range []string{far, near} {
		if err := s.Save(base, "m", f); err != nil {
			t.Fatal(err)
		}
	}
	got, ok := s.Load(far, "m")
	f.Learnt = now
	if !ok || got != f {
		t.Errorf("%v, %+v", ok, got)
	}
	for _, other := range [][2]string{{far, "n"}, {far + "/", "m"}} {
		if _, ok := s.Load(other[0], other[1]); ok {
			t.Errorf("%v is known", other)
		}
	}
	for _, c := range []struct {
		after     time.Duration
		far, near bool
	}{{23 * time.Hour, true, true}, {25 * time.Hour, true, false}, {8 * 24 * time.Hour, false, false}, {-48 * time.Hour, false, false}} {
		now = f.Learnt.Add(c.after)
		_, far := s.Load(far, "m")
		_, near := s.Load(near, "m")
		if far != c.far || near != c.near {
			t.Errorf("after %v: %v, %v", c.after, far, near)
		}
	}
	files, err := os.ReadDir(s.Dir)
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info, err)
		}
	}
}

// TestAStoreThatIsDamagedIsEmpty, and one that is not there.
func TestAStoreThatIsDamagedIsEmpty(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: t.TempDir()}
	if err := s.Save("b", "m", Facts{Context: 4096}); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"", "{", "[]", `{"base_url":"x","model":"m"}`, `{"base_url":"b","model":"m","context":7,"learnt":"` + time.Now().Format(time.RFC3339) + `"}`, strings.Repeat(" ", 1<<20)} {
		if err := os.WriteFile(s.path("b", "m"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, ok := s.Load("b", "m"); ok {
			t.Errorf("%.40q: %+v", page, f)
		}
	}
	for _, s := range []*Store{nil, {}} {
		if err := s.Save("b", "m", Facts{}); err != nil {
			t.Error(err)
		}
		if _, ok := s.Load("b", "m"); ok {
			t.Error("nothing keeps nothing")
		}
	}
	full := &Store{Dir: filepath.Join(s.path("b", "m"), "below a file")}
	if err := full.Save("b", "m", Facts{}); err == nil {
		t.Error("it was kept below a file")
	}
}

func TestFactsInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		facts Facts
		limit int
		text  bool
		want  string
	}{
		{Facts{}, 0, false, "its context is not known: nothing is left out until it refuses; tools in the request; calls in its text count, too; several calls a message; a system role"},
		{Facts{}, Assumed, true, "8192 tokens of context are assumed, as it says none: set context_limit if it has more; calls as text; several calls a message; a system role"},
		{Facts{Server: "vLLM", Context: 4096, Source: "max_model_len", Refuses: Refusal{ManyCalls: true, SystemRole: true, LongIDs: true}}, 4096, false,
			"vLLM: 4096 tokens of context (max_model_len); tools in the request; calls in its text count, too; one call a message; no system role: nod's prompt opens the first message; ids of nine letters and digits"},
		{Facts{Context: 4096, Source: "x", Passing: true}, 4096, false, "4096 tokens of context (x), until the model is loaded; tools in the request; calls in its text count, too; several calls a message; a system role"},
		{Facts{}, 5000, false, "5000 tokens of context (configured); tools in the request; calls in its text count, too; several calls a message; a system role"},
	} {
		if got := strings.Join(c.facts.Lines(c.limit, c.text), "; "); got != c.want {
			t.Errorf("%s", got)
		}
	}
}
