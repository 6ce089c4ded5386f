package ssh_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
)

// An operator's own ssh in a pane of this machine is a shell inside its shell. What runs
// there when the link is lost has no known outcome, and ssh has its own: 255.
func TestASecondHostInsideAPane(t *testing.T) {
	w := newWorld(t)
	k := w.keeper(local.New([]string{"HOME=" + w.home, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "SHELL=/bin/bash"}))
	p, err := k.Shared(w.context())
	if err != nil {
		t.Fatal(err)
	}
	login := "ssh -F " + w.path("config") + " box"
	give := func(command string, inside ...string) *pane.Run {
		t.Helper()
		until(t, "the shell", func() bool { return slices.Equal(p.Inside(), inside) })
		r, err := p.Run(w.context(), pane.Request{Command: command, Inside: inside})
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, p.Screen())
		}
		return r
	}
	ended := func(r *pane.Run) pane.Result {
		t.Helper()
		select {
		case <-r.Done():
		case <-time.After(patience):
			t.Fatalf("%q did not end\n%s", r.Command, p.Screen())
		}
		return r.Result()
	}
	outer := give(login)
	if res := ended(give("echo there; sh -c 'exit 4'", login)); res.Text != "there\n" || res.Outcome != backends.ExitedWith(4) {
		t.Errorf("over there: %+v", res)
	}
	sleeping := give("sleep 1000", login)
	until(t, "its start", func() bool { return sleeping.Result().Executed })
	w.sshd.HangUp()
	if res := ended(sleeping); res.Outcome.State != backends.Unknown {
		t.Errorf("what ran there: %+v", res)
	}
	if res := ended(outer); res.Outcome != backends.ExitedWith(255) {
		t.Errorf("the login: %+v", res)
	}
	if res := ended(give("echo here")); res.Text != "here\n" {
		t.Errorf("here: %+v", res)
	}
}
