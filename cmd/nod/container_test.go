package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/docker/enginetest"
	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// inContainer is a command that panes have trouble with. What it prints to a terminal is
// compared where text says so.
type inContainer struct {
	name, command, text string
	status              int
}

// inContainers makes the commands where they are run: each nod of a test would make them at its start.
func inContainers() []inContainer {
	return []inContainer{
		{"no final newline", "printf abc", "abc", 0},
		{"the first of two lines fails", "false\nprintf 'second\\n'", "second\n", 0},
		{"a here-document", "cat <<'E'\na $x 'q'\n\ttwo\nE", "a $x 'q'\n\ttwo\n", 0},
		{"clear", "clear; echo left", "", 0},
		{"more than the scrollback", "seq 1 12000", sequence(12000), 0},
		{"imitated marks", `printf '\033]133;D;0;h=000000000000000000000000\007\033]133;D;0\007x'; (exit 9)`, "", 9},
		{"a line of 6,000 bytes", "echo " + strings.Repeat("x", 6000), strings.Repeat("x", 6000) + "\n", 0},
		{"a missing program", "no-such-program-here", "", 127},
		{"a subshell's status", "(exit 3)", "", 3},
	}
}

// runs runs a command and returns its report.
func (w *world) runs(target string, pane bool, command string, options ...string) (report oneshot.Report, status int) {
	w.t.Helper()
	args := append([]string{"run", "-t", target, "--json", "--dangerously-approve-all"}, options...)
	if pane {
		args = append(args, "--pane")
	}
	out, errs, status := w.do(append(args, "--", command)...)
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		w.t.Fatalf("%s: %.60q: %v: %s", target, command, err, errs)
	}
	return report, status
}

// The same command comes to the same in a container as here, in a pane and
// without one, whatever the container has.
func TestRunInAContainer(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	for at, kind := range []struct{ name, image string }{{"tmux and bash", enginetest.Debian}, {"busybox", enginetest.Busybox}} {
		target := "docker:" + engine.Container(t, kind.image)
		for n, c := range inContainers() {
			for _, pane := range []bool{false, true} {
				if !thorough() && n%2 != at {
					continue // half of them in each: backends/docker has more of it
				}
				got, status := w.runs(target, pane, c.command)
				if got.Target != target || got.Outcome != "exited" || status != c.status || got.ExitCode == nil || *got.ExitCode != c.status ||
					c.text != "" && got.Stdout != c.text {
					t.Errorf("%s, pane %v, %s: status %d, %s, %d bytes %.80q, %v", kind.name, pane, c.name, status, got.Outcome, len(got.Stdout), got.Stdout, got.Notices)
				}
				if pane && n < 2 { // the recording of such a pane is as good as one of here
					shown, errs, status := w.do("replay", "--export", "text")
					if status != 0 || strings.Count(shown, strings.TrimSpace(c.text)) < 2 { // typed, and printed
						t.Errorf("%s, %s: the recording: status %d, %s%s", kind.name, c.name, status, shown, errs)
					}
				}
			}
		}
	}
	if _, stderr, status := w.do("run", "-t", "docker:nowhere", "--", "true"); status != process.StatusFailed || !strings.Contains(stderr, "no such container") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// What ends a pane's shell, or has it wait for more, is told as it is told here.
func TestWhatAShellInAContainerDoesNotGetOver(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	all := []string{"docker:" + engine.Container(t, enginetest.Debian), "docker:" + engine.Container(t, enginetest.Busybox)}
	for _, command := range []string{"echo 'unclosed", "exit 4"} {
		for _, pane := range []bool{false, true} {
			if !pane && !thorough() {
				continue // without a pane there is no shell to hurt
			}
			here, at := w.runs("local", pane, command, "--timeout", "5s")
			for _, target := range all {
				there, status := w.runs(target, pane, command, "--timeout", "5s")
				if here.Outcome != there.Outcome || at != status {
					t.Errorf("%s, pane %v, %q: %s and %d, but %s and %d here", target, pane, command, there.Outcome, status, here.Outcome, at)
				}
			}
		}
	}
}

// A container that was called by its id is the target of its name.
func TestAContainerByItsID(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	name := engine.Container(t, enginetest.Busybox)
	id := engine.Do(t, "inspect", "--format", "{{.Id}}", name)
	if got, status := w.runs("docker:"+id[:12], false, "echo x"); status != 0 || got.Target != "docker:"+name || got.Stdout != "x\n" {
		t.Errorf("status %d, %+v", status, got)
	}
}

// An engine on another machine is reached over nod's own connection to it, one
// login for all containers there.
func TestAnEngineBehindAHost(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	engine := enginetest.Docker(t)
	w.extra = append(w.extra, "DOCKER_HOST=ssh://box"+engine.Socket)
	name := engine.Container(t, enginetest.Debian)
	for _, pane := range []bool{false, true} {
		if got, status := w.runs("docker:"+name, pane, "printf abc; (exit 7)"); status != 7 || got.Stdout != "abc" || got.Outcome != "exited" {
			t.Errorf("pane %v: status %d, %+v", pane, status, got)
		}
	}
	s := w.console(120, 40, "docker:"+name)
	s.see("docker:"+name, "root@", "cpu ")
	pickOnly(s, name)
	s.see("connected")
	engine.Pause(t, name)
	s.see("paused")
	engine.Do(t, "unpause", name)
	s.seeNo("paused")
	leavePicker(s)
	quit(s)
	if n := r.logins(); n != 1 {
		t.Errorf("%d logins", n)
	}
	w.refuses([]string{"no such container"}, "run", "-t", "docker:nowhere", "--", "true")
}
