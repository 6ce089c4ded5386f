package fleet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/internal/fleettest"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// said is a rejection's or an error's code and text.
func said(err error) string {
	var no *tools.Rejection
	if errors.As(err, &no) {
		problem, _ := no.Result.Value.(tools.Problem)
		return problem.Code + ": " + problem.Error
	}
	return fmt.Sprint(err)
}

// TestWhatACallNamesIsOneOfTheOperatorsTargets: by its name, its host, a range, a pattern or
// a group.
func TestWhatACallNamesIsOneOfTheOperatorsTargets(t *testing.T) {
	b := fleettest.New(t, "local", "ssh:web-1", "ssh:web-2", "ssh:ops@db-1:2222", "docker:cache", "ssh:cache").Apart("ssh:web-3")
	b.Sets = map[string]string{"web": "web-[1-2]", "all": "@web,db-1"}
	for names, want := range map[string]string{
		`["ssh:web-1"]`:                    "ssh:web-1",
		`"web-1"`:                          "ssh:web-1",
		`["WEB-1","ssh:web-1"]`:            "ssh:web-1",
		`["web-[1-2]","local"]`:            "local ssh:web-1 ssh:web-2",
		`["@all"]`:                         "ssh:ops@db-1:2222 ssh:web-1 ssh:web-2",
		`["@all!web-1"]`:                   "ssh:ops@db-1:2222 ssh:web-2",
		`["web-*!web-3"]`:                  "ssh:web-1 ssh:web-2",
		`["@*!web-[1-3],@*&docker:cache"]`: "docker:cache",
		`["@all!web-[1-1]"]`:               "ssh:ops@db-1:2222 ssh:web-2",
		`["ssh:web-*!ssh:web-3"]`:          "ssh:web-1 ssh:web-2",
		`["docker:cache"]`:                 "docker:cache",
		`["ops@db-1:2222", "db-1"]`:        "ssh:ops@db-1:2222",
	} {
		var n fleet.Names
		if err := json.Unmarshal([]byte(names), &n); err != nil {
			t.Fatal(err)
		}
		spots, err := b.Find(t.Context(), n)
		var got []string
		for _, s := range spots {
			got = append(got, s.Target)
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: %q, %s", names, got, said(err))
		}
	}
}

// TestANameThatNobodyHasIsQuoted, with the nearest ones; nothing is made up.
func TestANameThatNobodyHasIsQuoted(t *testing.T) {
	b := fleettest.New(t, "local", "ssh:web-1", "ssh:web-2", "docker:cache", "ssh:cache").Apart("ssh:db-1")
	for name, want := range map[string]string{
		"wbe-1":            `no_target: there is no target "wbe-1"; the nearest are ssh:db-1, ssh:web-1`,
		"ssh:wbe-1":        `there is no target "ssh:wbe-1"; the nearest are ssh:db-1, ssh:web-1, ssh:web-2`,
		"web-[2-3]":        `there is no target "web-3"; the nearest are ssh:web-1, ssh:web-2`,
		"mail.example.com": `there is no target "mail.example.com"; there are docker:cache,local,ssh:cache,ssh:db-1,ssh:web-[1-2]`,
		"root@web-1":       `there is no target "root@web-1"`,
		"docker:nothing":   `there is no target "docker:nothing"`,
		"podman:x":         "no engine answers",
		"cache":            `"cache" is each of docker:cache, ssh:cache`,
		"@nobody":          `there is no group "nobody"`,
		"web-[1":           "a bracket is not closed",
		"":                 "a name is missing",
		"web-1!web-1":      "names none",
		"x[1-99999]":       "more than",
	} {
		if _, err := b.Find(t.Context(), fleet.Names{name}); !strings.Contains(said(err), want) {
			t.Errorf("%q: %s, want %s", name, said(err), want)
		}
	}
	if _, err := b.Find(t.Context(), nil); !strings.Contains(said(err), "names none") {
		t.Error(said(err))
	}
	if _, err := b.Find(t.Context(), fleet.Names{"web-1,db-1"}); !strings.Contains(said(err), `not_connected: nothing was done: not connected are ssh:db-1.`) ||
		!strings.Contains(said(err), `connect_target {"targets": ["ssh:db-1"]}`) {
		t.Error(said(err))
	}
}

// TestWhatCouldNotBeConnectedTakesPart, so that it is told; where nothing could, it is said.
func TestWhatCouldNotBeConnectedTakesPart(t *testing.T) {
	b := fleettest.New(t, "ssh:web-1").Apart("ssh:web-2", "ssh:web-3")
	b.Refused = map[string]error{"ssh:web-2": errors.New("no route to host")}
	if b.Connect(t.Context(), "ssh:web-2") == nil {
		t.Fatal("connected")
	}
	spots, err := b.Find(t.Context(), fleet.Names{"web-[1-2]"})
	if err != nil || len(spots) != 2 || spots[1].Target != "ssh:web-2" || spots[1].User != "" {
		t.Errorf("%+v, %s", spots, said(err))
	}
	if _, err := b.Find(t.Context(), fleet.Names{"web-2"}); !strings.Contains(said(err), "could be connected: no route to host") {
		t.Error(said(err))
	}
}

func TestNamesAreAListOrOneText(t *testing.T) {
	for text, want := range map[string]string{`"a,b"`: "a,b", `["a","b"]`: "a b", `[]`: ""} {
		var n fleet.Names
		if err := json.Unmarshal([]byte(text), &n); err != nil || strings.Join(n, " ") != want {
			t.Errorf("%s: %q, %v", text, n, err)
		}
	}
	for _, text := range []string{`7`, `[7]`, `{"a":1}`} {
		var n fleet.Names
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s: %q", text, n)
		}
	}
}

const claim = `"risk":"low","mutation":false,"privesc":false,"why":"a test"`

// TestConnectTarget connects what the operator has, and says what failed and why.
func TestConnectTarget(t *testing.T) {
	b := fleettest.New(t, "local").Apart("ssh:web-1", "ssh:web-2", "ssh:web-3", "ssh:db-1")
	b.Refused = map[string]error{
		"ssh:web-3": errors.New("ssh: dial web-3: no route to host"), "ssh:db-1": errors.New("ssh: dial db-1: no route to host"),
	}
	tool := &fleet.ConnectTarget{Fleet: b.Fleet}
	if !tool.Offered() || tool.Parallelizable() {
		t.Error("it is not offered, or does not act")
	}
	got := fleettest.JSON(t, b.Do(t.Context(), tool, `{"targets":["web-[1-3]","db-1"],`+claim+`}`, tools.Env{}))
	if want := `{"count":"4 targets: 2 failed, 2 connected","connected":"ssh:web-[1-2]","failed":[{"targets":"ssh:db-1,ssh:web-3","error":"ssh: dial db-1: no route to host"}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// What is connected is left out; one is an action of its own.
	b.Refused = nil
	a, err := tool.Plan(t.Context(), json.RawMessage(`{"targets":["web-[1-3]"],`+claim+`}`), tools.Env{})
	if err != nil || a.Target != "ssh:web-3" || a.Parts != nil || a.Kind != tools.Connect {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := tool.Execute(t.Context(), a, tools.Env{}); err == nil {
		t.Error("connected without a grant")
	}
	if got := fleettest.JSON(t, b.Do(t.Context(), tool, `{"targets":["@*"],`+claim+`}`, tools.Env{})); got != `{"count":"2 targets: 2 connected","connected":"ssh:db-1,ssh:web-3"}` {
		t.Error(got)
	}
	if tool.Offered() {
		t.Error("offered where all is connected")
	}
	for args, want := range map[string]string{
		`{"targets":["web-1"],` + claim + `}`:   "is connected already",
		`{"targets":["nowhere"],` + claim + `}`: `there is no target \"nowhere\"`,
		`{"targets":[],` + claim + `}`:          "names none",
	} {
		if got := fleettest.JSON(t, b.Do(t.Context(), tool, args, tools.Env{})); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
}

func TestWhatConnectTargetSaysOfItself(t *testing.T) {
	b := fleettest.New(t, "local").Apart("ssh:web1", "ssh:web2", "ssh:web3")
	tool := &fleet.ConnectTarget{Fleet: b.Fleet}
	spectest.Misfits(t, tool, tools.Env{}, spectest.Tool(t, tool)[0])
}

// part is what a target came to.
func part(target string, value any) tools.Part {
	return tools.Part{Action: tools.Action{Target: target}, Result: tools.Result{Value: value}, Begun: true}
}

// TestGroups: equal outcomes are one, the most frequent first; failures that differ by their
// target's name alone are equal, too.
func TestGroups(t *testing.T) {
	problem := func(text string) tools.Problem { return tools.Problem{Error: text, Code: "x"} }
	parts := []tools.Part{
		part("ssh:web-1", "a"), part("ssh:web-2", "b"), part("ssh:web-3", "b"), part("ssh:web-4", problem("ssh: dial web-4: refused")),
		part("ssh:web-5", problem("ssh: dial web-5: refused")), part("ssh:web-6", problem("ssh: dial web-6: no route")), part("ssh:web-7", "b"),
	}
	groups := fleet.Groups(parts, func(p tools.Part) string { return fmt.Sprint(p.Result.Value) })
	var sets []string
	for _, g := range groups {
		sets = append(sets, g.Set())
	}
	if got, want := strings.Join(sets, " "), "ssh:web-[2-3,7] ssh:web-[4-5] ssh:web-1 ssh:web-6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	count := fleet.Count(groups, func(g fleet.Group) string {
		if _, failed := fleet.Problem(g.First); failed {
			return "failed"
		}
		return "done"
	})
	if want := "7 targets: 4 done, 3 failed"; count != want {
		t.Errorf("%s, want %s", count, want)
	}
	text, err := json.Marshal(fleet.Value{Targets: "t", Count: count, Outcomes: []fleet.Outcome{
		{Targets: "a<b", Value: problem("<")}, {Targets: "c", Value: struct{}{}},
	}})
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"error":"`) || !strings.Contains(string(text), `{"targets":"c"}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestManyOutcomesAreBounded: the rarest are left out, and named.
func TestManyOutcomesAreBounded(t *testing.T) {
	var parts []tools.Part
	for i := range 50 {
		parts = append(parts, part(fmt.Sprintf("ssh:web-%02d", i), i))
	}
	shown, notice := fleet.Shown(fleet.Groups(parts, func(p tools.Part) string { return fmt.Sprint(p.Result.Value) }))
	if len(shown) != fleet.MostGroups || !strings.Contains(notice, "30 more outcomes") || !strings.Contains(notice, "ssh:web-[20-49]") {
		t.Errorf("%d, %s", len(shown), notice)
	}
	if fleet.Share(4000, 50) != 200 || fleet.Share(4000, 2) != 2000 || fleet.Share(100, 0) != 200 {
		t.Error("shares")
	}
}
