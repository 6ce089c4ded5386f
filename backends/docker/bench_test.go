package docker_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
	"github.com/nod-console/nod/backends/pane"
)

// BenchmarkTrue runs "true" in turns: in this process by the engine's interface,
// over the channel, and by the docker command. It reports the medians and what
// ours take of the command's, so that the machine's load cancels out. Measure
// again with:
//
//	go test -run '^$' -bench True -benchtime 50x ./backends/docker
func BenchmarkTrue(b *testing.B) {
	e := enginetest.Docker(b)
	container := e.Container(b, enginetest.Busybox)
	target := openNamed(b, e, container, docker.Options{})
	times := map[string][]time.Duration{}
	measure := func(name string, f func() error) {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatalf("%s: %v", name, err)
		}
		times[name] = append(times[name], time.Since(began))
	}
	for b.Loop() {
		measure("exec", func() error {
			p, err := target.Exec(b.Context(), backends.Command{Argv: []string{"true"}})
			if err == nil {
				_, err = p.Wait()
			}
			return err
		})
		measure("channel", func() error {
			_, err := target.Ask(b.Context(), "true")
			return err
		})
		measure("command", e.Command(b, "exec", container, "true").Run)
	}
	for _, name := range []string{"exec", "channel", "command"} {
		b.ReportMetric(median(times[name]), name+"-ms")
		if name != "command" {
			b.ReportMetric(median(times[name])/median(times["command"]), name+"/command")
		}
	}
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2]) / float64(time.Millisecond)
}

// BenchmarkEcho types keys into panes and waits until the screen shows each: with
// tmux in the container, and without.
//
//	go test -run '^$' -bench Echo -benchtime 300x ./backends/docker
func BenchmarkEcho(b *testing.B) {
	e := enginetest.Docker(b)
	for name, bare := range map[string]bool{"tmux": false, "bare": true} {
		b.Run(name, func(b *testing.B) {
			target := openNamed(b, e, e.Container(b, enginetest.Debian), docker.Options{})
			k, err := pane.Open(limited(b), target, pane.Options{Agent: "test", Shell: []string{"bash", "--norc"}, Config: "/dev/null", WithoutTmux: bare})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = k.Close() }() // the container goes, too
			p, err := k.Shared(limited(b))
			if err != nil {
				b.Fatal(err)
			}
			changed, cancel := p.Subscribe()
			defer cancel()
			var times []time.Duration
			i := 0
			for b.Loop() {
				before := p.Screen()
				began := time.Now()
				if err := p.Type(b.Context(), []byte{byte('a' + i%26)}); err != nil {
					b.Fatal(err)
				}
				for limit := time.After(patience); p.Screen().Cursor == before.Cursor; {
					select {
					case <-changed:
					case <-limit:
						b.Fatal("no echo")
					}
				}
				times = append(times, time.Since(began))
				if i++; i%60 == 0 {
					if err := p.Type(b.Context(), []byte{0x15}); err != nil { // the line is full: erase it
						b.Fatal(err)
					}
					time.Sleep(100 * time.Millisecond)
				}
			}
			slices.Sort(times)
			b.ReportMetric(median(times), "p50-ms")
			b.ReportMetric(float64(times[len(times)*95/100])/float64(time.Millisecond), "p95-ms")
		})
	}
}

// BenchmarkHeld is what a cage adds to "true" in a container.
//
//	go test -run '^$' -bench Held -benchtime 50x ./backends/docker
func BenchmarkHeld(b *testing.B) {
	backendtest.BenchmarkHeld(b, open(b, enginetest.Docker(b), enginetest.Busybox))
}
