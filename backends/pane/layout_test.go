package pane_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// What the operator does with the windows of nod's own session changes neither
// what is shown nor where commands go.
func TestTheOperatorMayRearrangeNodsSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	check := func(what string) {
		t.Helper()
		if res := run(t, p, "echo "+what); res.Text != what+"\n" {
			t.Errorf("result %+v", res)
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		eventually(t, p, "tmux's screen after "+what, func() bool {
			return strings.TrimSpace(p.Screen().String()) == strings.TrimSpace(r.tmux(t, "capture-pane", "-p", "-t", p.ID()))
		})
		if all := k.List(); len(all) != 1 || all[0] != p {
			t.Errorf("panes after %s: %v", what, all)
		}
	}
	other := r.tmux(t, "split-window", "-h", "-t", p.ID(), "-P", "-F", "#{pane_id}", "cat")
	check("split")
	r.tmux(t, "detach-client", "-s", "nod-test-main")
	check("connected-again")
	r.tmux(t, "resize-pane", "-Z", "-t", other)
	check("zoomed-away")
	r.tmux(t, "resize-pane", "-Z", "-t", other)
	r.tmux(t, "set-option", "-w", "-t", p.ID(), "synchronize-panes", "on")
	check("synchronized")
	r.tmux(t, "send-keys", "-t", other, "x")
	r.until(t, other, "x")
	check("nothing-taken") // not even what the other pane gives
	if text := r.tmux(t, "capture-pane", "-p", "-t", other); strings.TrimSpace(text) != "x" {
		t.Errorf("the other pane shows %q", text)
	}
	r.tmux(t, "rename-window", "-t", p.ID(), "mine")
	r.tmux(t, "rename-session", "-t", "nod-test-main", "mine")
	check("renamed")
	eventually(t, p, "the new name", func() bool { return strings.Contains(p.Attach(), "mine") })
	r.tmux(t, "break-pane", "-d", "-s", p.ID())
	check("broken-out")
	r.tmux(t, "kill-pane", "-t", other)
	check("window-gone")
	if again, err := k.Shared(t.Context()); err != nil || again != p {
		t.Errorf("shared: %v, %v", again, err)
	}
	r.tmux(t, "new-session", "-d", "-s", "theirs", "-x", "60", "-y", "12", "cat")
	id := p.ID()
	more, err := k.CreatePane(t.Context(), "", "more") // keeps the session when the other pane goes
	must(t, err)
	r.tmux(t, "join-pane", "-d", "-s", id, "-t", "theirs:")
	eventually(t, more, "the pane to be let go", func() bool {
		_, err := p.Run(t.Context(), pane.Request{Command: "echo hi"})
		return errors.Is(err, pane.ErrEnded)
	})
	must(t, k.Close())
	if panes := r.tmux(t, "list-panes", "-a", "-F", "#{session_name} #{pane_id}"); !strings.Contains(panes, "theirs "+id) || strings.Contains(panes, "mine") {
		t.Errorf("panes %q", panes)
	}
	r.tmux(t, "kill-server")
}

// hostile are options with which an operator's server makes it hard.
var hostile = []string{
	"set -g remain-on-exit off", "set -g status on", "set -g base-index 1", "setw -g pane-base-index 1",
	"setw -g automatic-rename on", "set -g default-shell /bin/false", "set -g default-command 'exec false'",
	"set -g history-limit 10", "set -g destroy-unattached on", "set -s exit-unattached on", "setw -g aggressive-resize on",
	"setw -g mode-keys vi", "set -g prefix C-a", "set -s escape-time 2000", "set -s extended-keys always",
	"setw -g synchronize-panes on", "set -g set-titles on", "set -g monitor-activity on", "set -g lock-after-time 1",
	"set-hook -g after-new-window 'rename-window hooked'",
	"set-hook -g after-new-session 'rename-window hooked'",
	"set-hook -g window-linked 'display-message hooked'",
}

func TestAnOperatorsServerMayHaveAnyOptions(t *testing.T) {
	t.Parallel()
	r, _ := operator(t, "bash")
	keeper := r.tmuxClient(t) // an operator's server without anybody attached ends with exit-unattached
	for _, line := range hostile {
		file := t.TempDir() + "/line"
		writeFile(t, file, line+"\n")
		r.tmux(t, "source-file", file)
	}
	globals := func() string {
		return r.tmux(t, "show-options", "-g") + r.tmux(t, "show-options", "-gw") + r.tmux(t, "show-options", "-s") + r.tmux(t, "show-hooks", "-g")
	}
	before := globals()
	r.opt.Shell = []string{"/bin/bash"}
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	if res := run(t, p, "echo hi; (exit 3)"); res.Text != "hi\n" || res.Outcome != backends.ExitedWith(3) {
		t.Errorf("result %+v", res)
	}
	if res := run(t, p, "stty size"); res.Text != "24 80\n" {
		t.Errorf("size %q", res.Text)
	}
	if res := run(t, p, "seq 1 3000"); !strings.HasSuffix(res.Text, "2999\n3000\n") || strings.Count(res.Text, "\n") != 3000 {
		t.Errorf("%d bytes", len(res.Text))
	}
	more, err := k.CreatePane(t.Context(), "", "more")
	must(t, err)
	if res := run(t, more, "echo more"); res.Text != "more\n" {
		t.Errorf("result %+v", res)
	}
	if again, err := k.Shared(t.Context()); err != nil || again != p {
		t.Errorf("shared: %v, %v", again, err)
	}
	if res := run(t, more, "exit 4"); res.Outcome != backends.ExitedWith(4) {
		t.Errorf("result %+v", res)
	}
	own, err := k.CreateSession(t.Context(), "own")
	must(t, err)
	if res := run(t, own, "echo own"); res.Text != "own\n" {
		t.Errorf("result %+v", res)
	}
	if now := globals(); now != before {
		t.Errorf("options were\n%s\nand are\n%s", before, now)
	}
	must(t, k.Close())
	if names := r.tmux(t, "list-sessions", "-F", "#{session_name}"); names != "work" {
		t.Errorf("sessions %q", names)
	}
	keeper()
}

func TestWhoWatchesAndWhoTypes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	eventually(t, p, "the prompt", p.AtPrompt)
	if all, err := p.Watchers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("watchers %v, %v", all, err)
	}
	run(t, p, "echo hi")
	must(t, p.Type(t.Context(), []byte("echo through nod")))
	eventually(t, p, "the typed text", func() bool { return p.PendingLine() == "echo through nod" })
	must(t, p.Type(t.Context(), []byte("\r")))
	eventually(t, p, "the prompt", func() bool { return p.AtPrompt() && p.PendingLine() == "" })
	if at := p.OperatorTyped(); !at.IsZero() {
		t.Errorf("somebody typed at %v", at)
	}

	// The operator's own terminal is a pane of another server.
	detach := r.attach(t, p, 100, 30)
	var all []pane.Watcher
	eventually(t, p, "a watcher", func() bool {
		all, err = p.Watchers(t.Context())
		must(t, err)
		return len(all) == 1 && all[0].Size == (backends.Size{Cols: 100, Rows: 30})
	})
	if !all[0].Here || time.Since(all[0].Active) > time.Minute {
		t.Errorf("watchers %+v", all)
	}
	r.tmux(t, "send-keys", "-t", p.ID(), "-l", "by hand")
	eventually(t, p, "typing to be noticed", func() bool { return !p.OperatorTyped().IsZero() })
	first := p.OperatorTyped()
	r.tmux(t, "send-keys", "-t", p.ID(), "C-u")
	eventually(t, p, "an empty line", func() bool { return p.PendingLine() == "" })
	run(t, p, "true")
	r.tmux(t, "send-keys", "-t", p.ID(), "sleep 0.01", "Enter")
	eventually(t, p, "a command by hand to be noticed", func() bool { return p.OperatorTyped().After(first) })

	changed, cancel := p.Subscribe()
	defer cancel()
	detach()
	for limit := time.After(patience); ; {
		all, err := p.Watchers(t.Context())
		must(t, err)
		if len(all) == 0 {
			break
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("watchers %+v", all)
		}
	}
}

// Also the very first thing that is typed.
func TestTheFirstCommandByHandIsNoticed(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r := newRig(t, shell)
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		eventually(t, p, "the prompt", p.AtPrompt)
		if at := p.OperatorTyped(); !at.IsZero() {
			t.Errorf("somebody typed at %v", at)
		}
		r.tmux(t, "send-keys", "-t", p.ID(), "sleep 0.01", "Enter")
		eventually(t, p, "a command by hand to be noticed", func() bool { return !p.OperatorTyped().IsZero() })
	})
}

// attach opens the pane in a terminal of the operator's.
func (r *rig) attach(t testing.TB, p *pane.Pane, cols, rows int) (detach func()) {
	t.Helper()
	outer := newRig(t, "bash")
	outer.tmux(t, "new-session", "-d", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "env", "-u", "TMUX", "sh", "-c",
		"tmux -S "+r.opt.Socket+" attach -t "+r.tmux(t, "display-message", "-p", "-t", p.ID(), "'#{session_id}'"))
	return func() { outer.tmux(t, "kill-server") }
}
