package pane_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/tmux"
)

// programsWithout is a directory with the programs of PATH that panes need but for
// tmux, or with a tmux of the test's own.
func programsWithout(t *testing.T, tmux string) string {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"sh", "bash", "stty", "cat"} {
		path, err := exec.LookPath(program)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(dir, program)))
	}
	if tmux != "" {
		backendtest.WriteProgram(t, filepath.Join(dir, "tmux"), tmux)
	}
	return dir
}

func TestWhereThereIsNoTmuxThePanesDoWithoutAndSayWhy(t *testing.T) {
	t.Parallel()
	for script, why := range map[string]string{
		"":                            tmux.ErrNoTmux.Error(),
		"#!/bin/sh\necho tmux 2.9a\n": "2.9",
	} {
		target := local.New([]string{"HOME=" + backendtest.Home(t), "PATH=" + programsWithout(t, script), "SHELL=/bin/bash"})
		k, err := pane.Open(t.Context(), target, pane.Options{})
		must(t, err)
		if err := k.WithoutTmux(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("why: %v, want %q", err, why)
		}
		p, err := k.Shared(t.Context())
		must(t, err)
		if res := run(t, p, "printf abc; false"); res.Text != "abc" || res.Outcome.Code != 1 {
			t.Errorf("result %+v", res)
		}
		if !strings.Contains(p.Attach(), "cannot be attached") {
			t.Errorf("attach: %q", p.Attach())
		}
		must(t, k.Close())
		must(t, target.Close())
	}
}

// bare is a pane without tmux, and its keeper.
func bare(t *testing.T, shell string) (*pane.Keeper, *pane.Pane) {
	t.Helper()
	r := newRig(t, shell)
	r.opt.WithoutTmux = true
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	return k, p
}

func TestWhatIsEndedByHandIsMadeAnewWithoutTmux(t *testing.T) {
	t.Parallel()
	_, p := bare(t, "bash")
	run(t, p, "echo before")
	for _, typed := range []string{"exit\r", "exec bash --norc\r", "sleep 0.3; exit 3\r"} {
		id := p.ID()
		must(t, p.Type(t.Context(), []byte(typed)))
		if res := run(t, p, "echo hi"); res.Text != "hi\n" || !res.Outcome.OK() || len(res.Notices) != 1 {
			t.Errorf("after %q: %+v", typed, res)
		}
		if fresh := strings.Contains(typed, "exit"); fresh != (id != p.ID()) {
			t.Errorf("after %q: pane %s was %s", typed, p.ID(), id)
		}
	}
	all, err := p.Capture(t.Context(), pane.CaptureOptions{Start: "-", End: "-"})
	must(t, err)
	if !strings.Contains(all.Text, "\nbefore\n") {
		t.Errorf("what the ended shells showed is gone:\n%s", all.Text)
	}
}

func TestAProgramThatReadsNothingHoldsUpNobody(t *testing.T) {
	t.Parallel()
	k, p := bare(t, "dash")
	r := start(t, p, pane.Request{Command: "stty raw; echo up; exec sleep 1000"})
	eventually(t, p, "the program", func() bool { return strings.Contains(r.Result().Text, "up") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is typed waits, and its sender does not
	err := error(nil)
	for range 200 {
		if err = p.Type(ctx, make([]byte, 64<<10)); err != nil && !errors.Is(err, context.Canceled) {
			break
		}
	}
	for range 200 {
		if err = p.Type(t.Context(), make([]byte, 1<<20)); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "does not read") {
		t.Errorf("error %v", err)
	}
	p.Resize(backends.Size{Cols: 90, Rows: 20})
	if s := p.Screen(); s.Size.Cols != 90 {
		t.Errorf("size %v", s.Size)
	}
	must(t, k.Close())
	if res := finish(t, p, r); res.Outcome.State != backends.Unknown {
		t.Errorf("result %+v", res)
	}
}

func TestCloseLeavesNoProcessWithoutTmux(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	r.opt.WithoutTmux, r.opt.Keep = true, true // there is nothing to keep them in
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	side, err := k.CreatePane(t.Context(), "", "side")
	must(t, err)
	var pids []int
	for _, p := range []*pane.Pane{p, side} {
		res := run(t, p, "sleep 1000 & echo $! $$")
		for _, f := range strings.Fields(res.Text)[len(strings.Fields(res.Text))-2:] {
			pid, err := strconv.Atoi(f)
			must(t, err)
			pids = append(pids, pid)
		}
	}
	long := start(t, p, pane.Request{Command: "exec sleep 1000"})
	must(t, k.Close())
	if res := finish(t, p, long); res.Outcome.State != backends.Unknown || len(res.Notices) == 0 {
		t.Errorf("result %+v", res)
	}
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && !strings.Contains(string(stat), ") Z ") { // an orphan is for init to reap
			t.Errorf("left behind: %s", stat)
		}
	}
	if _, err := k.Shared(t.Context()); !errors.Is(err, pane.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestTheLastPaneOfASessionEndsItWithoutTmux(t *testing.T) {
	t.Parallel()
	k, _ := bare(t, "dash")
	two, err := k.CreateSession(t.Context(), "two")
	must(t, err)
	must(t, k.KillPane(t.Context(), "two", pane.SharedPane))
	_, err = two.Run(t.Context(), pane.Request{Command: "true"})
	is(t, err, pane.ErrEnded)
	eventually(t, two, "the end of the session", func() bool {
		_, err := k.Get("two", "")
		return errors.Is(err, pane.ErrNotFound)
	})
	_, err = k.CreateSession(t.Context(), "two")
	must(t, err)
}

func TestTheTerminalItselfWithoutTmux(t *testing.T) {
	t.Parallel()
	_, p := bare(t, "bash")
	if res := run(t, p, "cd /usr; echo $TERM; tput cols"); res.Text != "screen-256color\n80\n" {
		t.Errorf("the terminal: %q", res.Text)
	}
	if dir, err := p.Dir(t.Context()); err != nil || dir != "/usr" {
		t.Errorf("directory %q, %v", dir, err)
	}
	// What a terminal is asked, it answers.
	res := run(t, p, `stty -echo -icanon; printf '\033[6n\033[c\033[5n'; IFS= read -r -d n a; stty echo icanon; printf '%s' "$a" | od -An -c`)
	if !strings.Contains(strings.Join(strings.Fields(res.Text), " "), "R 033 [ ? 1 ; 2 c 033 [ 0") {
		t.Errorf("answers %q", res.Text)
	}
	// Lines are wrapped anew.
	run(t, p, "printf '%0100d\\n' 7")
	p.Resize(backends.Size{Cols: 120, Rows: 24})
	if s := p.Screen().String(); !strings.Contains(s, "\n"+strings.Repeat("0", 99)+"7\n") {
		t.Errorf("after the change of size:\n%s", s)
	}
	// The terminal gets it a moment later.
	eventually(t, p, "the new size", func() bool { return run(t, p, "stty size").Text == "24 120\n" })
}

func TestVimWithoutTmux(t *testing.T) {
	t.Parallel()
	need(t, "vim")
	_, p := bare(t, "bash")
	file := filepath.Join(t.TempDir(), "text")
	r := start(t, p, pane.Request{Command: "vim -u NONE -N " + file})
	select {
	case <-r.FullScreen():
	case <-time.After(patience):
		t.Fatalf("vim does not show\n%s", p.Screen())
	}
	must(t, p.Keys(t.Context(), []string{"i", "é", "Enter", "b", "Left", "a", "Escape", ":", "w", "q", "Enter"}))
	if res := finish(t, p, r); !res.Outcome.OK() || !res.FullScreen {
		t.Errorf("result %+v", res)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "é\nab\n" {
		t.Errorf("file %q, %v", text, err)
	}
	if res := run(t, p, "echo next"); res.Text != "next\n" || p.Screen().Alternate {
		t.Errorf("after vim: %+v", res)
	}
}
