package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
)

// fault is something that happens to the network between nod and a host.
type fault struct {
	name  string
	kind  damage
	begin func(*remote)
}

// damage is what a fault does to the connections of that moment.
type damage int

const (
	slows damage = iota // they live on
	cuts                // they end, and no other can be made
	kills               // they end, and another one can be made at once
)

// onWire is a fault of the network alone.
func onWire(begin func(*wire)) func(*remote) { return func(r *remote) { begin(r.wire) } }

var faults = []fault{
	{"black hole", cuts, onWire(func(w *wire) { w.set(func(l *leg) { l.hole = true }, toHost, fromHost) })},
	{"silence", cuts, onWire(func(w *wire) { w.silent(true) })},
	{"black hole to the host", cuts, onWire(func(w *wire) { w.set(func(l *leg) { l.hole = true }, toHost) })},
	{"black hole from the host", cuts, onWire(func(w *wire) { w.set(func(l *leg) { l.hole = true }, fromHost) })},
	{"FIN", cuts, onWire(func(w *wire) { w.hang(false, true) })},
	{"RST", cuts, onWire(func(w *wire) { w.hang(true, true) })},
	{"half close to the host", kills, onWire(func(w *wire) { w.halfClose(toHost) })},
	{"half close from the host", kills, onWire(func(w *wire) { w.halfClose(fromHost) })},
	{"byte flip", kills, onWire(func(w *wire) { w.set(func(l *leg) { l.bend = true }, toHost, fromHost) })},
	{"freeze", kills, (*remote).freeze},
	{"1 KB/s", slows, onWire(func(w *wire) { w.set(func(l *leg) { l.rate = 1000 }, toHost, fromHost) })},
	{"800 ms ± 400 ms", slows, onWire(func(w *wire) {
		w.set(func(l *leg) { l.latency, l.jitter = 400*time.Millisecond, 200*time.Millisecond }, toHost, fromHost)
	})},
}

// recovery bounds the time from the link's return to the outcome, and notice that
// from the fault to the moment when a dead link is known to be dead.
const (
	recovery = 5 * time.Second
	notice   = 20 * time.Second
)

// endured is how a command got over a fault.
type endured struct {
	noticed   time.Duration // after the fault; 0 where there was nothing to notice
	recovered time.Duration // after the link's return
	wrong     bool          // not the outcome that it had
	runs      int
	cut       bool // a part of its output is missing, and that is said
	crashed   bool // tmux's server has ended, which 3.3a does once in a thousand losses (see backends/pane)
}

// A command that runs while the link fails runs once, and its true outcome is
// told when the link is back.
func TestOutcomesSurviveTheLink(t *testing.T) {
	t.Parallel()
	seeds, keepalive := 1, "1s"
	if thorough() {
		seeds, keepalive = 20, "5s" // the default
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			var all []endured
			for seed := range seeds {
				how := outliveFault(t, f, uint64(seed), keepalive)
				if how.crashed {
					how = outliveFault(t, f, uint64(seed), keepalive)
				}
				if how.crashed {
					t.Error("tmux's server has ended twice")
				}
				all = append(all, how)
			}
			t.Log(tally(f.name, all))
		})
	}
}

// tally is a row of the table: how many runs there were, the time until the loss
// was noticed and until the outcome came (median, longest), and what went wrong.
func tally(name string, all []endured) string {
	var noticed, recovered []time.Duration
	wrong, twice, cut := 0, 0, 0
	for _, e := range all {
		if e.noticed > 0 {
			noticed = append(noticed, e.noticed)
		}
		recovered = append(recovered, e.recovered)
		if e.wrong {
			wrong++
		}
		if e.runs != 1 {
			twice++
		}
		if e.cut {
			cut++
		}
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %d | %d |", name, len(all), spread(noticed), spread(recovered), wrong, twice, cut)
}

func spread(d []time.Duration) string {
	if len(d) == 0 {
		return "-"
	}
	slices.Sort(d)
	return fmt.Sprintf("%.1f s, %.1f s", d[len(d)/2].Seconds(), d[len(d)-1].Seconds())
}

func outliveFault(t *testing.T, f fault, seed uint64, keepalive string) (how endured) {
	t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, uint64(len(f.name))))
		var run *aRun
		t.Cleanup(func() { // after those of newRemote, which look at what is left
			if t.Failed() && run != nil {
				t.Logf("nod said: %s", run.errs.String())
			}
		})
		w, r := newRemote(t)
		w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[ssh]\nkeepalive = \""+keepalive+"\"\n", 0o600)
		begun, goOn := r.path("begun"), r.path("go on")
		command := fmt.Sprintf("echo x >>%s; until [ -e '%s' ]; do sleep 0.02; done; printf 'one\\ntwo %d'; (exit 7)", begun, goOn, seed)
		run = startRun(w, "-t", "box", "--pane", "--json", "--dangerously-approve-all", "--", command)
		run.until("the command's start", func() bool { return size(begun) > 0 })
		time.Sleep(rand.N(300 * time.Millisecond)) // the fault comes at any moment
		logins, fault := r.logins(), time.Now()
		f.begin(r)
		early := random.IntN(2) == 0 // the command ends during the outage
		if early {
			r.write("go on", "")
		}
		switch f.kind {
		case cuts:
			run.until("the loss is noticed", func() bool { return len(r.held()) == 0 })
			how.noticed = time.Since(fault)
		case kills:
			run.until("another login", func() bool { return r.logins() > logins })
			how.noticed = time.Since(fault)
		case slows:
		}
		time.Sleep(rand.N(time.Second))
		r.wire.mend(seed%3 == 0)
		back := time.Now()
		if !early {
			r.write("go on", "")
		}
		report := run.report()
		how.recovered = time.Since(back)
		r.thaw()
		if how.crashed = strings.Contains(strings.Join(report.Notices, "\n"), "no server running"); how.crashed {
			t.Log("tmux's server has ended; nothing can be said of the command")
			return
		}
		// What was written while nobody could listen is missing, and that is said.
		want := fmt.Sprintf("one\ntwo %d", seed)
		whole := report.Stdout == want && !report.Truncated
		how.cut = !whole && (strings.HasPrefix(want, report.Stdout) || strings.HasSuffix(want, report.Stdout)) && report.Truncated && len(report.Notices) > 0
		how.wrong = !whole && !how.cut || report.Outcome != "exited" || report.ExitCode == nil || *report.ExitCode != 7
		if how.wrong {
			t.Errorf("early %t: %+v, code %v\n%s", early, report, report.ExitCode, run.errs.String())
		}
		if errs := run.errs.String(); strings.Contains(errs, "on there; to end") || strings.Contains(errs, "kill-session") {
			t.Logf("told: %s", errs) // the link was too slow, or away again
			_, _ = r.tmux("kill-server")
		}
		if how.runs = strings.Count(r.read("begun"), "x"); how.runs != 1 {
			t.Errorf("it ran %d times", how.runs)
		}
		if thorough() && how.noticed > notice {
			t.Errorf("the loss was noticed after %s", how.noticed)
		}
		if thorough() && how.recovered > recovery {
			t.Errorf("early %t: the outcome came %s after the link", early, how.recovered)
		}
	})
	return how
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// aRun is a "nod run" that goes on.
type aRun struct {
	t         *testing.T
	cmd       *exec.Cmd
	out, errs strings.Builder
	ended     chan struct{}
	patience  time.Duration // for its end
}

func startRun(w *world, args ...string) *aRun {
	w.t.Helper()
	r := &aRun{t: w.t.(*testing.T), ended: make(chan struct{}), patience: 2 * patience}
	r.cmd = exec.Command(w.nod, append([]string{"run"}, args...)...)
	r.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TERM=dumb"}, w.env()...)
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = filepath.Dir(w.nod), &r.out, &r.errs
	if err := r.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { defer close(r.ended); _ = r.cmd.Wait() }() // the report tells how it ended
	w.t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // has ended
		<-r.ended
	})
	return r
}

// until waits for a condition, for longer than nod takes to find a link dead.
func (r *aRun) until(what string, holds func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(2 * patience); !holds(); time.Sleep(10 * time.Millisecond) {
		select {
		case <-r.ended:
			r.t.Fatalf("%s: nod ended before: %s%s", what, r.out.String(), r.errs.String())
		default:
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// report waits for the end and returns what was printed.
func (r *aRun) report() oneshot.Report {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(r.patience):
		_ = r.cmd.Process.Signal(syscall.SIGQUIT) // it tells what it waits for
		<-r.ended
		r.t.Fatalf("it does not end: %s", r.errs.String())
	}
	var report oneshot.Report
	if err := json.Unmarshal([]byte(r.out.String()), &report); err != nil {
		r.t.Fatalf("%v: %s%s", err, r.out.String(), r.errs.String())
	}
	return report
}
