package terminal_test

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/terminal"
)

// made makes or ends something that must be possible.
func (b *bench) made(tool tools.Tool, more map[string]any) terminal.ManageValue {
	b.t.Helper()
	r := b.execute(b.t.Context(), tool, b.planned(tool, args(more)))
	v, ok := r.Value.(terminal.ManageValue)
	if !ok || r.IsError || r.Record.Outcome != backends.ExitedWith(0) {
		b.t.Fatalf("%s %v: %+v", tool.Name(), more, r)
	}
	return v
}

func TestSessionsAreMadeOrUsedAgain(t *testing.T) {
	b := newBench(t)
	v := b.made(b.createSession, map[string]any{"session": "build"})
	if v.Session != "nod-test-build" || v.Pane != "shared" || !regexp.MustCompile(`^%\d+$`).MatchString(v.PaneID) || !*v.Created || len(v.Notices) != 0 {
		t.Errorf("%+v", v)
	}
	// What the operator is told to type does find the session.
	attach := strings.Replace(v.Attach, " attach ", " has-session ", 1)
	if out, err := exec.Command("sh", "-c", attach).CombinedOutput(); err != nil || attach == v.Attach {
		t.Errorf("%q: %v, %s", v.Attach, err, out)
	}
	b.run("X=kept", map[string]any{"session": "build"})
	for _, name := range []string{"build", "Build", " BUILD ", "nod-test-build", "NOD-TEST-BUILD"} {
		again := b.made(b.createSession, map[string]any{"session": name})
		if again.PaneID != v.PaneID || *again.Created || !holds(again.Notices, "there already") {
			t.Errorf("%q: %+v", name, again)
		}
		if v, _ := b.run("echo $X", map[string]any{"session": name}); v.Stdout != "kept\n" {
			t.Errorf("a command in %q: %+v", name, v)
		}
	}
	if v := b.made(b.createSession, map[string]any{"session": "main"}); *v.Created || v.Session != "nod-test-main" {
		t.Errorf("the default session: %+v", v)
	}
	if v := b.made(b.createSession, map[string]any{"session": "nod-test-my-tests"}); v.Session != "nod-test-my-tests" {
		t.Errorf("by its full name: %+v", v)
	}
	r := b.execute(t.Context(), b.createSession, b.planned(b.createSession, args(map[string]any{"session": "fourth"})))
	if got := problem(t, r); got != "too_many" || !strings.Contains(r.Value.(tools.Problem).Error, "build:shared ("+v.PaneID+")") {
		t.Errorf("a fourth: %+v", r)
	}
}

func TestPanesAreMadeOrUsedAgain(t *testing.T) {
	b := newBench(t)
	v := b.made(b.createPane, map[string]any{"pane": "My Worker"}) // the first call of all
	if v.Session != "nod-test-main" || v.Pane != "my-worker" || !*v.Created || v.Attach == "" {
		t.Errorf("%+v", v)
	}
	b.run("X=kept", map[string]any{"pane": "my worker"})
	for name, at := range map[string]map[string]any{
		"name":        {"pane": "my-worker"},
		"other case":  {"pane": "MY-Worker", "session": "Main"},
		"id":          {"pane": v.PaneID},
		"session, id": {"pane": v.PaneID, "session": "nod-test-main"},
		"raw id":      {"target": v.PaneID},
		"raw names":   {"target": "nod-test-main:my-worker"},
		"exact names": {"target": "=nod-test-main:my-worker.0"},
		"raw session": {"target": "nod-test-main", "pane": "my-worker"},
	} {
		if v, _ := b.run("echo $X", at); v.Stdout != "kept\n" {
			t.Errorf("a command by %s: %+v", name, v)
		}
		at["enter"] = true
		if a := b.planned(b.keys, args(at)); a.Pane != v.PaneID {
			t.Errorf("keys by %s: %+v", name, a)
		}
		delete(at, "enter")
		if a := b.planned(b.capture, at); a.Pane != v.PaneID || strings.Contains(a.Command, "instead_of") {
			t.Errorf("capture by %s: %+v", name, a)
		}
	}
	if again := b.made(b.createPane, map[string]any{"pane": "my-worker", "session": "main"}); again.PaneID != v.PaneID || *again.Created || !holds(again.Notices, "there already") {
		t.Errorf("again: %+v", again)
	}
	if shared := b.made(b.createPane, map[string]any{"pane": "shared"}); *shared.Created || shared.Pane != "shared" {
		t.Errorf("the shared one: %+v", shared)
	}
	b.made(b.createPane, map[string]any{"pane": "third"})
	r := b.execute(t.Context(), b.createPane, b.planned(b.createPane, args(map[string]any{"pane": "fourth"})))
	if got := problem(t, r); got != "too_many" || !strings.Contains(r.Value.(tools.Problem).Error, "main:third (%") {
		t.Errorf("a fourth: %+v", r)
	}
	_, err := b.plan(b.createPane, args(map[string]any{"pane": "x", "session": "nowhere"}))
	if got := rejected(t, err); got.Code != "no_session" || !strings.Contains(got.Error, "main:shared") {
		t.Errorf("in a session that is not there: %+v", got)
	}
	b.made(b.createSession, map[string]any{"session": "build"})
	if in := b.made(b.createPane, map[string]any{"pane": "my-worker", "session": "nod-test-build"}); in.Session != "nod-test-build" || !*in.Created || in.PaneID == v.PaneID {
		t.Errorf("the same name in another session: %+v", in)
	}
	_, err = b.plan(b.shell, args(map[string]any{"command": "id", "pane": v.PaneID, "session": "build"}))
	if got := rejected(t, err); got.Code != "no_pane" {
		t.Errorf("an id in another session: %+v", got)
	}
}

func TestWhatNodDidNotMakeStays(t *testing.T) {
	b := newBench(t)
	b.run("true")
	socket := strings.Fields(b.attach())[2]
	tmux := func(argv ...string) string {
		out, err := exec.Command("tmux", append([]string{"-S", socket}, argv...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v, %s", argv, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	mine := tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "mine", "sleep", "1000")
	tmux("new-session", "-d", "-s", "nod-other-x", "sleep", "1000")
	defer tmux("kill-session", "-t", "=mine")
	defer tmux("kill-session", "-t", "=nod-other-x")
	for _, c := range []struct {
		tool tools.Tool
		at   map[string]any
		code string
	}{
		{b.killSession, map[string]any{"session": "mine"}, "unmanaged"},
		{b.killSession, map[string]any{"session": "nod-other-x"}, "unmanaged"},
		{b.createSession, map[string]any{"session": "nod-other-x"}, "unmanaged"},
		{b.killPane, map[string]any{"pane": mine}, "unmanaged"},
		{b.killPane, map[string]any{"pane": "worker"}, "unmanaged"},
		{b.killPane, map[string]any{"pane": "worker", "session": "mine"}, "unmanaged"},
		{b.killSession, map[string]any{"session": "main"}, "protected"},
		{b.killSession, map[string]any{"session": "nod-test-main"}, "protected"},
		{b.killPane, map[string]any{"pane": "shared"}, "protected"},
		{b.killPane, map[string]any{"pane": "Shared", "session": "MAIN"}, "protected"},
		{b.killPane, map[string]any{"pane": b.planned(b.capture, nil).Pane}, "protected"},
		{b.keys, map[string]any{"pane": mine, "enter": true}, "no_pane"},
		{b.shell, map[string]any{"session": "mine", "command": "id"}, "no_pane"},
		{b.shell, map[string]any{"session": "nod-other-x", "command": "id"}, "no_pane"},
	} {
		_, err := b.plan(c.tool, args(c.at))
		if got := rejected(t, err); got.Code != c.code || c.code != "protected" && !strings.Contains(got.Error, "main:shared (%") {
			t.Errorf("%s %v: %+v", c.tool.Name(), c.at, got)
		}
	}
	for tool, at := range map[tools.Tool]map[string]any{
		b.createSession: {"session": "a:b"}, b.killSession: {"session": "-x"},
		b.createPane: {"pane": "%3"}, b.killPane: {"pane": "a.b"},
	} {
		_, err := b.plan(tool, args(at))
		var invalid *tools.Error
		if !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs || !strings.Contains(err.Error(), "no name") {
			t.Errorf("%s %v: %v", tool.Name(), at, err)
		}
	}
	bare := newBareBench(t, noPanes)
	for _, tool := range []tools.Tool{bare.createSession, bare.createPane, bare.killSession, bare.killPane} {
		at := map[string]any{"session": "x", "pane": "x"}
		if strings.HasSuffix(tool.Name(), "session") {
			delete(at, "pane")
		}
		_, err := bare.plan(tool, args(at))
		if got := rejected(t, err); got.Code != "no_panes" {
			t.Errorf("%s without panes: %+v", tool.Name(), got)
		}
	}
}

// Another process of the same agent has the plain name: ours has a number, and
// neither name means the other's session.
func TestFullNamesAreExact(t *testing.T) {
	b := newBench(t)
	b.run("true")
	socket := strings.Fields(b.attach())[2]
	if out, err := exec.Command("tmux", "-S", socket, "new-session", "-d", "-s", "nod-test-build", "sleep", "1000").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer func() { _ = exec.Command("tmux", "-S", socket, "kill-session", "-t", "=nod-test-build").Run() }() // else the bench complains
	v := b.made(b.createSession, map[string]any{"session": "build"})
	if v.Session != "nod-test-build-2" {
		t.Fatalf("%+v", v)
	}
	for _, name := range []string{"build", "nod-test-build-2"} {
		if a := b.planned(b.killSession, args(map[string]any{"session": name})); a.Command != "kill-session build" || !strings.Contains(a.Busy, v.PaneID) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	_, err := b.plan(b.killSession, args(map[string]any{"session": "nod-test-build"}))
	if got := rejected(t, err); got.Code != "unmanaged" {
		t.Errorf("the other's: %+v", got)
	}
}

// attach is how the operator gets at the shared pane.
func (b *bench) attach() string {
	b.t.Helper()
	p, err := b.keeper.Shared(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return p.Attach()
}

func TestAKillEndsWhatRunsThereAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		name string
		kill func(b *bench, id string) (tools.Tool, map[string]any)
	}{
		{"pane by name", func(b *bench, _ string) (tools.Tool, map[string]any) {
			return b.killPane, map[string]any{"pane": "worker", "session": "build"}
		}},
		{"pane by id", func(b *bench, id string) (tools.Tool, map[string]any) {
			return b.killPane, map[string]any{"pane": id}
		}},
		{"session", func(b *bench, _ string) (tools.Tool, map[string]any) {
			return b.killSession, map[string]any{"session": "nod-test-build"}
		}},
	} {
		b := newBench(t)
		b.made(b.createSession, map[string]any{"session": "build"})
		worker := b.made(b.createPane, map[string]any{"session": "build", "pane": "worker"})
		_, r := b.asleep(map[string]any{"session": "build", "pane": "worker"})
		tool, at := c.kill(b, worker.PaneID)
		a := b.planned(tool, args(at))
		if !strings.Contains(a.Busy, "nod-test-build:worker "+worker.PaneID+` runs "sleep 1000"`) {
			t.Errorf("%s: what the operator is shown: %q", c.name, a.Busy)
		}
		if all := strings.Contains(a.Busy, ":shared"); all != (tool == tools.Tool(b.killSession)) {
			t.Errorf("%s: what the operator is shown: %q", c.name, a.Busy)
		}
		done := b.execute(t.Context(), tool, a)
		v, ok := done.Value.(terminal.ManageValue)
		if !ok || !v.Ended || v.Created != nil || !holds(v.Notices, `"sleep 1000" still ran there and was ended with it: its outcome is unknown`) {
			t.Errorf("%s: %+v", c.name, done)
		}
		select {
		case <-r.Running.Done():
		case <-time.After(patience):
			t.Fatalf("%s: the run does not end", c.name)
		}
		if record := r.Running.Record(); record.Outcome.State != backends.Unknown {
			t.Errorf("%s: the run: %+v", c.name, record)
		}
		_, err := b.plan(b.shell, args(map[string]any{"command": "id", "pane": worker.PaneID}))
		if got := rejected(t, err); got.Code != "no_pane" {
			t.Errorf("%s: a command there: %+v", c.name, got)
		}
		if again := b.made(b.createPane, map[string]any{"pane": "worker"}); !*again.Created {
			t.Errorf("%s: %+v", c.name, again)
		}
	}
}

// The last pane takes its session with it, and the name is free at once.
func TestTheLastPaneEndsItsSession(t *testing.T) {
	b := newBench(t)
	for range 3 {
		if v := b.made(b.createSession, map[string]any{"session": "build"}); !*v.Created {
			t.Errorf("%+v", v)
		}
		a := b.planned(b.killPane, args(map[string]any{"session": "build", "pane": "shared"}))
		if !strings.Contains(a.Busy, "the session nod-test-build, since this is its last pane") {
			t.Errorf("shown: %q", a.Busy)
		}
		b.execute(t.Context(), b.killPane, a)
		for _, m := range b.keeper.List() {
			if m.Session() == "build" {
				t.Errorf("pane %s is left", m.ID())
			}
		}
		_, err := b.plan(b.killSession, args(map[string]any{"session": "build"}))
		if got := rejected(t, err); got.Code != "unmanaged" {
			t.Errorf("the session: %+v", got)
		}
	}
}

// What was approved was the end of that pane in that state.
func TestAKillIsVoidWhenSomethingElseRuns(t *testing.T) {
	b := newBench(t)
	b.made(b.createPane, map[string]any{"pane": "worker"})
	a := b.planned(b.killPane, args(map[string]any{"pane": "worker"}))
	_, r := b.asleep(map[string]any{"pane": "worker"})
	if got := problem(t, b.execute(t.Context(), b.killPane, a)); got != "changed" {
		t.Errorf("a run has begun: %s", got)
	}
	select {
	case <-r.Running.Done():
		t.Error("it was ended")
	default:
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a = b.planned(b.killPane, args(map[string]any{"pane": "worker"}))
	if got := problem(t, b.execute(ctx, b.killPane, a)); got != "interrupted" {
		t.Errorf("interrupted: %s", got)
	}
	b.made(b.killPane, map[string]any{"pane": "worker"})
	b.made(b.createPane, map[string]any{"pane": "worker"})
	if got := problem(t, b.execute(t.Context(), b.killPane, a)); got != "changed" {
		t.Errorf("another pane of that name: %s", got)
	}
}
