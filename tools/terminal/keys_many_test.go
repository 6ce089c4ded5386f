package terminal_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/fleettest"
	"github.com/nod-console/nod/tools/terminal"
)

// TestKeysForSeveralTargetsAreRefused where it is not known into which panes they go.
func TestKeysForSeveralTargetsAreRefused(t *testing.T) {
	b := fleettest.New(t, webs(2)...).Apart("ssh:web-03")
	keys := &terminal.SendKeys{Guard: b.Guard, Fleet: b.Fleet}
	for more, want := range map[string]string{
		`"targets":["web-01"],"target":"ssh:web-02"`: "two places",
		`"targets":["web-01"],"pane":"build"`:        "shared panes",
		`"targets":["web-[01-03]"]`:                  "not connected are ssh:web-03",
		`"targets":["web-[01-02]"]`:                  "ssh:web-01 has no panes",
		`"targets":["web-[01-02]"],"enter":false`:    "nothing to type",
	} {
		enter := `"enter":true,`
		if strings.Contains(more, "enter") {
			enter = ""
		}
		_, err := keys.Plan(t.Context(), json.RawMessage(`{`+enter+more+`,"risk":"low","mutation":false,"privesc":false,"why":"a test"}`), tools.Env{})
		var no *tools.Rejection
		if err == nil || !strings.Contains(err.Error()+said(err, &no), want) {
			t.Errorf("%s: %v, want %q", more, err, want)
		}
	}
}

// said is what a rejection tells the model.
func said(err error, no **tools.Rejection) string {
	if !errors.As(err, no) {
		return ""
	}
	text, _ := json.Marshal((*no).Result.Value)
	return string(text)
}

// TestEachPaneTellsWhatItsKeysDid: those alike once, one that had changed since by itself.
func TestEachPaneTellsWhatItsKeysDid(t *testing.T) {
	one := func(target, screen string) tools.Part {
		return tools.Part{Action: tools.Action{Target: target}, Begun: true, Result: tools.Result{Value: terminal.KeysValue{
			Pane: "%1", Message: "typed into the shared pane: Enter; the screen has changed", Screen: screen, Job: "j1",
		}}}
	}
	changed := tools.Failure("changed", "nothing happened: the pane has changed")
	long := strings.Repeat("x", 5000)
	parts := []tools.Part{one("ssh:db-1", "done"), one("ssh:web-1", "done"), one("ssh:web-2", long), {Action: tools.Action{Target: "ssh:web-3"}, Begun: true, Result: changed}}
	r := (&terminal.SendKeys{}).Fold(t.Context(), tools.Action{Target: "ssh:db-1,ssh:web-[1-3]"}, parts, tools.Env{})
	got := fleettest.JSON(t, r)
	for _, want := range []string{
		`"count":"4 targets: 3 typed, 1 not typed"`,
		`{"targets":"ssh:db-1,ssh:web-1","message":"typed into the shared pane: Enter; the screen has changed","screen":"done"}`,
		`{"targets":"ssh:web-3","error":"nothing happened: the pane has changed","code":"changed"}`,
		"characters left out", "capture-pane shows each",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %.1500s", want, got)
		}
	}
	if !r.IsError || len(got) > 4000 {
		t.Errorf("%t, %d bytes", r.IsError, len(got))
	}
}
