package terminal_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

func TestWhatTheToolsSayOfThemselves(t *testing.T) {
	b := newBench(t)
	for tool, required := range map[tools.Tool][]string{
		b.shell:   {"command", "risk", "mutation", "privesc", "why"},
		b.keys:    {"risk", "mutation", "privesc", "why"},
		b.capture: nil,
		b.jobs:    nil,
		b.kill:    {"job", "risk", "mutation", "privesc", "why"},

		b.createSession: {"session", "risk", "mutation", "privesc", "why"},
		b.killSession:   {"session", "risk", "mutation", "privesc", "why"},
		b.createPane:    {"pane", "risk", "mutation", "privesc", "why"},
		b.killPane:      {"pane", "risk", "mutation", "privesc", "why"},
	} {
		examples := spectest.Tool(t, tool)
		spectest.Misfits(t, tool, b.env(), examples[0])
		for _, example := range examples {
			env := b.env()
			_, err := tool.Plan(t.Context(), example, env)
			var invalid *tools.Error
			if errors.As(err, &invalid) {
				t.Errorf("%s: example %s: %v", tool.Name(), example, err)
			}
		}
		got, _ := tool.InputSchema()["required"].([]string)
		if !slices.Equal(got, required) {
			t.Errorf("%s requires %q", tool.Name(), got)
		}
	}
}

func TestArgumentsThatDoNotParse(t *testing.T) {
	b := newBareBench(t, noPanes)
	shell := func(more string) string {
		return `{"command":"id","risk":"low","mutation":false,"privesc":false,"why":"x"` + more + `}`
	}
	keys := func(more string) string {
		return `{"risk":"low","mutation":false,"privesc":false,"why":"x"` + more + `}`
	}
	for _, c := range []struct {
		tool tools.Tool
		text string
		says string
	}{
		{b.shell, `{"command":"id"}`, "missing: risk, mutation, privesc, why"},
		{b.shell, `{"risk":"low","mutation":false,"privesc":false,"why":"x"}`, "missing: command"},
		{b.shell, strings.Replace(shell(""), `"id"`, `" \n"`, 1), "empty"},
		{b.shell, strings.Replace(shell(""), `"id"`, `"a\u0000b"`, 1), "zero byte"},
		{b.shell, strings.Replace(shell(""), `"low"`, `"none"`, 1), "risk"},
		{b.shell, shell(`,"timeout":3`), "timeout"},
		{b.shell, shell(`,"cwd":"relative"`), "not absolute"},
		{b.shell, shell(`,"cwd":"/","pane":"x"`), "shell of their own"},
		{b.shell, shell(`,"wait":"10x"`), "wait"},
		{b.shell, shell(`,"wait":"700s"`), "at most"},
		{b.keys, keys(``), "nothing to type"},
		{b.keys, `{"keys":["C-c"]}`, "missing"},
		{b.keys, keys(`,"keys":["rm -rf /"]`), "no key"},
		{b.keys, keys(`,"keys":["Entr"]`), "no key"},
		{b.keys, keys(`,"keys":[""]`), "no key"},
		{b.keys, keys(`,"keys":["C-"]`), "no key"},
		{b.keys, keys(`,"literal_text":"a\rb"`), "U+000D"},
		{b.keys, keys(`,"literal_text":"\u001b[A"`), "U+001B"},
		{b.keys, keys(`,"enter":true,"delay":"2"`), "delay"},
		{b.keys, keys(`,"enter":true,"delay":"10m"`), "delay"},
		{b.keys, keys(`,"enter":true,"target":"%1","pane":"%2"`), "two panes"},
		{b.keys, keys(`,"enter":true,"target":"nod-test-a","session":"b"`), "two sessions"},
		{b.createSession, keys(``), "missing: session"},
		{b.createSession, keys(`,"session":" "`), "missing: session"},
		{b.createSession, keys(`,"session":"x","pane":"y"`), "pane"},
		{b.createSession, `{"session":"x"}`, "missing: risk, mutation, privesc, why"},
		{b.killSession, keys(``), "missing: session"},
		{b.createPane, keys(`,"session":"x"`), "missing: pane"},
		{b.createPane, `{"pane":"x"}`, "missing: risk, mutation, privesc, why"},
		{b.killPane, keys(``), "missing: pane"},
		{b.killPane, keys(`,"pane":"x","target":"%3"`), "two panes"},
		{b.killSession, keys(`,"session":"x","target":"nod-test-y"`), "two sessions"},
		{b.killSession, keys(`,"session":"x","target":"%3"`), "is a pane"},
		{b.capture, `{"start":"top"}`, "start"},
		{b.capture, `{"end":1.5}`, "end"},
		{b.capture, `{"delay":"soon"}`, "delay"},
		{b.capture, `{"lines":3}`, "lines"},
	} {
		a, err := c.tool.Plan(t.Context(), json.RawMessage(c.text), b.env())
		var invalid *tools.Error
		if !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %+v, %v", c.tool.Name(), c.text, a, err)
		}
	}
}

func TestWaitModes(t *testing.T) {
	b := newBench(t)
	for text, want := range map[string]tools.Action{
		"":      {},
		"true":  {},
		"null":  {},
		"false": {Background: true},
		`"30s"`: {Wait: 30 * time.Second},
		`"10m"`: {Wait: 600 * time.Second},
		`"1h"`:  {Wait: time.Hour},
		"500":   {Wait: 500 * time.Second},
		"1":     {Wait: time.Second},
		`"24h"`: {Wait: 24 * time.Hour},
	} {
		got, err := planWait(b, text)
		if err != nil || got.Wait != want.Wait || got.Background != want.Background || got.Kind != tools.Run {
			t.Errorf("wait %s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"0", "-1", "1.5", "1e3", "[]", "{}", `""`, `"30"`, `"s"`, `"5d"`, `"500ms"`, `"1h30m"`, `"30 s"`, `"-5s"`, `"0s"`,
		`"25h"`, `"999999999h"`, "99999999", `"true"`, `"1M"`,
	} {
		var invalid *tools.Error
		if got, err := planWait(b, text); !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs {
			t.Errorf("wait %s: %+v, %v", text, got, err)
		}
	}
}

func planWait(b *bench, wait string) (tools.Action, error) {
	raw := `{"command":"id","risk":"low","mutation":false,"privesc":false,"why":"x"`
	if wait != "" {
		raw += `,"wait":` + wait
	}
	return b.shell.Plan(b.t.Context(), json.RawMessage(raw+"}"), b.env())
}

func TestKeysThatTmuxKnows(t *testing.T) {
	b := newBench(t)
	for _, key := range []string{"C-c", "Enter", "enter", "Up", "F12", "q", "é", "C-M-x", "M-Left", "S-F5", "-", "C-Space", "PageDown", "KP0"} {
		a := b.planned(b.keys, args(map[string]any{"keys": []string{key}}))
		if !slices.Equal(a.Keys, []string{key}) || a.Kind != tools.Type {
			t.Errorf("%q: %+v", key, a)
		}
	}
}

func TestClaimsAndPlacesAreInTheAction(t *testing.T) {
	b := newBench(t)
	shared, err := b.keeper.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := b.planned(b.shell, map[string]any{"command": "id", "risk": "high", "mutation": true, "privesc": true, "why": "because"})
	here, err := os.Getwd() // where the panes start
	if err != nil {
		t.Fatal(err)
	}
	want := tools.Action{
		Tool: "run_shell", Kind: tools.Run, Target: "local", User: "ops", Pane: shared.ID(), Dialect: "bash", Prompt: true, Command: "id",
		Dir: here, Shell: shared.Generation(),
		Claim: tools.Claim{Risk: "high", Mutation: true, Privesc: true, Why: "because"},
	}
	if a.Digest() != want.Digest() {
		t.Errorf("got %+v, want %+v", a, want)
	}
	for name, arguments := range map[string]map[string]any{
		"by name":       {"pane": "shared"},
		"by id":         {"pane": shared.ID()},
		"by session":    {"session": "main"},
		"as raw target": {"target": shared.ID()},
		"with a target": {"target": "local"},
	} {
		more := args(map[string]any{"command": "id"})
		maps.Copy(more, arguments)
		if a := b.planned(b.shell, more); a.Pane != shared.ID() || a.Target != "local" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	_, err = b.plan(b.shell, args(map[string]any{"command": "id", "target": "ssh:nowhere"}))
	if got := rejected(t, err); got.Code != "no_target" || !strings.Contains(got.Error, "local") {
		t.Errorf("an unknown target: %+v", got)
	}
}
