package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/fleettest"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
	"github.com/nod-console/nod/tools/terminal"
)

// onHosts is a call of run_shell on several targets.
func onHosts(command string, targets string, more ...string) string {
	text, err := json.Marshal(command)
	if err != nil {
		panic(err) // a string can be encoded
	}
	return fmt.Sprintf(`{"command":%s,"targets":%s,"risk":"low","mutation":false,"privesc":false,"why":"a test"%s}`, text, targets, strings.Join(more, ""))
}

func webs(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("ssh:web-%02d", i+1))
	}
	return names
}

// TestOutcomesOfSeveralTargetsAreFolded: equal ones come once, with their targets; outliers
// stand by themselves; and what is not connected is said.
func TestOutcomesOfSeveralTargetsAreFolded(t *testing.T) {
	b := fleettest.New(t, webs(12)...).Apart("ssh:web-13", "ssh:web-14")
	b.Refused = map[string]error{"ssh:web-13": errors.New("dial web-13: no route to host"), "ssh:web-14": errors.New("dial web-14: no route to host")}
	for target := range b.Refused {
		if b.Connect(t.Context(), target) == nil {
			t.Fatal("connected")
		}
	}
	shell := &terminal.RunShell{Guard: b.Guard, Fleet: b.Fleet}
	got := fleettest.JSON(t, b.Do(t.Context(), shell,
		onHosts(`case $LC_HOST in *-07) echo odd; echo why >&2; exit 3;; *) echo same;; esac`, `["web-[01-14]"]`), tools.Env{Call: "c"}))
	want := `{"targets":"ssh:web-[01-14]","count":"14 targets: 11 exited 0, 2 not connected, 1 exited 3","outcomes":[` +
		`{"targets":"ssh:web-[01-06,08-12]","exit_code":0,"stdout":"same\n","stderr":""},` +
		`{"targets":"ssh:web-[13-14]","error":"it could not be connected: dial web-13: no route to host","code":"not_connected"},` +
		`{"targets":"ssh:web-07","exit_code":3,"stdout":"odd\n","stderr":"why\n"}]}`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestEqualIsToTheByte: outputs that differ in what is cut, or in what is not even kept, are
// not the same.
func TestEqualIsToTheByte(t *testing.T) {
	b := fleettest.New(t, webs(4)...)
	shell := &terminal.RunShell{Guard: b.Guard, Fleet: b.Fleet}
	kept := &outputs{}
	r := b.Do(t.Context(), shell, onHosts(
		`seq 1 200000; case $LC_HOST in *-03) echo other;; *) echo same;; esac; seq 1 200000`, `"@*"`), tools.Env{Call: "c", Outputs: kept})
	got := fleettest.JSON(t, r)
	if !strings.Contains(got, `"targets":"ssh:web-[01-02,04]"`) || !strings.Contains(got, `"targets":"ssh:web-03"`) || strings.Count(got, `"targets"`) != 3 {
		t.Errorf("%.3000s", got)
	}
	if !strings.Contains(got, "characters left out") || !strings.Contains(got, `read_file {\"path\": \"output:c/targets\"}`) || len(got) > 6000 {
		t.Errorf("%d: %.3000s", len(got), got)
	}
	if !strings.Contains(kept.kept["c/targets"], "=== ssh:web-[01-02,04] (3): exited 0\n1\n2\n") {
		t.Errorf("%.200s", kept.kept["c/targets"])
	}
	// The call's budget is for all outcomes together.
	r = b.Do(t.Context(), shell, onHosts(`echo $LC_HOST; seq 1 20000`, `"@*"`, `,"max_chars":2000`), tools.Env{Call: "c", Outputs: kept})
	if got := fleettest.JSON(t, r); len(got) > 3500 || strings.Count(got, `"exit_code":0`) != 4 {
		t.Errorf("%d: %.3000s", len(got), got)
	}
}

// TestEachTargetRunsTheGrantedActionAndNoOther: the grants of a set are for it alone.
func TestEachTargetRunsTheGrantedActionAndNoOther(t *testing.T) {
	b := fleettest.New(t, webs(2)...)
	shell := &terminal.RunShell{Guard: b.Guard, Fleet: b.Fleet}
	planned, err := shell.Plan(t.Context(), json.RawMessage(onHosts("echo $LC_HOST", `["web-*"]`)), tools.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if planned.Kind != tools.Exec || planned.Target != "ssh:web-[01-02]" || !slices.Equal(planned.Targets(), webs(2)) || planned.Pane != "" {
		t.Fatalf("%+v", planned)
	}
	granted, grants := b.Grant(planned)
	for name, change := range map[string]func(a *tools.Action){
		"another target":  func(a *tools.Action) { a.Target = "ssh:web-02" },
		"another command": func(a *tools.Action) { a.Command = "reboot" },
		"another user":    func(a *tools.Action) { a.User = "root" },
		"another folder":  func(a *tools.Action) { a.Dir = "/" },
		"another set":     func(a *tools.Action) { a.PartOf = strings.Repeat("0", 64) },
		"by itself":       func(a *tools.Action) { a.PartOf = "" },
	} {
		a := granted.Parts[0]
		change(&a)
		if _, err := shell.Execute(t.Context(), a, tools.Env{Grant: grants[0]}); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
	if _, err := b.Guard.Exec(t.Context(), granted, b.Minter.Mint(granted), nil, nil); !errors.Is(err, guard.ErrMalformed) {
		t.Errorf("the whole as one command: %v", err)
	}
}

// TestAnInterruptEndsWhatRunsOnAllTargets.
func TestAnInterruptEndsWhatRunsOnAllTargets(t *testing.T) {
	b := fleettest.New(t, webs(3)...)
	shell := &terminal.RunShell{Guard: b.Guard, Fleet: b.Fleet}
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	go func() { // once it runs on all of them
		defer cancel()
		for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
			if begun, err := os.ReadDir(dir); err != nil || len(begun) == 3 {
				return
			}
		}
	}()
	got := fleettest.JSON(t, b.Do(ctx, shell, onHosts("touch "+dir+"/$LC_HOST; sleep 600", `"web-*"`, `,"wait":"10m"`), tools.Env{}))
	if begun, err := os.ReadDir(dir); err != nil || len(begun) != 3 {
		t.Errorf("%v, %v", begun, err)
	}
	if !strings.Contains(got, `"count":"3 targets: 3 ended by TERM"`) && !strings.Contains(got, `"count":"3 targets: 3 ended by KILL"`) || !strings.Contains(got, "interrupted by the operator") || strings.Contains(got, `"exit_code":0`) {
		t.Error(got)
	}
}

func TestWhatSeveralTargetsCannotDoIsSaid(t *testing.T) {
	b := fleettest.New(t, webs(2)...).Apart("ssh:db-1")
	shell := &terminal.RunShell{Guard: b.Guard, Fleet: b.Fleet, Jobs: &terminal.Jobs{}}
	for args, want := range map[string]string{
		onHosts("id", `["web-*"]`, `,"target":"ssh:web-01"`):             "give one of them",
		onHosts("id", `["web-*"]`, `,"pane":"x"`):                        "without panes",
		onHosts("id", `["web-*"]`, `,"wait":false`):                      "waited for until its end",
		onHosts("id", `["web-*"]`, `,"wait_for":{"pattern":"x"}`):        "waited for until its end",
		onHosts("id", `["web-*"]`, `,"wait":"1h"`):                       "at most",
		onHosts("id", `["web-03"]`):                                      "there is no target",
		onHosts("id", `["web-01","db-1"]`):                               "connect_target",
		onHosts(" ", `["web-*"]`):                                        "empty",
		onHosts("id", `["web-*"]`, `,"cwd":"relative"`):                  "not absolute",
		strings.Replace(onHosts("id", `7`), `"id"`, `"id"`, 1):           "targets",
		strings.Replace(onHosts("id", `["@all"]`), `"id"`, `"id"`, 1):    "no group",
		strings.Replace(onHosts("id", `["web-[1"]`), `"id"`, `"id"`, 1):  "not closed",
		strings.Replace(onHosts("id", `["web-09*"]`), `"id"`, `"id"`, 1): "no name fits",
	} {
		if got := fleettest.JSON(t, b.Do(t.Context(), shell, args, tools.Env{})); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	alone := &terminal.RunShell{Guard: b.Guard}
	if got := fleettest.JSON(t, b.Do(t.Context(), alone, onHosts("id", `["web-01"]`), tools.Env{})); !strings.Contains(got, "one target only") {
		t.Error(got)
	}
	// One target of a set is a call as any.
	if got := fleettest.JSON(t, b.Do(t.Context(), shell, onHosts("echo $LC_HOST", `["web-02"]`), tools.Env{})); got != `{"exit_code":0,"stdout":"ssh:web-02\n","stderr":""}` {
		t.Error(got)
	}
}

// TestRunShellNamesWhatThereIs: panes where there are some, several targets where there are.
func TestRunShellNamesWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		panes, fleet bool
	}{{false, false}, {false, true}, {true, false}, {true, true}} {
		b := fleettest.New(t, "local")
		if c.fleet {
			b.Apart("ssh:web-1")
		}
		shell := &terminal.RunShell{Guard: b.Guard, Fleet: b.Fleet}
		if c.panes {
			shell.Jobs = &terminal.Jobs{}
		}
		properties, _ := shell.InputSchema()["properties"].(map[string]any)
		text := shell.Description()
		for _, name := range []string{"pane", "session", "wait_for"} {
			if (properties[name] != nil) != c.panes {
				t.Errorf("%+v: %s is an argument: %t", c, name, properties[name] != nil)
			}
		}
		if (properties["targets"] != nil) != c.fleet || strings.Contains(text, "targets:") != c.fleet {
			t.Errorf("%+v: targets", c)
		}
		if strings.Contains(text, "pane's shell") != c.panes || strings.Contains(text, "send-keys") != c.panes || strings.Contains(text, "{") && strings.Contains(text, "{!") {
			t.Errorf("%+v: %s", c, text)
		}
		spectest.Tool(t, shell)
	}
}
