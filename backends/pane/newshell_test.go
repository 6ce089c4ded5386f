package pane_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/pane"
)

func TestAFreshShellComesUpByItself(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r := newRig(t, shell)
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		run(t, p, "echo of be''fore")
		was, id := p.Generation(), p.ID()
		must(t, p.Type(t.Context(), []byte("exit 7\r")))
		eventually(t, p, "a fresh shell", func() bool { return p.ID() != id && p.AtPrompt() })
		if p.Generation() == was {
			t.Error("the fresh shell passes for the old one")
		}
		eventually(t, p, "what the old one showed", func() bool {
			return strings.Contains(p.Screen().String(), "\nof before\n")
		})
		if got := r.tmux(t, "capture-pane", "-p", "-S", "-", "-t", p.ID()); !strings.Contains(got, "\nof before\n") {
			t.Errorf("the operator sees %q", got)
		}
		eventually(t, p, "the end of all buffers", func() bool { return r.tmux(t, "list-buffers") == "" })
		var changed *pane.ChangedError
		if _, err := p.Run(t.Context(), pane.Request{Command: "echo hi", Generation: was}); !errors.As(err, &changed) {
			t.Errorf("a command for the old shell: %v", err)
		}
		res := finish(t, p, start(t, p, pane.Request{Command: "echo hi", Generation: p.Generation()}))
		if res.Text != "hi\n" || len(res.Notices) != 1 || !strings.Contains(res.Notices[0], "fresh") || !strings.Contains(res.Notices[0], "7") {
			t.Errorf("%+v", res)
		}
		if res := run(t, p, "echo hi"); len(res.Notices) != 0 {
			t.Errorf("told twice: %+v", res)
		}
	})
}

// A shell whose end shows in nothing that it or the terminal writes.
func TestAShellThatEndsWithoutAWordIsReplaced(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		pid, err := strconv.Atoi(strings.TrimSpace(run(t, p, in(shell, "echo $$", "echo $fish_pid")).Text))
		must(t, err)
		eventually(t, p, "the prompt", p.AtPrompt)
		time.Sleep(300 * time.Millisecond) // so that nobody looks any more; were it too short, this would try less
		was := p.Generation()
		must(t, syscall.Kill(pid, syscall.SIGKILL))
		eventually(t, p, "a fresh shell", func() bool { return p.Generation() != was && p.AtPrompt() })
	})
}

func TestAShellThatEndsAtOnceIsNotStartedAgainAndAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "dash")
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := filepath.Join(dir, "sh")
	backendtest.WriteProgram(t, script, "#!/bin/sh\necho >>"+log+"\n[ -e "+dir+"/good ] && exec dash\nexit 3\n")
	r.opt.Shell = []string{script}
	must(t, os.WriteFile(dir+"/good", nil, 0o600))
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	must(t, os.Remove(dir+"/good"))
	started := func() int {
		text, err := os.ReadFile(log)
		must(t, err)
		return len(text)
	}
	must(t, p.Type(t.Context(), []byte("exit\r")))
	eventually(t, p, "the first tries", func() bool { return started() >= 3 })
	begin, n := time.Now(), started()
	var slow *pane.NotReadyError
	if _, err := p.Run(t.Context(), pane.Request{Command: "true"}); !errors.As(err, &slow) {
		t.Errorf("a run in a shell that ends at once: %v", err)
	}
	time.Sleep(time.Second)
	more := started() - n
	if took := time.Since(begin); more > 4+int(took/(4*time.Second)) { // a slow machine takes longer over it
		t.Errorf("started %d times in %v", more, took)
	}
	must(t, os.WriteFile(dir+"/good", nil, 0o600))
	if res := run(t, p, "echo hi"); res.Text != "hi\n" {
		t.Errorf("%+v", res)
	}
}

func TestCommandsAreCounted(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		run(t, p, "true")
		before := p.Commands()
		run(t, p, "true")
		if got := p.Commands() - before; got != 1 {
			t.Errorf("%d for a run", got)
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		before = p.Commands()
		must(t, p.Type(t.Context(), []byte("true\r")))
		eventually(t, p, "the count", func() bool { return p.Commands() == before+1 })
	})
}
