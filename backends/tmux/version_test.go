package tmux_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// later are the ways to say what older tmux would not understand.
var later = []struct {
	since tmux.Version
	said  *regexp.Regexp
}{
	{tmux.Version{Major: 3, Minor: 1}, regexp.MustCompile(`capture-pane.* -N\b`)},
	{tmux.Version{Major: 3, Minor: 2}, regexp.MustCompile(`attach-session.* -f `)},
	{tmux.Version{Major: 3, Minor: 2}, regexp.MustCompile(`copy-mode -q`)},
	{tmux.Version{Major: 3, Minor: 2}, regexp.MustCompile(`refresh-client -A`)},
	{tmux.Version{Major: 3, Minor: 2}, regexp.MustCompile(`-p .*synchronize-panes`)},
	{tmux.Version{Major: 3, Minor: 7}, regexp.MustCompile(`refresh-client -B`)},
}

// claiming is a target whose tmux says that it is another release. What it is
// asked for goes to a log.
func claiming(t *testing.T, release string) (backends.Target, string) {
	t.Helper()
	target, dir := wrapping(t, `#!/bin/sh
if [ "$1" = -V ]; then echo "tmux `+release+`"; exit; fi
echo "$@" >>DIR/log
case " $* " in *" -C attach-session "*) tee -a DIR/log | REAL "$@"; exit;; esac
exec REAL "$@"
`)
	return target, filepath.Join(dir, "log")
}

// wrapping is a target whose tmux is a script: REAL in it is the real tmux, and
// DIR a folder, which is returned, too.
func wrapping(t *testing.T, script string) (backends.Target, string) {
	t.Helper()
	need(t, "tmux")
	real, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script = strings.NewReplacer("DIR", dir, "REAL", real).Replace(script)
	backendtest.WriteProgram(t, filepath.Join(dir, "tmux"), script)
	target := local.New(append(home(t), "PATH="+dir+":"+os.Getenv("PATH")))
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return target, dir
}

func TestEachReleaseIsAskedOnlyForWhatItHas(t *testing.T) {
	for release, want := range map[string]tmux.Version{
		"3.0a": {Major: 3}, "3.1c": {Major: 3, Minor: 1}, "3.2": {Major: 3, Minor: 2}, "3.3a": {Major: 3, Minor: 3},
		"next-3.5": {Major: 3, Minor: 5}, "3.7": {Major: 3, Minor: 7}, "master": {Major: 99}, "openbsd-7.5": {Major: 99},
	} {
		t.Run(release, func(t *testing.T) {
			target, log := claiming(t, release)
			s := onSocket(t, target)
			if s.Version() != want {
				t.Errorf("version %v, want %v", s.Version(), want)
			}
			pane, c, r := create(t, s, "nod-t-release", "sh", "-c", "stty raw -echo; printf ready; cat")
			shows(t, s, pane.ID, "ready")
			if _, err := s.Run(t.Context(), "copy-mode", "-t", pane.ID); err != nil {
				t.Fatal(err)
			}
			c.Type(pane.ID, []byte("typed"), nil)
			r.until(t, "the echo", func() bool { return strings.HasSuffix(string(r.output[pane.ID]), "typed") })
			seeded := make(chan error, 1)
			c.Seed(pane.ID, true, func(_ vt.Seed, err error) { seeded <- err })
			if err := <-seeded; err != nil {
				t.Error(err)
			}
			if all, err := c.Watchers(t.Context(), pane.ID); err != nil || len(all) != 0 {
				t.Errorf("watchers %v, %v", all, err)
			}
			if err := s.Kill(t.Context(), "nod-t-release"); err != nil {
				t.Error(err)
			}
			said, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range later {
				found, has := l.said.Find(said), want.AtLeast(l.since.Major, l.since.Minor)
				always := !strings.Contains(l.said.String(), "refresh") // which needs an occasion
				if found != nil && !has || found == nil && has && always {
					t.Errorf("%s from %v: said %q", l.said, l.since, found)
				}
			}
		})
	}
}

func TestAReleaseThatIsTooOld(t *testing.T) {
	target, _ := claiming(t, "2.9a")
	var old *tmux.TooOldError
	if _, err := tmux.Open(t.Context(), target, tmux.Options{}); !errors.As(err, &old) || old.Version != "2.9a" {
		t.Errorf("error %v", err)
	}
}
