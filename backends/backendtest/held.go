package backendtest

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
)

// held holds a command on the target: it looks as it does plain, changes nothing, keeps
// its status, and the helper is gone afterwards, or stays with the connection. A kernel that has no wall says so.
func (s suite) held(t *testing.T) {
	cage, err := confine.Install(testContext(t), s.target, "**/secret.key\n")
	var none *confine.NotHeldError
	if errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	walls := []confine.Wall{cage.Wall()}
	if looks := cage.For("P"); looks != confine.None && looks != cage.Wall() {
		walls = append(walls, looks)
	}
	for _, wall := range walls {
		t.Run(wall.String(), func(t *testing.T) { s.behind(t, cage, wall) })
	}
	p := start(t, s.target, backends.Command{Argv: cage.Wrap(sh("kill -9 $$"), confine.Hold{Wall: cage.Wall()})})
	if o := s.finishSignalled(t, p); cage.Wall() == confine.Landlock && o != s.endedBy(backends.KILL) {
		t.Errorf("a signal: %s", o)
	}
	folder := path.Dir(strings.TrimSuffix(cage.Prefix(""), " "))
	if err := cage.Remove(context.Background(), s.target); err != nil {
		t.Error(err)
	}
	want := "gone\n"
	if lasting, ok := s.target.(confine.Lasting); ok && lasting.AtEnd(testContext(t), nil) {
		want = "there\n" // until the connection ends
	}
	if got := output(t, s.target, `if test -e "$0"; then echo there; else echo gone; fi`, folder); got != want {
		t.Errorf("the helper is %q, not %q", got, want)
	}
}

// behind holds a command behind one wall.
func (s suite) behind(t *testing.T, cage *confine.Cage, wall confine.Wall) {
	dir := s.folder(t)
	output(t, s.target, `echo old > "$0/old"`, dir)
	var stdout, stderr bytes.Buffer
	p := start(t, s.target, backends.Command{
		Argv:  cage.Wrap(sh(`cat; cat "$0/old"; rm "$0/old"; echo x > "$0/new"; echo no >/dev/null && echo fine; exit 7`, dir), confine.Hold{Wall: wall, Limits: confine.Modest}),
		Stdin: strings.NewReader("in\n"), Stdout: &stdout, Stderr: &stderr,
	})
	if o := finish(t, p); o != backends.ExitedWith(7) {
		t.Errorf("outcome %s, %s", o, stderr.String())
	}
	if got := stdout.String(); got != "in\nold\nfine\n" {
		t.Errorf("%q, %q", got, stderr.String())
	}
	if got := output(t, s.target, `ls "$0"`, dir); got != "old\n" {
		t.Errorf("afterwards there is %q", got)
	}
	if got := confine.Refusals(stderr.String()); wall != confine.ReadOnlyMounts && !strings.Contains(got, dir) {
		t.Errorf("what was refused has no path: %q", stderr.String())
	}
}
