package backendtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
)

// BenchmarkHeld runs "true" in turns on a target, without a cage and behind each wall that
// is to be had there, and reports the medians and what the held ones take of the plain one,
// so that the machine's load cancels out; and what the installation of the helper took.
func BenchmarkHeld(b *testing.B, target backends.Target) {
	began := time.Now()
	cage, err := confine.Install(b.Context(), target, "")
	if err != nil {
		b.Fatal(err)
	}
	installed := time.Since(began)
	defer func() {
		if err := cage.Remove(context.Background(), target); err != nil {
			b.Error(err)
		}
	}()
	ways := map[string][]string{"plain": {"true"}}
	for _, grants := range []string{"", "P", confine.Closed} {
		if wall := cage.For(grants); wall != confine.None {
			ways["held"+grants] = cage.Wrap([]string{"true"}, confine.Hold{Wall: wall, Grants: grants, Limits: confine.Modest})
		}
	}
	times := map[string][]time.Duration{}
	for b.Loop() {
		for name, argv := range ways {
			began := time.Now()
			p, err := target.Exec(b.Context(), backends.Command{Argv: argv})
			if err != nil {
				b.Fatal(err)
			}
			if o, err := p.Wait(); err != nil || !o.OK() {
				b.Fatal(o, err)
			}
			times[name] = append(times[name], time.Since(began))
		}
	}
	median := func(name string) float64 {
		slices.Sort(times[name])
		return float64(times[name][len(times[name])/2]) / float64(time.Millisecond)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(installed.Seconds()*1000, "install-ms")
	for name := range ways {
		b.ReportMetric(median(name), name+"-ms")
		if name != "plain" {
			b.ReportMetric(median(name)/median("plain"), fmt.Sprintf("%s/plain", name))
		}
	}
}
