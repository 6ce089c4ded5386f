package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

// oldEngine is an engine of a time before there was what nod needs. No such
// engine runs on any machine of today, so this is a server that says what one
// says.
func oldEngine(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", "1.30")
		w.WriteHeader(http.StatusOK)
	}))
	t.Cleanup(s.Close)
	return "tcp://" + strings.TrimPrefix(s.URL, "http://")
}

// Whatever is wrong with an engine: one sentence that says what, and what to do.
func TestEnginesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  string
		says []string
	}{
		"none":              {"DOCKER_HOST=unix:///nowhere/docker.sock", []string{"/nowhere/docker.sock", "no engine answers", "systemctl start docker", "DOCKER_HOST"}},
		"no such context":   {"DOCKER_CONTEXT=nope", []string{"no such context", `"nope"`, "DOCKER_CONTEXT", "docker context ls"}},
		"too old":           {"DOCKER_HOST=" + oldEngine(t), []string{"too old", "1.30", "1.40", "upgrade the engine"}},
		"nobody listens":    {"DOCKER_HOST=tcp://127.0.0.1:1", []string{"no engine answers", "check the address"}},
		"a strange address": {"DOCKER_HOST=docker.example", []string{"docker.example", "unable to parse", "unix:///PATH"}},
		"ssh":               {"DOCKER_HOST=ssh://nowhere.invalid", []string{"nowhere.invalid", "resolve"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.extra = append(w.extra, c.env)
			w.refuses(c.says, "run", "-t", "docker:api", "--", "true")
		})
	}
	t.Run("no permission", func(t *testing.T) {
		_, engine := containers(t)
		home, err := os.MkdirTemp("/tmp", "nod-other-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(home) })
		if err := os.Chmod(home, 0o777); err != nil { //nolint:gosec // another user's home
			t.Fatal(err)
		}
		nod := filepath.Join(home, "nod")
		data, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		backendtest.WriteProgram(t, nod, string(data))
		if err := os.Chmod(nod, 0o755); err != nil { //nolint:gosec // for another user
			t.Fatal(err)
		}
		cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", nod, "run", "-t", "docker:api", "--", "true")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "NOD_TEST_MAIN=1", detector(), "DOCKER_HOST=unix://" + engine.Socket}
		out, err := cmd.CombinedOutput()
		for _, want := range []string{"this user may not use the engine", "usermod -aG docker"} {
			if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "\n") != 1 {
				t.Errorf("%v: no %q in %q", err, want, out)
			}
		}
	})
}

// Whatever is wrong with a container, likewise.
func TestContainersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	stopped := engine.Container(t, enginetest.Busybox)
	engine.Do(t, "stop", "-t", "0", stopped)
	paused := engine.Container(t, enginetest.Busybox)
	engine.Pause(t, paused)
	t.Cleanup(func() { engine.Do(t, "unpause", paused) })
	again := engine.Container(t, "--restart", "always", enginetest.Busybox, "false")
	nobody := engine.Container(t, "--user", "user", enginetest.Busybox)
	engine.Do(t, "exec", "--user", "0", nobody, "sh", "-c", "echo root:x:0:0:root:/root:/bin/sh >/etc/passwd")
	t.Cleanup(func() { engine.Do(t, "rm", "-f", again) })
	for name, c := range map[string]struct {
		target string
		says   []string
	}{
		"none":       {"docker:nowhere", []string{"no such container", `"nowhere"`, "docker ps -a"}},
		"no name":    {"docker:", []string{"names no container", "docker:NAME"}},
		"stopped":    {"docker:" + stopped, []string{"does not run", "exited 137", "docker start " + stopped}},
		"paused":     {"docker:" + paused, []string{"is paused", "docker unpause " + paused}},
		"restarting": {"docker:" + again, []string{"restarting", "docker logs " + again}},
		"no user":    {"docker:" + nobody, []string{nobody, "starts no program", "unable to find user", "make it anew"}},
		"no shell":   {"docker:" + engine.Container(t, enginetest.Bare), []string{"has no shell", "docker run --pid container:NAME"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pane := range []string{"--json=false", "--pane"} {
				w.refuses(c.says, "run", "--dangerously-approve-all", pane, "-t", c.target, "--", "true")
			}
		})
	}
}

// A container with little is worked in with what there is, and what is lesser is
// said.
func TestContainersWithLittle(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	bare := engine.Container(t, "--read-only", enginetest.Debian)
	other := engine.Container(t, "--user", "1000:1000", "--workdir", "/", enginetest.Busybox)
	for name, c := range map[string]struct {
		target, command, stdout string
		status                  int
	}{
		"nothing writable":           {"docker:" + bare, "touch /x; touch /tmp/x; echo $?", "", 0},
		"another user":               {"docker:" + other, "id -u", "1000\n", 0},
		"another user has no rights": {"docker:" + other, "echo x >/etc/x", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pane := range []bool{false, true} {
				got, status := w.runs(c.target, pane, c.command)
				all := got.Stdout + got.Stderr
				if status != c.status || got.Outcome != "exited" || c.stdout != "" && got.Stdout != c.stdout {
					t.Errorf("pane %v: status %d, %s, %q", pane, status, got.Outcome, all)
				}
				if name == "nothing writable" && (strings.Count(all, "Read-only file system") != 2 || !strings.Contains(all, "1\n")) {
					t.Errorf("pane %v: %q", pane, all)
				}
			}
		})
	}
	// Without a folder for its socket there is no tmux: the pane is nod's own.
	s := w.console(120, 40, "docker:"+bare)
	s.see("docker:"+bare, "# ", "do not survive nod")
	quit(s)
}
