package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/terminal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type value = terminal.ShellValue

// patience is how long a test waits for what should happen.
const patience = time.Minute

// atOnce is how long something may take that must not be waited for: the limit in
// the long tests, and in the others one that a loaded machine keeps, too.
func atOnce(limit time.Duration) time.Duration {
	if os.Getenv("NOD_E2E") == "1" {
		return limit
	}
	return patience / 2
}

// bench is the tools on the real local target.
type bench struct {
	t       *testing.T
	minter  *tools.Minter
	keeper  *pane.Keeper // nil without panes
	socket  string       // of its tmux
	home    string
	outputs *outputs
	shell   *terminal.RunShell
	keys    *terminal.SendKeys
	capture *terminal.CapturePane
	jobs    *terminal.ListJobs
	kill    *terminal.KillJob

	createSession *terminal.ManageTool
	killSession   *terminal.ManageTool
	createPane    *terminal.ManageTool
	killPane      *terminal.ManageTool
}

// newBench makes a target with a tmux server of its own.
func newBench(t *testing.T) *bench {
	t.Helper()
	for _, program := range []string{"tmux", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
				t.Fatalf("%s is not installed", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
	dir, err := os.MkdirTemp("", "nod") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	var keeper *pane.Keeper
	b := newBareBench(t, func(target *local.Target) guard.Panes {
		keeper, err = pane.Open(t.Context(), target, pane.Options{
			Agent: "test", Socket: socket, Config: "/dev/null", Shell: []string{"bash", "--norc", "--noprofile"},
			Size: backends.Size{Cols: 80, Rows: 24}, Scrollback: 2000, MaxSessions: 3, MaxPanes: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		return guard.Keep(keeper)
	})
	b.keeper, b.socket = keeper, socket
	t.Cleanup(func() {
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
		gone := func() bool { return exec.Command("tmux", "-S", socket, "list-sessions").Run() != nil }
		for limit := time.Now().Add(patience); !gone(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(limit) { // a server without sessions ends by itself
				t.Error("a tmux session is left behind")
				_ = exec.Command("tmux", "-S", socket, "kill-server").Run() // the test has failed already
				break
			}
		}
		_ = os.RemoveAll(dir)
	})
	return b
}

// newBareBench makes a target with the panes that open returns.
func newBareBench(t *testing.T, open func(*local.Target) guard.Panes) *bench {
	t.Helper()
	home := backendtest.Home(t)
	target := local.New([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "LC_ALL=C.UTF-8", "TMPDIR=" + home,
	})
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	minter, verifier := tools.NewMint()
	g := guard.New(verifier)
	cage := confine.NewKeeper(target, "\n")
	t.Cleanup(func() {
		if err := cage.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := g.Add(guard.Place{Target: target, User: "ops", Shell: "sh", Panes: open(target), Cage: cage}); err != nil {
		t.Fatal(err)
	}
	all := &terminal.Jobs{}
	return &bench{
		t: t, minter: minter, home: home, outputs: &outputs{},
		shell:   &terminal.RunShell{Guard: g, Jobs: all},
		keys:    &terminal.SendKeys{Guard: g, Jobs: all},
		capture: &terminal.CapturePane{Guard: g},
		jobs:    &terminal.ListJobs{Guard: g, Jobs: all},
		kill:    &terminal.KillJob{Guard: g, Jobs: all},

		createSession: terminal.NewCreateSession(g),
		killSession:   terminal.NewKillSession(g),
		createPane:    terminal.NewCreatePane(g),
		killPane:      terminal.NewKillPane(g),
	}
}

func noPanes(*local.Target) guard.Panes { return nil }

// outputs keep everything in memory.
type outputs struct {
	mu   sync.Mutex
	kept map[string]string
}

func (o *outputs) Keep(_ context.Context, call, stream, text string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept == nil {
		o.kept = map[string]string{}
	}
	o.kept[call+"/"+stream] = text
	return "output:" + call + "/" + stream, nil
}

func (o *outputs) Text(_ context.Context, ref string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept[strings.TrimPrefix(ref, "output:")], nil
}

func (b *bench) env() tools.Env {
	return tools.Env{Call: "c1", Target: "local", Outputs: b.outputs}
}

// args adds a claim to the arguments of an acting call.
func args(more map[string]any) map[string]any {
	all := map[string]any{"risk": "low", "mutation": false, "privesc": false, "why": "test"}
	for k, v := range more {
		all[k] = v
	}
	return all
}

func (b *bench) plan(tool tools.Tool, arguments map[string]any) (tools.Action, error) {
	b.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		b.t.Fatal(err)
	}
	return tool.Plan(b.t.Context(), raw, b.env())
}

// planned plans a call that must be possible.
func (b *bench) planned(tool tools.Tool, arguments map[string]any) tools.Action {
	b.t.Helper()
	a, err := b.plan(tool, arguments)
	if err != nil {
		b.t.Fatalf("plan %v: %v", arguments, err)
	}
	return a
}

// execute does what a says, as an approved call would.
func (b *bench) execute(ctx context.Context, tool tools.Tool, a tools.Action) tools.Result {
	b.t.Helper()
	env := b.env()
	env.Grant = b.minter.Mint(a)
	r, err := tool.Execute(ctx, a, env)
	if err != nil {
		b.t.Fatalf("execute %+v: %v", a, err)
	}
	return r
}

// run runs a command and returns what became of it.
func (b *bench) run(command string, more ...map[string]any) (terminal.ShellValue, tools.Result) {
	b.t.Helper()
	arguments := args(map[string]any{"command": command})
	for _, m := range more {
		for k, v := range m {
			arguments[k] = v
		}
	}
	r := b.execute(b.t.Context(), b.shell, b.planned(b.shell, arguments))
	v, ok := r.Value.(terminal.ShellValue)
	if !ok {
		b.t.Fatalf("%q: %+v", command, r)
	}
	return v, r
}

// screen captures the shared pane.
func (b *bench) screen(arguments map[string]any) terminal.CaptureValue {
	b.t.Helper()
	r := b.execute(b.t.Context(), b.capture, b.planned(b.capture, arguments))
	v, ok := r.Value.(terminal.CaptureValue)
	if !ok {
		b.t.Fatalf("capture: %+v", r)
	}
	return v
}

// shows waits until the shared pane shows a text.
func (b *bench) shows(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("%q on the screen", text), func() bool { return strings.Contains(b.screen(nil).Text, text) })
}

func (b *bench) until(what string, cond func() bool) {
	b.t.Helper()
	limit := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(limit) {
			b.t.Fatalf("%s: not within %s", what, patience)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// asleep runs a program that sleeps, and returns when that has the terminal: what is killed
// before may miss it between the shell's fork and its own group.
func (b *bench) asleep(where map[string]any) (terminal.ShellValue, tools.Result) {
	b.t.Helper()
	v, r := b.run("sleep 1000", map[string]any{"wait": false}, where)
	b.until("a program that sleeps", func() bool {
		out, err := exec.Command("tmux", "-S", b.socket, "display-message", "-p", "-t", v.Pane, "#{pane_current_command}").Output()
		return err == nil && strings.TrimSpace(string(out)) == "sleep"
	})
	return v, r
}

// code is the exit code in a value, -1 if there is none.
func code(v terminal.ShellValue) int {
	if v.ExitCode == nil {
		return -1
	}
	return *v.ExitCode
}

// rejected returns the code and text of a plan that was rejected.
func rejected(t *testing.T, err error) tools.Problem {
	t.Helper()
	var r *tools.Rejection
	if !errors.As(err, &r) {
		t.Fatalf("not rejected: %v", err)
	}
	return r.Result.Value.(tools.Problem)
}

// problem is the code of a result in which nothing happened.
func problem(t *testing.T, r tools.Result) string {
	t.Helper()
	p, ok := r.Value.(tools.Problem)
	if !ok || !r.IsError || r.Record.Failed == "" {
		t.Fatalf("not a failure: %+v", r)
	}
	return p.Code
}

func holds(notices []string, part string) bool {
	return strings.Contains(strings.Join(notices, "\n"), part)
}
