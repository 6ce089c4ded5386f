package pane_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// gated is a pane on a target whose control mode connection can be taken away.
func gated(t *testing.T, shell string) (*rig, *gate, *pane.Pane) {
	t.Helper()
	r := newRig(t, shell)
	g := &gate{Target: r.target}
	return r, g, r.shared(t, g)
}

// shared is the shared pane of a keeper behind a gate.
func (r *rig) shared(t *testing.T, g *gate) *pane.Pane {
	t.Helper()
	k, err := pane.Open(t.Context(), g, r.opt)
	must(t, err)
	t.Cleanup(func() { must(t, k.Close()) })
	p, err := k.Shared(t.Context())
	must(t, err)
	return p
}

// without takes the connection away and gives it back after do.
func (r *rig) without(t *testing.T, g *gate, p *pane.Pane, do func()) {
	t.Helper()
	g.shut.Store(true)
	r.cut(t)
	eventually(t, p, "the loss", func() bool { return r.tmux(t, "list-clients") == "" })
	do()
	g.shut.Store(false)
}

// byHand types a line as the operator's own terminal would, and waits until the
// screen shows what it is to show.
func (r *rig) byHand(t *testing.T, p *pane.Pane, line, shows string) {
	t.Helper()
	r.tmux(t, "send-keys", "-t", p.ID(), "-l", line)
	r.tmux(t, "send-keys", "-t", p.ID(), "Enter")
	eventually(t, p, shows, func() bool { return strings.Contains(r.tmux(t, "capture-pane", "-p", "-t", p.ID()), shows) })
}

func TestAnOutcomeIsFoundAgainBehindLaterCommands(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r, g, p := gated(t, shell)
		before := p.Commands()
		one := start(t, p, pane.Request{Command: "echo begin; read x; sh -c 'exit 7'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(one.Result().Text, "begin") })
		r.without(t, g, p, func() {
			r.byHand(t, p, "", "begin")
			for _, line := range []string{"echo on''e", "echo tw''o; false", "echo thre''e"} {
				r.byHand(t, p, line, strings.ReplaceAll(strings.Fields(line)[1], "''", "")[:3])
			}
			r.byHand(t, p, "echo la''st", "last\n") // behind the prompt, if it was typed before that
		})
		if res := finish(t, p, one); res.Outcome != backends.ExitedWith(7) || !res.Incomplete {
			t.Errorf("%+v", res)
		}
		if got := p.Commands() - before; got < 5 {
			t.Errorf("%d commands", got)
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		if res := run(t, p, "echo on"); res.Text != "on\n" || res.Incomplete {
			t.Errorf("%+v", res)
		}
	})
}

func TestACommandThatRunsByHandIsKnownAfterALoss(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r, g, p := gated(t, shell)
		r.without(t, g, p, func() { r.byHand(t, p, "sh -c 'echo up; exec sleep 100'", "\nup") })
		eventually(t, p, "the screen", func() bool { return strings.Contains(p.Screen().String(), "\nup") })
		if !slices.Contains(plainShells, shell) {
			eventually(t, p, "the command", func() bool { return !p.AtPrompt() })
		}
		r.without(t, g, p, func() {
			r.tmux(t, "send-keys", "-t", p.ID(), "C-c")
			eventually(t, p, "the prompt", func() bool {
				screen := strings.TrimRight(r.tmux(t, "capture-pane", "-p", "-t", p.ID()), " \n")
				return strings.ContainsAny(screen[len(screen)-1:], "$#%>")
			})
		})
		if res := run(t, p, "echo on"); res.Text != "on\n" || res.Incomplete {
			t.Errorf("%+v", res)
		}
	})
}

// Where the way back is closed until somebody acts, and nobody is there, who waits for a
// run is told why; also where another host may answer. Else the run waits for the operator.
// The pane is there again once the way is open.
func TestARunEndsWhereTheWayBackIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		unattended bool
		why        error
		ends       bool
	}{
		{"unattended, refused", true, backends.ErrGivenUp, true},
		{"attended, another key", false, fmt.Errorf("%w, %w", backends.ErrOtherKey, backends.ErrGivenUp), true},
		{"attended, refused", false, backends.ErrGivenUp, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "bash")
			r.opt.Unattended = c.unattended
			g := &gate{Target: r.target, why: fmt.Errorf("box lets nobody in: %w, %w", backends.ErrUnreachable, c.why)}
			p := r.shared(t, g)
			one := start(t, p, pane.Request{Command: "echo begun; read x; sh -c 'exit 7'"})
			eventually(t, p, "the beginning", func() bool { return strings.Contains(p.Screen().String(), "\nbegun") })
			r.without(t, g, p, func() {
				if c.ends {
					res := finish(t, p, one)
					if res.Outcome.State != backends.Unknown || !strings.Contains(strings.Join(res.Notices, "\n"), "box lets nobody in") {
						t.Errorf("%+v", res)
					}
				} else {
					g.refused(t, 3)
				}
				r.tmux(t, "send-keys", "-t", p.ID(), "Enter")
			})
			if res := finish(t, p, one); !c.ends && res.Outcome != backends.ExitedWith(7) {
				t.Errorf("%+v", res)
			}
			if res := run(t, p, "echo on"); res.Text != "on\n" {
				t.Errorf("%+v", res)
			}
		})
	}
}

// A command that is given while there is no connection waits for the next one,
// and runs once.
func TestACommandWaitsForALostConnection(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r, g, p := gated(t, shell)
		run(t, p, in(shell, "n=0", "set n 0"))
		g.shut.Store(true)
		r.cut(t)
		eventually(t, p, "the loss", func() bool { return r.tmux(t, "list-clients") == "" })
		got := make(chan *pane.Run, 1)
		go func() {
			one, err := p.Run(t.Context(), pane.Request{Command: in(shell, "n=$((n+1)); echo $n", "set n (math $n + 1); echo $n")})
			if err != nil {
				t.Error(err)
			}
			got <- one
		}()
		select {
		case one := <-got:
			t.Fatalf("it did not wait: %+v", one.Result())
		case <-time.After(100 * time.Millisecond): // it should take for ever
		}
		g.shut.Store(false)
		if res := finish(t, p, <-got); res.Text != "1\n" || !res.Outcome.OK() {
			t.Errorf("%+v", res)
		}
		if res := run(t, p, "echo $n"); res.Text != "1\n" {
			t.Errorf("%+v", res)
		}
	})
}

// The connection goes at any moment of commands that are given one after the
// other: each runs once, and its outcome is known.
//
// tmux's server itself may crash here, about once in a thousand losses (3.3a, measured):
// it tells a new client of the old one's end before that client's connection is set up.
// Nothing can be said of commands then; a second time would be no chance.
func TestNoCommandIsLostOrDoubledByALostConnection(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		if losesConnections(t, shell) {
			return
		}
		t.Log("tmux's server has ended; once more")
		if !losesConnections(t, shell) {
			t.Error("tmux's server has ended twice")
		}
	})
}

// losesConnections cuts the connections of a pane of its own. It reports whether tmux's
// server has outlived that.
func losesConnections(t *testing.T, shell string) bool {
	r, _, p := gated(t, shell)
	run(t, p, in(shell, "n=0", "set n 0"))
	const times = 20
	for i := 1; i <= times; i++ {
		one, err := tryStart(t, p, pane.Request{Command: in(shell, "n=$((n+1)); sh -c 'exit 9'", "set n (math $n + 1); sh -c 'exit 9'")})
		if err != nil && strings.Contains(err.Error(), "no server running") {
			return false
		}
		if err != nil {
			t.Fatalf("%d: %v\n%s", i, err, p.Screen())
		}
		time.Sleep(time.Duration(i*i%23) * 300 * time.Microsecond) // any moment of the run, and of the next one
		r.cutAny()
		res := finish(t, p, one)
		if strings.Contains(strings.Join(res.Notices, " "), "no server running") {
			return false
		}
		if res.Outcome != backends.ExitedWith(9) || !res.Executed {
			t.Errorf("%d: %+v", i, res)
		}
	}
	eventually(t, p, "the count", func() bool {
		res := run(t, p, "echo $n")
		return !res.Incomplete && res.Text == "20\n"
	})
	return true
}
