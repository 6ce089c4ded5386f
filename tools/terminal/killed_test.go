package terminal_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// Whoever ends the pane, or tmux itself, by hand: the next command says that its
// shell is a fresh one.
func TestAPaneThatWasKilledIsToldOf(t *testing.T) {
	for name, kill := range map[string][]string{
		"its pane":   {"kill-pane", "-t", "%0"},
		"the server": {"kill-server"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			v, _ := b.run("cd /usr; X=1")
			b.tmux(strings.ReplaceAll(strings.Join(kill, " "), "%0", v.Pane))
			v, r := b.again("pwd; echo x$X")
			if !strings.HasSuffix(v.Stdout, "\nx\n") || strings.HasPrefix(v.Stdout, "/usr\n") || r.IsError {
				t.Fatalf("%+v", v)
			}
			if !holds(v.Notices, "fresh") || !holds(v.Notices, "directory") {
				t.Errorf("nobody says that the shell is a fresh one: %q", v.Notices)
			}
			if v, _ = b.run("true"); holds(v.Notices, "fresh") {
				t.Errorf("said again: %q", v.Notices)
			}
		})
	}
}

// A command whose pane is gone is unknown, with what to do, for the model and on
// record.
func TestACommandWhosePaneIsKilledIsUnknown(t *testing.T) {
	b := newBench(t)
	v, r := b.asleep(nil)
	b.tmux("kill-server")
	select {
	case <-r.Running.Done():
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	record := r.Running.Record()
	if record.Outcome.State != backends.Unknown || record.Failed != "" || !strings.Contains(record.Unsure, "look at the target before you run it again") || !strings.Contains(record.Unsure, "the pane has ended") {
		t.Errorf("%s: %+v", v.Pane, record)
	}
	if got := r.Running.Describe(); !strings.Contains(got, "unknown: ") || strings.Count(got, "(") > 1 {
		t.Errorf("described as %q", got)
	}
}

// tmux does something on the server of the bench, as the operator would.
func (b *bench) tmux(command string) {
	b.t.Helper()
	if out, err := exec.Command("tmux", append([]string{"-S", b.socket}, strings.Fields(command)...)...).CombinedOutput(); err != nil {
		b.t.Fatalf("tmux %s: %v: %s", command, err, out)
	}
}

// again runs a command as soon as there is a pane for it again.
func (b *bench) again(command string) (v value, r tools.Result) {
	b.t.Helper()
	b.until("a pane", func() bool {
		a, err := b.plan(b.shell, args(map[string]any{"command": command}))
		if err != nil {
			return false
		}
		r = b.execute(b.t.Context(), b.shell, a)
		var ok bool
		v, ok = r.Value.(value)
		return ok
	})
	return v, r
}
