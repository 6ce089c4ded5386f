package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// The console works in the terminal that the operator has open beside it, and
// leaves it as it was.
func TestTheConsoleWorksInAPaneThatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := openDisplay(t, 120, 40, w.env(), "sh")
	args := append([]string{"split-window", "-v", "-d", "-P", "-F", "#{pane_id}", "-l", "10", "env", "-i"}, w.env()...)
	id := s.tmux(append(args, "TERM=screen-256color", "PATH=/usr/bin:/bin", "bash")...)
	s.typed(w.nod + " --tmux-socket " + s.socket + " --pane " + id + "; echo \"[ended $?]\"")
	s.press("Enter")
	s.see("ready$", "shared")
	s.typed("run `uname -s`")
	s.press("Enter")
	s.see("✓ ")
	if text := s.tmux("capture-pane", "-p", "-t", id); !strings.Contains(text, "uname -s") || !strings.Contains(text, "Linux") {
		t.Errorf("the operator's pane shows\n%s", text)
	}
	s.see("nothing running")
	s.press("C-d")
	s.see("[ended 0]")
	s.tmux("send-keys", "-t", id, "clear; declare -p PS0 PROMPT_COMMAND; compgen -A function | grep -c nod; echo PS1=\"<$PS1>\"", "Enter")
	eventually(t, "his shell's own state", func() bool {
		return strings.Contains(s.tmux("capture-pane", "-p", "-t", id), "PS1=<ready$ >")
	})
	text := s.tmux("capture-pane", "-p", "-t", id)
	if !strings.Contains(text, "PS0: not found") || !strings.Contains(text, "PROMPT_COMMAND: not found") || !strings.Contains(text, "\n0\n") {
		t.Errorf("his shell's state is\n%s", text)
	}
	own := strconv.Itoa(s.control.cmd.Process.Pid)
	if clients, buffers := s.tmux("list-clients", "-F", "#{client_pid}"), s.tmux("list-buffers"); clients != own || buffers != "" {
		t.Errorf("left: clients %s (the story's is %s), buffers %s", clients, own, buffers)
	}
}

func TestWhichPaneIsMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		args, env []string
		says      string
	}{
		{[]string{"run", "--pane=%3", "--", "true"}, []string{"TMUX=/tmp/x,1,0", "TMUX_PANE=%3"}, "nod itself runs; make another one"},
		{[]string{"ask", "--pane=%3", "hi"}, []string{"TMUX=/tmp/x,1,0", "TMUX_PANE=%3"}, "nod itself runs; make another one"},
		{[]string{"ask", "--pane=3", "hi"}, []string{"TMUX=/tmp/x,1,0"}, `--pane "3": want the id of a pane`},
		{[]string{"run", "--pane=%3", "--tmux-socket", w.home + "/none", "--", "true"}, []string{"TMUX=/tmp/x,1,0", "TMUX_PANE=%3"}, `no such pane: "%3"; there is none on this server`},
		{[]string{"run", "--config", "/dev/null", "--pane=%3", "--", "true"}, nil, "of which tmux server?"},
	} {
		w.extra = c.env
		if _, errs, status := w.do(c.args...); status != process.StatusFailed || !strings.Contains(errs, c.says) {
			t.Errorf("nod %q: status %d, %q, want %q", c.args, status, errs, c.says)
		}
	}
}
