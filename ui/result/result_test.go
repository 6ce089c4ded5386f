package result_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/result"
)

func TestWhatACallIsAbout(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"pattern":"x","path":"/etc"}`:                                         "x in /etc",
		`{"items":[{},{}]}`:                                                     "2 items",
		`{"question":"Which?","options":["a","b"]}`:                             "Which?",
		`{"url":"https://example.com/"}`:                                        "https://example.com/",
		`{"path":"/x","old_text":"a","new_text":"b"}`:                           "/x",
		`{"command":"id","targets":["web[1-3]","db-1"],"risk":"low","why":"x"}`: "id on web[1-3] db-1",
		`{"targets":["web[1-3]"],"risk":"low","why":"x"}`:                       "web[1-3]",
	} {
		if got := result.Subject(json.RawMessage(arguments)); got != want {
			t.Errorf("%s: %q", arguments, got)
		}
	}
	for want, a := range map[string]tools.Action{
		"x in /etc":          {Tool: "grep", Path: "/etc", Command: `{"names":"**/*.conf","pattern":"x","limit":5}`},
		"*.conf in /etc":     {Tool: "glob", Path: "/etc", Command: `{"names":"*.conf","limit":5}`},
		"Which?":             {Tool: "question", Command: `{"question":"Which?","options":["a","b"]}`},
		"1 item":             {Tool: "todo", Command: `[{"content":"x","status":"pending"}]`},
		"https://a.example/": {Tool: "fetch_url", Command: "https://a.example/"},
		"/x":                 {Tool: "read_file", Path: "/x", Command: `{"offset":1,"limit":2}`},
		"ssh:db-1":           {Tool: "connect_target", Kind: tools.Connect, Target: "ssh:db-1"},
		"id on ssh:web-[1-2]": tools.Join("ssh:web-[1-2]", []tools.Action{
			{Tool: "run_shell", Kind: tools.Exec, Target: "ssh:web-1", Command: "id"}, {Tool: "run_shell", Kind: tools.Exec, Target: "ssh:web-2", Command: "id"},
		}),
	} {
		if got := result.SubjectOf(a); got != want {
			t.Errorf("%+v: %q", a, got)
		}
	}
}

func TestWhatSubAgentsAreSentFor(t *testing.T) {
	one, team := `{"agent":"scout","task":"look"}`, `{"members":[{"name":"web"},{"name":"db"}],"tasks":[{"id":"a"},{"id":"b"},{"id":"c"}]}`
	for _, got := range []string{
		result.Subject(json.RawMessage(team)) + "|" + result.Subject(json.RawMessage(one)),
		result.SubjectOf(tools.Action{Tool: "team", Command: team}) + "|" + strings.TrimPrefix(result.SubjectOf(tools.Action{Tool: "task", Command: one}), "scout: "),
	} {
		if got != "web, db: 3 tasks|look" {
			t.Error(got)
		}
	}
	if got := result.SubjectOf(tools.Action{Tool: "team", Command: `{"members":[{"name":"web"}],"tasks":"[]"}`}); got != "web" {
		t.Error(got)
	}
}

func TestListsAreLines(t *testing.T) {
	for content, want := range map[string]result.Part{
		`{"result":{"matches":[{"file":"a.conf","line":3,"text":"x y"},{"file":"b","line":10,"text":""}]}}`: {"matches", "a.conf:3: x y\nb:10: "},
		`{"result":{"found":["a/","b"]}}`:                                                 {"found", "a/\nb"},
		`{"result":{"results":[{"title":"T","url":"https://e.example/","snippet":"S"}]}}`: {"results", "T\n  https://e.example/\n  S"},
		`{"result":{"items":[{"content":"x","status":"in_progress"}]}}`:                   {"items", "in progress: x"},
		`{"result":{"outcomes":[{"targets":"ssh:web[1-2]","exit_code":0,"stdout":"a\n","stderr":""},{"targets":"ssh:web3","error":"no route","code":"x"}]}}`: {"outcomes", "== ssh:web[1-2]: exit 0\na\n== ssh:web3\nno route"},
		`{"result":{"stdout":"out"}}`:  {"stdout", "out"},
		`{"result":{"n":[1,{"a":2}]}}`: {"n", "1\n{\"a\":2}"},
	} {
		if got := result.Parts(content); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", content, got)
		}
	}
	if got := result.Parts(`{"result":{"matches":[]}}`); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 KiB", 1024: "1.0 KiB", 10_188: "9.9 KiB", 10_240: "10 KiB", 1_000_000: "977 KiB",
		1 << 20: "1.0 MiB", 18 << 30: "18 GiB", 5 << 50: "5120 TiB",
	} {
		if got := result.Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
