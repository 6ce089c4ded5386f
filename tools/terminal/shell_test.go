package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/terminal"
)

func TestPaneRunsAreExact(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		command, stdout string
		code            int
	}{
		{"printf abc; false", "abc", 1},
		{"true", "", 0},
		{"(exit 42)", "", 42},
		{"echo one; echo two >&2", "one\ntwo\n", 0},
		{"cd /usr\nX=kept", "", 0},
		{"pwd; echo $X", "/usr\nkept\n", 0}, // the shell is the same as before
		{"nod-no-such-program 2>/dev/null", "", 127},
		{"sh -c 'kill -KILL $$' 2>/dev/null", "Killed\n", 137}, // says the shell itself
		{"echo 'a  b'\necho \"ü→😀\"", "a  b\nü→😀\n", 0},
		{"cat <<EOF\nhere\nEOF", "here\n", 0},
		{"bash -c 'set -e; false; echo not here'", "", 1},
	} {
		v, r := b.run(c.command)
		if code(v) != c.code || v.Stdout != c.stdout || v.Stderr != "" {
			t.Errorf("%q: %d, %q, %q, %q", c.command, code(v), v.Stdout, v.Stderr, v.Notices)
		}
		if r.IsError != (c.code != 0) || r.Record.Outcome != backends.ExitedWith(c.code) || r.Running != nil {
			t.Errorf("%q: %+v", c.command, r)
		}
		if !holds(v.Notices, "stdout holds standard error") || v.Pane == "" {
			t.Errorf("%q does not say that its outputs are one: %+v", c.command, v)
		}
	}
}

func TestResultsAsTheModelGetsThem(t *testing.T) {
	b := newBareBench(t, noPanes)
	v, _ := b.run("printf out; printf err >&2; exit 3")
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"exit_code":3,"stdout":"out","stderr":"err"}`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	v, r := b.run("kill -TERM $$")
	if text, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	if want := `{"exit_code":null,"signal":"TERM","stdout":"","stderr":""}`; string(text) != want || !r.IsError {
		t.Errorf("got %s, want %s", text, want)
	}
}

// The model is told what a cage refused its command, without a pane and in one.
func TestRefusalsOfACageAreTold(t *testing.T) {
	for name, b := range map[string]*bench{"with panes": newBench(t), "without": newBareBench(t, noPanes)} {
		a := b.planned(b.shell, args(map[string]any{"command": "echo x > new; echo done"}))
		a.Wall = b.shell.Guard.Cage(t.Context(), "local").Wall()
		v, _ := b.execute(t.Context(), b.shell, a).Value.(terminal.ShellValue)
		if !holds(v.Notices, "the cage refused: write new. ") || !holds(v.Notices, "mutation: true") || !strings.Contains(v.Stdout, "done\n") {
			t.Errorf("%s: %+v", name, v)
		}
		a.Command = "echo done"
		if v, _ = b.execute(t.Context(), b.shell, a).Value.(terminal.ShellValue); holds(v.Notices, "refused") {
			t.Errorf("%s: nothing was refused: %+v", name, v)
		}
	}
}

func TestOwnShellsTakeInputAndDirectory(t *testing.T) {
	for name, b := range map[string]*bench{"with panes": newBench(t), "without": newBareBench(t, noPanes)} {
		input := "$HOME `id` \"'\\\n\x00\tend"
		v, r := b.run("cat; pwd >&2", map[string]any{"stdin": input, "cwd": "/usr"})
		if v.Stdout != input || v.Stderr != "/usr\n" || v.Pane != "" || r.Record.Bytes != int64(len(input)+5) {
			t.Errorf("%s: %+v", name, v)
		}
		a := b.planned(b.shell, args(map[string]any{"command": "cat", "stdin": ""}))
		if a.Kind != tools.Exec || a.Wait != terminal.DefaultTimeout || a.Dialect != "sh" {
			t.Errorf("%s: %+v", name, a)
		}
		missing := b.execute(t.Context(), b.shell, b.planned(b.shell, args(map[string]any{"command": "id", "cwd": "/nowhere"})))
		if got := problem(t, missing); got != "not_started" {
			t.Errorf("%s: a missing directory: %s", name, got)
		}
	}
}

func TestLongOutputIsCutAndKept(t *testing.T) {
	long := strings.Repeat("zeile ü\n", 1000)
	for name, b := range map[string]*bench{"pane": newBench(t), "own shell": newBareBench(t, noPanes)} {
		v, _ := b.run(`i=0; while [ $i -lt 1000 ]; do echo "zeile ü"; i=$((i+1)); done`)
		half := strings.Repeat("zeile ü\n", 250)
		want := half + "...[4000 characters left out]...\n" + half
		if v.Stdout != want {
			t.Errorf("%s: %d characters, ends %q", name, len([]rune(v.Stdout)), v.Stdout[max(0, len(v.Stdout)-40):])
		}
		if !holds(v.Notices, `stdout is cut: its middle, 4000 characters, is left out; read it with read_file {"path": "output:c1/stdout", "offset": 251, "limit": 500}`) {
			t.Errorf("%s: %q", name, v.Notices)
		}
		if got := b.outputs.kept["c1/stdout"]; got != long {
			t.Errorf("%s: kept %d bytes of %d", name, len(got), len(long))
		}
	}
}

func TestOutputBeyondWhatIsKeptIsCounted(t *testing.T) {
	b := newBareBench(t, noPanes)
	v, r := b.run("head -c 20000000 /dev/zero | tr '\\0' x; printf '\\377' >&2")
	if r.Record.Bytes != 20_000_001 || !r.Record.Truncated || len(b.outputs.kept["c1/stdout"]) < 8<<20 || len(b.outputs.kept["c1/stdout"]) > 9<<20 {
		t.Errorf("%+v, kept %d", r.Record, len(b.outputs.kept["c1/stdout"]))
	}
	if !holds(v.Notices, fmt.Sprintf("%d bytes in it that were not kept", 20_000_000-8<<20-64<<10)) || !holds(v.Notices, "stderr holds bytes that are not UTF-8") {
		t.Errorf("%q", v.Notices)
	}
}

func TestOwnShellsEndWithTheirTime(t *testing.T) {
	b := newBareBench(t, noPanes)
	began := time.Now()
	v, r := b.run("echo begun; sleep 1000", map[string]any{"wait": 1})
	if took := time.Since(began); took > patience {
		t.Errorf("took %s", took)
	}
	if !r.IsError || !r.Record.TimedOut || v.Stdout != "begun\n" || v.Signal != "TERM" || !holds(v.Notices, "did not end within 1s") {
		t.Errorf("%+v, %+v", v, r.Record)
	}
	b.shell.Timeout = time.Second
	if a := b.planned(b.shell, args(map[string]any{"command": "id"})); a.Wait != time.Second {
		t.Errorf("the configured time-out: %s", a.Wait)
	}
}

func TestPaneRunsGoOnBehindTheirTime(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.home, "go")
	command := fmt.Sprintf("echo begun; while [ ! -e %s ]; do sleep 0.02; done; echo ended; (exit 5)", file)
	v, r := b.run(command, map[string]any{"wait": "1s"})
	if code(v) != -1 || !r.IsError || !r.Record.TimedOut || v.Stdout != "begun\n" || !holds(v.Notices, "goes on in pane") {
		t.Errorf("%+v, %+v", v, r.Record)
	}
	if r.Running == nil {
		t.Fatal("nobody will hear of its end")
	}
	if got := r.Running.Describe(); !strings.HasSuffix(got, "has not ended") || strings.Contains(got, "\n") {
		t.Errorf("described as %q", got)
	}
	_, err := b.plan(b.shell, args(map[string]any{"command": "id"}))
	if got := rejected(t, err); got.Code != "pane_busy" || !strings.Contains(got.Error, "echo begun") {
		t.Errorf("another one meanwhile: %+v", got)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Running.Done():
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	record := r.Running.Record()
	if record.Outcome != backends.ExitedWith(5) || !strings.HasSuffix(r.Running.Describe(), ": exited 5") {
		t.Errorf("%+v, %s", record, r.Running.Describe())
	}
}

func TestDispatchedCommandsAreHeardOf(t *testing.T) {
	b := newBench(t)
	v, r := b.run("sleep 0.2; echo done; (exit 7)", map[string]any{"wait": false})
	if r.IsError || r.Running == nil || code(v) != -1 || !strings.HasPrefix(v.Pane, "%") || !holds(v.Notices, "dispatched to pane "+v.Pane) {
		t.Fatalf("%+v", r)
	}
	select {
	case <-r.Running.Done():
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if record := r.Running.Record(); record.Outcome != backends.ExitedWith(7) {
		t.Errorf("%+v", record)
	}
	b.shows("done")
	bare := newBareBench(t, noPanes)
	_, err := bare.plan(bare.shell, args(map[string]any{"command": "id", "wait": false}))
	if got := rejected(t, err); got.Code != "no_panes" {
		t.Errorf("without panes: %+v", got)
	}
}

// inFront is a command that makes a file and goes on. The file is there only once
// the terminal is the command's: bash (5.2) and dash lose an interrupt that comes
// while they start a program and hand the terminal over.
func inFront(file string) string { return "sh -c ': >" + file + "; exec sleep 1000'" }

func TestInterruptsReachTheCommandAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		bench *bench
		want  backends.Outcome
	}{
		"pane":      {newBench(t), backends.ExitedWith(130)},
		"own shell": {newBareBench(t, noPanes), backends.EndedBy(backends.TERM)},
	} {
		b := c.bench
		mark := filepath.Join(b.home, "begun")
		a := b.planned(b.shell, args(map[string]any{"command": inFront(mark)}))
		ctx, cancel := context.WithCancel(t.Context())
		var (
			wg    sync.WaitGroup
			began time.Time
		)
		wg.Go(func() {
			b.until("the beginning of the command", func() bool { _, err := os.Stat(mark); return err == nil })
			began = time.Now()
			cancel()
		})
		r := b.execute(ctx, b.shell, a)
		wg.Wait()
		if took := time.Since(began); took > atOnce(time.Second) {
			t.Errorf("%s: took %s", name, took)
		}
		v := r.Value.(terminal.ShellValue)
		if !r.IsError || r.Record.Outcome != c.want || !holds(v.Notices, "interrupted by the operator") {
			t.Errorf("%s: %+v", name, r)
		}
		if v, _ := b.run("echo next"); v.Stdout != "next\n" {
			t.Errorf("%s: the next command: %+v", name, v)
		}
	}
}

// A limit that is not the operator's is not called his interrupt.
func TestStopsNameTheirCause(t *testing.T) {
	for name, b := range map[string]*bench{"pane": newBench(t), "own shell": newBareBench(t, noPanes)} {
		mark := filepath.Join(b.home, "begun")
		a := b.planned(b.shell, args(map[string]any{"command": inFront(mark)}))
		ctx, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			b.until("the beginning of the command", func() bool { _, err := os.Stat(mark); return err == nil })
			cancel(errors.New("the limit of a tool"))
		})
		r := b.execute(ctx, b.shell, a)
		wg.Wait()
		if v := r.Value.(terminal.ShellValue); !r.IsError || !holds(v.Notices, "stopped: the limit of a tool") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// A flood of output does not hold an interrupt up. When it arrives the command
// itself tells: its own last output is behind what it has written before.
func TestInterruptsReachAFlood(t *testing.T) {
	b := newBench(t)
	mark := filepath.Join(b.home, "interrupted")
	flood := `bash -c 'trap ": >` + mark + `; exit 130" INT; yes'`
	a := b.planned(b.shell, args(map[string]any{"command": flood}))
	ctx, cancel := context.WithCancel(t.Context())
	env := b.env()
	env.Grant = b.minter.Mint(a)
	var began time.Time
	var once sync.Once
	env.Progress = func(tools.Progress) { once.Do(func() { began = time.Now(); cancel() }) }
	r, err := b.shell.Execute(ctx, a, env)
	if err != nil {
		t.Fatal(err)
	}
	b.until("the interrupt", func() bool { _, err := os.Stat(mark); return err == nil })
	at, err := os.Stat(mark)
	if err != nil {
		t.Fatal(err)
	}
	if took := at.ModTime().Sub(began); took > atOnce(2*time.Second) {
		t.Errorf("took %s", took)
	}
	record := r.Record
	if r.Running != nil { // a slow machine takes longer to read what came before
		<-r.Running.Done()
		record = r.Running.Record()
	}
	if record.Outcome != backends.ExitedWith(130) {
		t.Errorf("%+v", record)
	}
}

func TestShellKillersAreRejectedInPanesOnly(t *testing.T) {
	b, bare := newBench(t), newBareBench(t, noPanes)
	for command, number := range map[string]string{
		"set -e":             "line 1",
		"true; exit":         "line 1",
		"true\nexit 3":       "line 2",
		"exec bash":          "line 1",
		"set -o errexit\nls": "line 1",
		"true && logout":     "line 1",
	} {
		_, err := b.plan(b.shell, args(map[string]any{"command": command}))
		if got := rejected(t, err); got.Code != "ends_shell" || strings.Count(got.Error, number) != 1 || !strings.Contains(got.Error, number) || !strings.Contains(got.Error, "bash -lc") {
			t.Errorf("%q: %+v", command, got)
		}
		if _, err := bare.plan(bare.shell, args(map[string]any{"command": command})); err != nil {
			t.Errorf("%q in a shell of its own: %v", command, err)
		}
	}
	for _, command := range []string{"bash -lc 'set -e; true'", "bash <<'X'\nset -e\nexit\nX", "(exit 3)", "exec 3>&1", "echo exit", "grep -n 'set -e' x"} {
		if _, err := b.plan(b.shell, args(map[string]any{"command": command})); err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
}

func TestARefusedLineIsNoSuccess(t *testing.T) {
	b := newBench(t)
	v, r := b.run("echo $(( )) ) ; fi")
	if !r.IsError || !holds(v.Notices, "nothing of it was run") || r.Record.Failed == "" {
		t.Errorf("%+v, %+v", v, r.Record)
	}
	if v, _ := b.run("echo next"); v.Stdout != "next\n" {
		t.Errorf("the next command: %+v", v)
	}
}

func TestFullScreenProgramsAreNotWaitedFor(t *testing.T) {
	b := newBench(t)
	v, r := b.run(`printf '\033[?1049hfull screen'; sleep 1000; printf '\033[?1049l'`)
	if code(v) != -1 || r.Running == nil || !holds(v.Notices, "full-screen program has taken pane") {
		t.Fatalf("%+v", v)
	}
	b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"keys": []string{"C-c"}})))
	select {
	case <-r.Running.Done():
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
}

func TestProgressEndsWithTheCall(t *testing.T) {
	b := newBench(t)
	a := b.planned(b.shell, args(map[string]any{"command": "while :; do echo x; sleep 0.01; done", "wait": 1}))
	env := b.env()
	env.Grant = b.minter.Mint(a)
	var ticks, reports, late atomic.Int64
	var returned atomic.Bool
	env.Now = func() time.Time { return time.Unix(ticks.Add(1), 0) } // every output is due for a report
	env.Progress = func(p tools.Progress) {
		reports.Store(p.Bytes)
		if returned.Load() {
			late.Add(1)
		}
	}
	r, err := b.shell.Execute(t.Context(), a, env)
	if err != nil {
		t.Fatal(err)
	}
	returned.Store(true)
	before := r.Running.Record().Bytes
	b.until("more output", func() bool { return r.Running.Record().Bytes > before+20 })
	if reports.Load() == 0 || late.Load() != 0 {
		t.Errorf("%d bytes reported, %d reports after the call", reports.Load(), late.Load())
	}
	shared, err := b.keeper.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.until("the end", func() bool {
		// bash misses an interrupt that comes between two of its children.
		if err := shared.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-r.Running.Done():
			return true
		case <-time.After(200 * time.Millisecond):
			return false
		}
	})
}

func TestNothingRunsWithoutTheGrant(t *testing.T) {
	b := newBench(t)
	mark := filepath.Join(b.home, "mark")
	for _, more := range []map[string]any{{}, {"cwd": "/"}} {
		more["command"] = ": >" + mark
		a := b.planned(b.shell, args(more))
		env := b.env()
		for name, grant := range map[string]tools.Grant{"none": {}, "another's": b.minter.Mint(tools.Action{Kind: a.Kind})} {
			env.Grant = grant
			var denied *tools.Error
			r, err := b.shell.Execute(t.Context(), a, env)
			if !errors.As(err, &denied) || denied.Code != tools.PermissionDenied || r.Value != nil {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
		env.Grant = b.minter.Mint(a)
		a.Command += " "
		if r, err := b.shell.Execute(t.Context(), a, env); !errors.Is(err, tools.ErrNotGranted) {
			t.Errorf("another byte: %+v, %v", r, err)
		}
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something ran: %v", err)
	}
}

// A fresh shell stands in another folder, without the old one's variables: what
// was approved for the old one is not run in it.
func TestACommandIsVoidWhenItsShellHasEnded(t *testing.T) {
	b := newBench(t)
	b.run("cd /usr")
	a := b.planned(b.shell, args(map[string]any{"command": "pwd"}))
	b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": "exit", "enter": true})))
	// send-keys waits for the effect: by then the pane may have gone with its shell.
	if got := problem(t, b.execute(t.Context(), b.shell, a)); got != "changed" && got != "no_pane" {
		t.Errorf("after the end of the shell: %s", got)
	}
	for limit := time.Now().Add(patience); ; {
		r := b.execute(t.Context(), b.shell, b.planned(b.shell, args(map[string]any{"command": "pwd"})))
		if v, ok := r.Value.(terminal.ShellValue); ok {
			if v.Stdout == "" || v.Stdout == "/usr\n" {
				t.Errorf("planned anew: %+v", v)
			}
			return
		}
		// The fresh shell's folder may become known between the plan and the run.
		if got := problem(t, r); got != "changed" || time.Now().After(limit) {
			t.Fatalf("planned anew: %s", got)
		}
	}
}

func TestWhatTheOperatorTypesVoidsACommand(t *testing.T) {
	b := newBench(t)
	shared, err := b.keeper.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(b.home, "mark")
	a := b.planned(b.shell, args(map[string]any{"command": ": >" + mark}))
	if err := shared.Type(t.Context(), []byte("rm -rf ")); err != nil {
		t.Fatal(err)
	}
	b.until("the line", func() bool { return shared.PendingLine() != "" })
	if got := problem(t, b.execute(t.Context(), b.shell, a)); got != "changed" {
		t.Errorf("a planned command: %s", got)
	}
	_, err = b.plan(b.shell, args(map[string]any{"command": "id"}))
	if got := rejected(t, err); got.Code != "pending_line" || !strings.Contains(got.Error, "rm -rf") {
		t.Errorf("a new command: %+v", got)
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something ran: %v", err)
	}
}

// A command for a shell that another command has opened is planned as such, and
// goes there and nowhere else.
func TestACommandGoesToTheShellThatIsShown(t *testing.T) {
	b := newBench(t)
	const opener = "bash --norc --noprofile"
	b.execute(t.Context(), b.shell, b.planned(b.shell, args(map[string]any{"command": opener, "wait": false})))
	shared, err := b.keeper.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.until("a shell that waits inside", func() bool { return len(shared.Inside()) == 1 })
	a := b.planned(b.shell, args(map[string]any{"command": "leave() { return 4; }; leave"}))
	if len(a.Inside) != 1 || a.Inside[0] != opener {
		t.Fatalf("planned %+v", a)
	}
	got := b.execute(t.Context(), b.shell, a)
	if v, ok := got.Value.(terminal.ShellValue); !ok || v.ExitCode == nil || *v.ExitCode != 4 {
		t.Errorf("%+v", got.Value)
	}
	late := b.planned(b.shell, args(map[string]any{"command": "touch never"}))
	if err := shared.Type(t.Context(), []byte("exit\r")); err != nil {
		t.Fatal(err)
	}
	b.until("the end of the inner shell", func() bool { return len(shared.Inside()) == 0 && shared.AtPrompt() })
	got = b.execute(t.Context(), b.shell, late)
	if p, ok := got.Value.(tools.Problem); !ok || p.Code != "changed" {
		t.Errorf("what was decided for the inner shell met the outer one: %+v", got.Value)
	}
}
