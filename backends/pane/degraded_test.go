package pane_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/tmux"
)

// wedgeable is a rig whose tmux says nothing in control mode while a file is
// there, as some builds do, and does all else. It returns the file.
func wedgeable(t testing.TB) (*rig, string) {
	t.Helper()
	r := newRig(t, "bash")
	real, err := exec.LookPath("tmux")
	must(t, err)
	dir := backendtest.Home(t)
	wedge := filepath.Join(dir, "wedge")
	// What control mode says goes through a program that can be stopped.
	script := `#!/bin/sh
case " $* " in *no-output*) ;; *" -C attach-session "*)
	if [ -e WEDGE ]; then exec sleep 1000; fi
	REAL "$@" | sh -c 'echo $$ >WEDGE.relay; exec cat'
	exit
esac
exec REAL "$@"
`
	script = strings.NewReplacer("WEDGE", wedge, "REAL", real).Replace(script)
	backendtest.WriteProgram(t, filepath.Join(dir, "tmux"), script)
	r.target = local.New([]string{"HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH"), "SHELL=/bin/bash", "LC_ALL=C.UTF-8"})
	t.Cleanup(func() {
		if err := r.target.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, wedge
}

func TestWithoutControlModeAPaneIsSeenAndTypedAt(t *testing.T) {
	t.Parallel()
	r, wedge := wedgeable(t)
	must(t, os.WriteFile(wedge, nil, 0o600))
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	if err := p.Degraded(); !errors.Is(err, tmux.ErrNoControl) {
		t.Errorf("degraded: %v", err)
	}
	if _, err := p.Run(t.Context(), pane.Request{Command: "echo hi"}); !errors.Is(err, tmux.ErrNoControl) {
		t.Errorf("run: %v", err)
	}
	must(t, p.Type(t.Context(), []byte("echo ab$((1+1))c; printf '\\033[31mred'\r")))
	eventually(t, p, "its output", func() bool { return strings.Contains(p.Screen().String(), "\nab2c\nred") })
	must(t, p.Keys(t.Context(), []string{"C-l"}))
	eventually(t, p, "a clear screen", func() bool { return !strings.Contains(p.Screen().String(), "ab2c") })

	must(t, os.Remove(wedge))
	eventually(t, p, "control mode", func() bool { return p.Degraded() == nil })
	if res := run(t, p, "echo hi; (exit 3)"); res.Text != "hi\n" || res.Outcome != backends.ExitedWith(3) {
		t.Errorf("result %+v", res)
	}
}

func TestARunSurvivesThatControlModeFallsSilent(t *testing.T) {
	t.Parallel()
	r, wedge := wedgeable(t)
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	done := filepath.Join(t.TempDir(), "done")
	active := start(t, p, pane.Request{Command: "echo begun; until [ -e " + done + " ]; do sleep 0.1; done; echo end; (exit 7)"})
	eventually(t, p, "the command", func() bool { return strings.Contains(active.Result().Text, "begun") })
	text, err := os.ReadFile(wedge + ".relay")
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(t, err)
	must(t, os.WriteFile(wedge, nil, 0o600))
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	eventually(t, p, "the fallback", func() bool { return p.Degraded() != nil })
	must(t, os.WriteFile(done, nil, 0o600))
	if res := finish(t, p, active); res.Outcome != backends.ExitedWith(7) || !res.Incomplete {
		t.Errorf("result %+v", res)
	}
	eventually(t, p, "its last line", func() bool { return strings.Contains(p.Screen().String(), "\nend\n") })
	must(t, os.Remove(wedge))
	eventually(t, p, "control mode", func() bool { return p.Degraded() == nil })
	if res := run(t, p, "echo hi"); res.Text != "hi\n" {
		t.Errorf("result %+v", res)
	}
}
