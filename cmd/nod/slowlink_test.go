package main

import (
	"testing"
	"time"
)

// A link that is only slow is no dead link: a connection is made over it, a pane
// is opened, and a command runs, in one login. At 1 KB/s a pane takes a minute and
// a half, and at 800 ms half a one.
func TestStartOverASlowLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		slow func(*leg)
		pane bool
	}{
		{"1 KB/s", func(l *leg) { l.rate = 1000 }, thorough()},
		{"10 KB/s", func(l *leg) { l.rate = 10_000 }, true},
		{"800 ms ± 400 ms", func(l *leg) { l.latency, l.jitter = 400*time.Millisecond, 200*time.Millisecond }, thorough()},
		{"200 ms ± 100 ms", func(l *leg) { l.latency, l.jitter = 100*time.Millisecond, 50*time.Millisecond }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, r := newRemote(t)
			r.wire.set(c.slow, toHost, fromHost)
			begun := time.Now()
			args := []string{"-t", "box", "--json", "--dangerously-approve-all", "--", "echo on; (exit 7)"}
			if c.pane {
				args = append([]string{"--pane"}, args...)
			}
			run := startRun(w, args...)
			run.patience = 3 * time.Minute
			report := run.report()
			if report.Outcome != "exited" || report.ExitCode == nil || *report.ExitCode != 7 || report.Stdout != "on\n" {
				t.Errorf("%+v\n%s", report, run.errs.String())
			}
			t.Logf("it took %s", time.Since(begun).Round(time.Millisecond))
			if n := r.logins(); n != 1 {
				t.Errorf("%d logins", n)
			}
		})
	}
}
