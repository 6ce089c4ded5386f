package pane_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
)

// A tmux of the operator's in a pane of nod's is a full-screen program: nothing is typed into
// it, and what is given before it was left is refused. nod itself may be in a tmux, too.
func TestATmuxInsideAPane(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	socket := filepath.Join(filepath.Dir(r.opt.Socket), "inner")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() }) // it has ended, if the test went well
	outer := filepath.Join(filepath.Dir(r.opt.Socket), "outer")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", outer, "kill-server").Run() })
	around := exec.Command("tmux", "-S", outer, "-f", "/dev/null", "new-session", "-d", "-s", "operator", "sleep 1000")
	around.Env = r.env
	must(t, around.Run())
	r.env = append(r.env, "TMUX="+outer+",1,0", "TMUX_PANE=%0")
	r.target = local.New(r.env)
	t.Cleanup(func() { must(t, r.target.Close()) })
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	tmux := "env -u TMUX tmux -S " + socket + " -f /dev/null"
	inner := start(t, p, pane.Request{Command: tmux + " new-session -s mine 'bash --norc'"})
	select {
	case <-inner.FullScreen():
	case <-time.After(patience):
		t.Fatalf("it is not told that the screen was taken\n%s", p.Screen())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var busy *pane.BusyError
	if _, err := p.Run(ctx, pane.Request{Command: "echo into tmux"}); !errors.As(err, &busy) {
		t.Errorf("another command: %v", err)
	}
	if len(p.Inside()) != 0 {
		t.Errorf("inside %q", p.Inside())
	}
	must(t, p.Keys(t.Context(), []string{"C-b", "d"}))
	if res := finish(t, p, inner); res.Outcome != backends.ExitedWith(0) || !res.FullScreen {
		t.Errorf("detached: %+v", res)
	}
	if res := run(t, p, "echo $TMUX; "+tmux+" kill-server"); res.Text != r.opt.Socket+","+r.tmux(t, "display-message", "-p", "#{pid}")+",0\n" || !res.Outcome.OK() {
		t.Errorf("behind it: %+v", res)
	}
	if out, err := exec.Command("tmux", "-S", outer, "list-sessions", "-F", "#{session_name} #{session_windows}").Output(); err != nil || string(out) != "operator 1\n" {
		t.Errorf("the tmux around nod: %q, %v", out, err)
	}
}
