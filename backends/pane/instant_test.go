package pane_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// handLine is what the operator enters in these tests: it writes what no command of nod's
// does, and ends with a status that none of them has.
const (
	handLine   = `echo by"-"hand; sh -c 'exit 77'`
	handWrites = "by-hand"
)

// The operator enters lines in the same instant in which nod types a command. What is told
// of a command is then its own, or that it is not known; never what the operator's line
// has written or how it ended.
func TestTypingInTheSameInstant(t *testing.T) {
	t.Parallel()
	rounds := 12
	if os.Getenv("NOD_TEST_ALL") == "1" {
		rounds = 250
	}
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r := newRig(t, shell)
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		run(t, p, "true")
		hand := rand.New(rand.NewPCG(1, uint64(len(shell))))
		tally := map[string]int{}
		for i := range rounds {
			tally[inTheSameInstant(t, r, p, hand, i)]++
		}
		t.Logf("%s: %v", shell, tally)
	})
}

// inTheSameInstant gives one command while the operator enters lines, and says what became
// of it.
func inTheSameInstant(t *testing.T, r *rig, p *pane.Pane, hand *rand.Rand, i int) string {
	t.Helper()
	var keys []string
	for range 1 + hand.IntN(3) {
		keys = append(keys, []string{"\r", handLine + "\r", ":\r", "sleep 0.01\r"}[hand.IntN(4)])
	}
	pause := time.Duration(hand.IntN(3)) * time.Millisecond
	typed := make(chan struct{})
	go func() {
		defer close(typed)
		for _, k := range keys {
			r.tmux(t, "send-keys", "-t", p.ID(), "-l", k)
			time.Sleep(pause)
		}
	}()
	writes, code := fmt.Sprintf("nod-%d", i), 1+i%60
	res, err := runUnlessInTheWay(t, p, fmt.Sprintf(`echo nod"-%d"; sh -c 'exit %d'`, i, code))
	<-typed
	switch {
	case err != nil:
		t.Log(err)
		return "refused"
	case res.Outcome.State == backends.Unknown:
		return "unknown"
	case !res.Executed:
		t.Errorf("nothing was run, it says: %+v", res)
	case res.Outcome != backends.ExitedWith(code) || !strings.Contains(res.Text, writes+"\n"):
		t.Errorf("behind %q: %v, want status %d and %s: %q\n%s", keys, res.Outcome, code, writes, res.Text, p.Screen())
	case strings.Contains(res.Text, handWrites):
		t.Errorf("behind %q: the operator's output is told as the command's: %q", keys, res.Text)
	}
	return "exact"
}

// runUnlessInTheWay runs a command. The error is that something that the operator has typed
// is in its way.
func runUnlessInTheWay(t *testing.T, p *pane.Pane, command string) (pane.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := p.Run(ctx, pane.Request{Command: command})
	var pending *pane.PendingError
	var busy *pane.BusyError
	if errors.As(err, &pending) || errors.As(err, &busy) && ctx.Err() == nil {
		return pane.Result{}, err
	}
	must(t, err)
	return finish(t, p, r), nil
}
