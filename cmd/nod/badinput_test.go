package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withPrograms gives nod a PATH in which only the named programs are.
func (w *world) withPrograms(names ...string) {
	w.t.Helper()
	dir := filepath.Join(w.home, "path")
	if err := os.Mkdir(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			w.t.Fatal(err)
		}
	}
	w.extra = append(w.extra, "PATH="+dir)
}

// Without tmux the console opens, says so, and commands run in a pane all the
// same.
func TestConsoleWithoutTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withPrograms("sh", "bash", "cat", "stty", "uname")
	s := w.console(120, 40)
	s.see("tmux is not installed", "apt-get install tmux")
	s.typed("run `uname -s`")
	s.press("Enter")
	s.see("✓ ", "$  uname -s") // the pane, too
	quit(s)
}

func TestRunInAPaneWithoutTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withPrograms("sh", "bash", "cat", "stty")
	for _, c := range []struct {
		args           []string
		stdout, stderr string
		status         int
	}{
		{[]string{"--json", "--", "printf abc; false"}, `"pane":"%1","outcome":"exited","exit_code":1,"stdout":"abc"`, "", 1},
		{[]string{"--", "printf abc; (exit 7)"}, "abc", "", 7},
	} {
		stdout, stderr, status := w.do(append([]string{"run", "--dangerously-approve-all", "--pane"}, c.args...)...)
		if !strings.Contains(stdout, c.stdout) || stderr != c.stderr || status != c.status {
			t.Errorf("%q: %q, %q, status %d", c.args, stdout, stderr, status)
		}
	}
	stdout, stderr, status := w.do("run", "--pane=build", "--", "true")
	if stdout != "" || !strings.Contains(stderr, "tmux is not installed") || status != 125 {
		t.Errorf("a pane to keep: %q, %q, status %d", stdout, stderr, status)
	}
}

func TestConsoleWithAnOldTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withPrograms("sh", "bash", "cat", "uname")
	w.write("path/tmux", "#!/bin/sh\necho tmux 2.8\n", 0o700)
	s := w.console(120, 40)
	s.see(`tmux too old: "2.8"`)
	quit(s)
}

// A model that cannot be reached, or talks rubbish, is one sentence with what
// to do; the console goes on.
func TestConsoleWithABrokenModel(t *testing.T) {
	t.Parallel()
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>please log in</html>"))
	}))
	defer portal.Close()
	for _, model := range []struct{ name, url, want string }{
		{"refused", "http://127.0.0.1:1/v1", "127.0.0.1:1"},
		{"html", portal.URL + "/v1", "text/html"},
	} {
		t.Run(model.name, func(t *testing.T) {
			w := newWorld(t)
			w.extra = []string{"NOD_BASE_URL=" + model.url, "NOD_MODEL=m"}
			s := w.console(120, 40)
			s.see("F1")
			s.typed("hello")
			s.press("Enter")
			s.see(model.want)
			s.see("ready$")
			quit(s)
		})
	}
}

// A configuration that cannot be read keeps the screen shut.
func TestConsoleWithABrokenConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".config/nod/config.toml", "[display]\nthem = \"dark\"\n", 0o600)
	s := w.console(200, 40)
	s.see("config.toml:2")
	if status := s.ended(); status != "125" {
		t.Errorf("exit status %s", status)
	}
}
