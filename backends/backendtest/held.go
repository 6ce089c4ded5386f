package backendtest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
)

// held holds a command on the target: it looks as it does plain, changes nothing, keeps
// its status, and the helper is gone afterwards. A kernel that has no wall says so.
func (s suite) held(t *testing.T) {
	cage, err := confine.Install(testContext(t), s.target, "**/secret.key\n")
	var none *confine.NotHeldError
	if errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := s.folder(t)
	output(t, s.target, `echo old > "$0/old"`, dir)
	var stdout, stderr bytes.Buffer
	p := start(t, s.target, backends.Command{
		Argv:  cage.Wrap(sh(`cat; cat "$0/old"; rm "$0/old"; echo x > "$0/new"; echo no >&2 2>/dev/null; exit 7`, dir), confine.Hold{Wall: cage.Wall(), Limits: confine.Modest}),
		Stdin: strings.NewReader("in\n"), Stdout: &stdout, Stderr: &stderr,
	})
	if o := finish(t, p); o != backends.ExitedWith(7) {
		t.Errorf("outcome %s, %s", o, stderr.String())
	}
	if got := stdout.String(); got != "in\nold\n" {
		t.Errorf("%q, %q", got, stderr.String())
	}
	if got := output(t, s.target, `ls "$0"`, dir); got != "old\n" {
		t.Errorf("afterwards there is %q", got)
	}
	p = start(t, s.target, backends.Command{Argv: cage.Wrap(sh("kill -9 $$"), confine.Hold{Wall: cage.Wall()})})
	if o := s.finishSignalled(t, p); cage.Wall() == confine.Landlock && o != s.endedBy(backends.KILL) {
		t.Errorf("a signal: %s", o)
	}
	prefix := cage.Prefix("")
	if err := cage.Remove(context.Background(), s.target); err != nil {
		t.Error(err)
	}
	if got := output(t, s.target, `test ! -e "$0" && echo gone`, strings.TrimSuffix(prefix, " ")); got != "gone\n" {
		t.Errorf("the helper is left behind: %q", got)
	}
}
