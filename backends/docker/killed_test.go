package docker_test

import (
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

// What runs in a container when its engine crashes has no known outcome, and nothing hangs.
// When the engine and the container are there again, so is the target.
func TestAnEngineThatIsKilled(t *testing.T) {
	e := enginetest.OwnDocker(t)
	container := e.Container(t, enginetest.Busybox)
	target := openNamed(t, e, container, docker.Options{})
	p := shared(t, keep(t, target))
	inPane := begin(t, p, "echo begun; sleep 1000")
	until(t, "the start", func() bool { return inPane.Result().Executed })
	var out buffer
	alone, err := target.Exec(limited(t), backends.Command{Argv: sh("echo up; sleep 1000; :"), Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "up")
	e.Kill()
	if o, err := alone.Wait(); o.State != backends.Unknown || err == nil {
		t.Errorf("what ran: %s, %v", o, err)
	}
	if got := result(t, p, inPane); got.Outcome.State != backends.Unknown || len(got.Notices) == 0 {
		t.Errorf("what ran in a pane: %+v", got)
	}
	if _, err := target.Exec(limited(t), backends.Command{Argv: []string{"true"}}); err == nil {
		t.Error("a program runs without an engine")
	}
	e.Restart(t)
	e.Do(t, "start", container) // the engine has ended what it found running
	until(t, "the target", func() bool {
		o, _, err := ranAgain(t, target)
		return err == nil && o == "again\n"
	})
}

// ranAgain asks a target that may not be there yet.
func ranAgain(t *testing.T, target backends.Target) (stdout string, o backends.Outcome, err error) {
	t.Helper()
	var out buffer
	p, err := target.Exec(limited(t), backends.Command{Argv: []string{"echo", "again"}, Stdout: &out})
	if err != nil {
		return "", backends.Outcome{}, err
	}
	o, err = p.Wait()
	return out.String(), o, err
}
