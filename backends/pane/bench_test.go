package pane_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
)

// everyShell are the shells in tmux and without.
func everyShell() []string {
	var names []string
	for shell := range shells {
		names = append(names, shell, shell+withoutTmux)
	}
	slices.Sort(names)
	return names
}

// BenchmarkRoundTrip is the time from Run to Done of "true", back to back: so the
// time that the shell takes for its prompt is in it. That of fish asks git where
// there is a repository, which takes as long as all the rest, so all of them are
// where there is none.
func BenchmarkRoundTrip(b *testing.B) {
	for _, name := range everyShell() {
		b.Run(name, func(b *testing.B) {
			p := shared(b, strings.TrimSuffix(name, withoutTmux))
			run(b, p, "cd /")
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				r, err := p.Run(b.Context(), pane.Request{Command: "true"})
				if err != nil {
					b.Fatal(err)
				}
				<-r.Done()
				took = append(took, time.Since(begin))
				if res := r.Result(); !res.Outcome.OK() || res.Total != 0 {
					b.Fatalf("%+v", res)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}

// BenchmarkOpen is the time from nothing to a pane that is ready for its first
// command, and back to nothing.
func BenchmarkOpen(b *testing.B) {
	for _, name := range everyShell() {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, strings.TrimSuffix(name, withoutTmux))
			var up, down time.Duration
			for b.Loop() {
				begin := time.Now()
				k, err := pane.Open(b.Context(), r.target, r.opt)
				if err != nil {
					b.Fatal(err)
				}
				p, err := k.Shared(b.Context())
				if err != nil || p.Shell() == pane.NoShell {
					b.Fatal(err, p.Shell())
				}
				up += time.Since(begin)
				begin = time.Now()
				if err := k.Close(); err != nil {
					b.Fatal(err)
				}
				down += time.Since(begin)
			}
			b.ReportMetric(up.Seconds()*1000/float64(b.N), "ms-up")
			b.ReportMetric(down.Seconds()*1000/float64(b.N), "ms-down")
		})
	}
}

// BenchmarkHeld is what a cage adds to "true" in a pane of bash, run in turns with one that
// is not held.
//
//	go test -run '^$' -bench Held -benchtime 200x ./backends/pane
func BenchmarkHeld(b *testing.B) {
	target := local.New(os.Environ())
	keeper := confine.NewKeeper(target, "")
	if err := keeper.Verify(b.Context()); err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := keeper.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	cage, err := keeper.Cage(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	p := shared(b, "bash")
	run(b, p, "cd /")
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, prefix := range []string{"", cage.Prefix("")} {
			began := time.Now()
			r, err := p.Run(b.Context(), pane.Request{Command: prefix + "/bin/true"})
			if err != nil {
				b.Fatal(err)
			}
			<-r.Done()
			took[prefix] = append(took[prefix], time.Since(began))
			if res := r.Result(); !res.Outcome.OK() {
				b.Fatalf("%+v", res)
			}
		}
	}
	for prefix, all := range took {
		name := "plain-ms"
		if prefix != "" {
			name = "held-ms"
		}
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2])/float64(time.Millisecond), name)
	}
}
