package terminal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/terminal"
)

// job calls jobs for one job.
func (b *bench) job(handle string, more map[string]any) terminal.ShellValue {
	b.t.Helper()
	arguments := map[string]any{"job": handle}
	for k, v := range more {
		arguments[k] = v
	}
	r := b.execute(b.t.Context(), b.jobs, b.planned(b.jobs, arguments))
	v, ok := r.Value.(terminal.ShellValue)
	if !ok || r.IsError || r.Running != nil {
		b.t.Fatalf("%s: %+v", handle, r)
	}
	return v
}

// listed calls jobs for all of them.
func (b *bench) listed() terminal.JobsValue {
	b.t.Helper()
	return b.execute(b.t.Context(), b.jobs, b.planned(b.jobs, nil)).Value.(terminal.JobsValue)
}

func waitFor(more map[string]any) map[string]any { return map[string]any{"wait_for": more} }

// step is a file that a command of stepwise waits for.
func (b *bench) step(n int) string { return filepath.Join(b.home, fmt.Sprint("step", n)) }

func (b *bench) do(n int) {
	b.t.Helper()
	if err := os.WriteFile(b.step(n), nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// stepwise is a command that prints a line at each step and then exits with 3.
func (b *bench) stepwise(lines ...string) string {
	var text strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&text, "until [ -e %s ]; do sleep 0.02; done; echo %s; ", b.step(i), l)
	}
	return text.String() + "(exit 3)"
}

// A call ends at a pattern; what goes on has a handle, by which the rest is heard, each
// piece once.
func TestAJobIsFollowedByItsHandle(t *testing.T) {
	b := newBench(t)
	b.do(0)
	v, r := b.run(b.stepwise("up on 80", "first", "second"), waitFor(map[string]any{"pattern": `^up on \d+$`}))
	if code(v) != -1 || r.IsError || r.Running == nil || v.Job != "job1" || v.Stdout != "up on 80\n" || !holds(v.Notices, `"^up on \\d+$" is there`) {
		t.Fatalf("%+v", r)
	}
	if all := b.listed(); len(all.Jobs) != 1 || all.Jobs[0].State != "running" || all.Jobs[0].Last != "up on 80" || all.Jobs[0].Pane != v.Pane || all.Jobs[0].Target != "local" {
		t.Errorf("%+v", all)
	}
	if v := b.job("job1", nil); v.Stdout != "" || v.ExitCode != nil || v.Job != "job1" || !holds(v.Notices, "running for ") {
		t.Errorf("nothing is new: %+v", v)
	}
	b.do(1)
	if v := b.job("job1", waitFor(map[string]any{"pattern": "first"})); v.Stdout != "first\n" || v.ExitCode != nil {
		t.Errorf("until the pattern: %+v", v)
	}
	if v := b.job("job1", waitFor(map[string]any{"silence_ms": 50})); v.Stdout != "" || !holds(v.Notices, "nothing new for 50ms") {
		t.Errorf("until a silence: %+v", v)
	}
	if v := b.job("job1", waitFor(map[string]any{"pattern": "first", "seconds": 1})); v.Stdout != "" || !holds(v.Notices, "did not end within 1s") {
		t.Errorf("what was told is not waited for again: %+v", v)
	}
	b.do(2)
	if v := b.job("job1", waitFor(map[string]any{"seconds": 60})); v.Stdout != "second\n" || code(v) != 3 || v.Job != "" {
		t.Errorf("until the end: %+v", v)
	}
	_, err := b.plan(b.jobs, map[string]any{"job": "job1"})
	if got := rejected(t, err); got.Code != "no_job" || !strings.Contains(got.Error, "its end was told already") {
		t.Errorf("%+v", got)
	}
	if all := b.listed(); len(all.Jobs) != 0 || !holds(all.Notices, "nothing runs") {
		t.Errorf("%+v", all)
	}
}

// What came before the wait, and was not told yet, is waited for, too.
func TestAPatternThatIsThereIsFound(t *testing.T) {
	b := newBench(t)
	v, r := b.run(`echo one; echo t""wo; sleep 1000`, map[string]any{"wait": false})
	b.shows("two")
	if v := b.job(v.Job, waitFor(map[string]any{"pattern": "two"})); v.Stdout != "one\ntwo\n" || !holds(v.Notices, `"two" is there`) {
		t.Errorf("%+v", v)
	}
	b.execute(t.Context(), b.kill, b.planned(b.kill, args(map[string]any{"job": v.Job})))
	<-r.Running.Done()
}

// To end a job is an action that is bound to what the operator saw.
func TestAJobIsKilled(t *testing.T) {
	b := newBench(t)
	v, r := b.run("echo be''gun; sleep 1000", map[string]any{"wait": false})
	b.shows("begun")
	a := b.planned(b.kill, args(map[string]any{"job": v.Job}))
	if a.Kind != tools.Type || a.Pane != v.Pane || a.Busy != "echo be''gun; sleep 1000" || len(a.Keys) != 1 || a.Keys[0] != "C-c" || a.Claim.Why == "" {
		t.Errorf("planned %+v", a)
	}
	env := b.env()
	if r, err := b.kill.Execute(t.Context(), a, env); !errors.Is(err, tools.ErrNotGranted) {
		t.Errorf("without a grant: %+v, %v", r, err)
	}
	killed := b.execute(t.Context(), b.kill, a)
	end := killed.Value.(terminal.ShellValue)
	for killed.IsError { // bash loses an interrupt that comes while it starts a program
		killed = b.execute(t.Context(), b.kill, b.planned(b.kill, args(map[string]any{"job": v.Job})))
		end = killed.Value.(terminal.ShellValue)
	}
	if code(end) != 130 || end.Job != "" {
		t.Errorf("%+v", end)
	}
	<-r.Running.Done()
	if got := r.Running.Record().Outcome; got != backends.ExitedWith(130) {
		t.Errorf("%v", got)
	}
	if got := problem(t, b.execute(t.Context(), b.kill, a)); got != "changed" {
		t.Errorf("again: %s", got)
	}
	if _, err := b.plan(b.kill, args(map[string]any{"job": v.Job})); rejected(t, err).Code != "no_job" {
		t.Errorf("planned again: %v", err)
	}
}

// Programs that somebody begins by hand are listed, without a handle.
func TestWhatWasBegunByHandIsListed(t *testing.T) {
	b := newBench(t)
	b.run("true")
	b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": "sleep 1000", "enter": true})))
	b.until("it is listed", func() bool {
		all := b.listed()
		return len(all.Jobs) == 0 && len(all.Others) == 1 && all.Others[0].Command == "sleep 1000" && all.Others[0].Name == "main:shared" && holds(all.Notices, "by hand")
	})
	b.until("it is gone", func() bool {
		b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"keys": []string{"C-c"}})))
		return len(b.listed().Others) == 0
	})
}

// send-keys returns what it has changed, and how what it was for has ended.
func TestKeysReturnTheirEffect(t *testing.T) {
	b := newBench(t)
	v, r := b.run("printf 'name? '; read n; echo hello $n; read m; (exit 4)", map[string]any{"wait": false})
	b.shows("name?")
	press := func(more map[string]any) terminal.KeysValue {
		t.Helper()
		return b.execute(t.Context(), b.keys, b.planned(b.keys, args(more))).Value.(terminal.KeysValue)
	}
	got := press(map[string]any{"literal_text": "wörld", "enter": true, "wait_for": map[string]any{"pattern": "hello", "seconds": 60}})
	if got.Screen != "name? wörld\nhello wörld" || got.Job != v.Job || got.ExitCode != nil {
		t.Errorf("an answer: %+v", got)
	}
	if v := b.job(v.Job, nil); v.Stdout != "" {
		t.Errorf("it is told again: %+v", v)
	}
	got = press(map[string]any{"enter": true, "wait_for": map[string]any{"seconds": 60}})
	if got.ExitCode == nil || *got.ExitCode != 4 || got.Job != "" || !strings.Contains(got.Message, "has ended: exited 4") {
		t.Errorf("the end: %+v", got)
	}
	<-r.Running.Done()
	got = press(map[string]any{"literal_text": "echo ty'p'ed", "enter": true, "wait_for": map[string]any{"seconds": 60}})
	if !strings.Contains(got.Screen, "echo ty'p'ed\ntyped\n") || got.ExitCode != nil {
		t.Errorf("at the prompt: %+v", got)
	}
}

// The change is cut like any output, with the way to read the middle.
func TestALongEffectIsCut(t *testing.T) {
	b := newBench(t)
	b.run("true")
	r := b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{
		"literal_text": "seq 1 1500", "enter": true, "max_chars": 100, "wait_for": map[string]any{"seconds": 60},
	})))
	v := r.Value.(terminal.KeysValue)
	if len(v.Screen) > 140 || !strings.Contains(v.Screen, "characters left out") || !strings.Contains(v.Screen, "\n1499\n1500\n") || !holds(v.Notices, `read_file {"path": "output:c1/screen"`) {
		t.Errorf("%+v", v)
	}
}

// The end of what is longer than what is kept is told.
func TestTheEndOfAFloodIsTold(t *testing.T) {
	b := newBareBench(t, noPanes)
	v, r := b.run("yes 'a line of the flood' | head -c 9000000; echo; echo the end", map[string]any{"max_chars": 60})
	if code(v) != 0 || !strings.HasPrefix(v.Stdout, "a line of") || !strings.HasSuffix(v.Stdout, "\nthe end\n") || len(v.Stdout) > 120 {
		t.Errorf("%q", v.Stdout)
	}
	if !r.Record.Truncated || !holds(v.Notices, "bytes in it that were not kept") {
		t.Errorf("%+v", v.Notices)
	}
}

func TestWhatEndsAWaitIsChecked(t *testing.T) {
	b := newBench(t)
	bare := newBareBench(t, noPanes)
	shell := func(more string) string {
		return `{"command":"id","risk":"low","mutation":false,"privesc":false,"why":"x"` + more + `}`
	}
	for _, c := range []struct {
		b          *bench
		tool       tools.Tool
		text, says string
	}{
		{b, b.shell, shell(`,"wait_for":{"pattern":"("}`), `the pattern "(" is no RE2 expression`},
		{b, b.shell, shell(`,"wait_for":{"pattern":"a*"}`), "matches nothing at all"},
		{b, b.shell, shell(`,"wait_for":{}`), "give a pattern, silence_ms or seconds"},
		{b, b.shell, shell(`,"wait_for":{"silence":3}`), `there is no argument "silence"; there are pattern, seconds, silence_ms; it is an object such as`},
		{b, b.shell, shell(`,"wait_for":{"seconds":0}`), "seconds is 0, want 1 to 86400"},
		{b, b.shell, shell(`,"wait_for":{"seconds":3},"wait":"3s"`), "give one of them"},
		{b, b.shell, shell(`,"wait_for":{"seconds":3},"wait":false`), "give one of them"},
		{b, b.shell, shell(`,"max_chars":0`), "max_chars is 0"},
		{bare, bare.shell, shell(`,"wait_for":{"pattern":"x"}`), "in panes alone"},
		{b, b.keys, `{"enter":true,"risk":"low","mutation":false,"privesc":false,"why":"x","wait_for":{"seconds":601}}`, "want 1 to 600"},
		{b, b.jobs, `{"wait_for":{"seconds":1}}`, "name the job"},
		{b, b.jobs, `{"job":"job9"}`, `no job "job9"`},
		{b, b.kill, `{"risk":"low","mutation":false,"privesc":false,"why":"x"}`, "missing: job"},
		{b, b.kill, `{"job":"job9"}`, "missing: risk"},
	} {
		_, err := c.tool.Plan(t.Context(), json.RawMessage(c.text), c.b.env())
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.text, err, c.says)
		}
	}
	a := b.planned(b.shell, args(map[string]any{"command": "id", "wait_for": "done", "max_chars": 1_000_000}))
	if a.Until.Pattern != "done" || a.Until.Most != terminal.MostCharacters || a.Wait != 0 {
		t.Errorf("%+v", a.Until)
	}
	if a = b.planned(b.shell, args(map[string]any{"command": "id", "wait_for": map[string]any{"seconds": 90}})); a.Wait != 90*time.Second {
		t.Errorf("%+v", a)
	}
}
