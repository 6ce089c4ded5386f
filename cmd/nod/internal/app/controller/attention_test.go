package controller

import (
	"testing"
	"time"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
)

// A host is attended to while a pane of it is in view, and glanced at while an overview is.
func TestWhatIsInView(t *testing.T) {
	a := newAttention()
	one, other := &targets.Target{}, &targets.Target{}
	for i, step := range []struct {
		do             func()
		shown, glanced bool
	}{
		{func() {}, false, false},
		{func() { a.show(other, true) }, false, false},
		{func() { a.show(one, true) }, true, false},
		{func() { a.show(one, true) }, true, false}, // another pane of it
		{func() { a.tile(1) }, true, true},
		{func() { a.show(one, false) }, true, true},
		{func() { a.show(one, false) }, false, true},
		{func() { a.tile(-1) }, false, false},
	} {
		step.do()
		if shown, glanced := a.inView(one); shown != step.shown || glanced != step.glanced {
			t.Errorf("step %d: shown %t, glanced at %t", i, shown, glanced)
		}
	}
	select {
	case <-a.wake:
	default:
		t.Error("nobody is woken")
	}
}

func TestAConnectionRestsAfterAWhile(t *testing.T) {
	for _, c := range []struct {
		quiet   time.Duration
		glanced bool
		want    ssh.Use
	}{{0, false, ssh.InUse}, {restAfter - 1, true, ssh.InUse}, {restAfter, true, ssh.Glanced}, {restAfter, false, ssh.AtRest}} {
		if got := useOf(c.quiet, c.glanced); got != c.want {
			t.Errorf("%s, glanced at %t: %d, want %d", c.quiet, c.glanced, got, c.want)
		}
	}
}
