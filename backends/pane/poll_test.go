package pane_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/pane"
)

// polled runs "true" the way that is common where there are no marks: type it
// with a marker behind it, and look at the screen every now and then.
func (r *rig) polled(b *testing.B, id, shell string, n int, every time.Duration) time.Duration {
	b.Helper()
	tmux := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-S", r.opt.Socket}, args...)...).Output()
		if err != nil {
			b.Fatal(err)
		}
		return string(out)
	}
	status := in(shell, "$?", "$status")
	begin := time.Now()
	tmux("send-keys", "-t", id, "-l", fmt.Sprintf(`true; echo "mark"%d=%s`, n, status))
	tmux("send-keys", "-t", id, "Enter")
	for {
		time.Sleep(every)
		if strings.Contains(tmux("capture-pane", "-p", "-t", id), fmt.Sprintf("mark%d=0", n)) {
			return time.Since(begin)
		}
	}
}

// BenchmarkRoundTripBesidePolling puts a run of "true" beside a polling loop in
// the same pane, in turn, and reports how many times longer that takes.
func BenchmarkRoundTripBesidePolling(b *testing.B) {
	for _, shell := range tried() {
		b.Run(shell, func(b *testing.B) {
			r := newRig(b, shell)
			p, err := r.open(b).Shared(b.Context())
			must(b, err)
			var ours, ten, hundred []time.Duration
			n := 0
			for b.Loop() {
				begin := time.Now()
				if res := finish(b, p, start(b, p, pane.Request{Command: "true"})); !res.Outcome.OK() {
					b.Fatalf("%+v", res)
				}
				ours = append(ours, time.Since(begin))
				eventually(b, p, "the prompt", p.AtPrompt)
				if n < 40 { // it takes its time
					ten = append(ten, r.polled(b, p.ID(), shell, n, 10*time.Millisecond))
					hundred = append(hundred, r.polled(b, p.ID(), shell, n+1000, 100*time.Millisecond))
				}
				n++
			}
			median := func(d []time.Duration) float64 {
				slices.Sort(d)
				return float64(d[len(d)/2].Microseconds())
			}
			b.ReportMetric(median(ours), "p50-µs")
			b.ReportMetric(median(ten)/median(ours), "×poll-10ms")
			b.ReportMetric(median(hundred)/median(ours), "×poll-100ms")
		})
	}
}

// BenchmarkTypeAMegabyte is the time until a program has read a megabyte that
// was typed at it.
func BenchmarkTypeAMegabyte(b *testing.B) {
	p := shared(b, "bash")
	text := make([]byte, 1<<20)
	for i := range text {
		text[i] = byte(i*(i>>8)+i) | 1 // zeros have to go key by key
	}
	sum := sha256.Sum256(text)
	var took []time.Duration
	for b.Loop() {
		r := start(b, p, pane.Request{Command: "stty raw -echo; printf ready; head -c 1048576 | sha256sum; stty sane"})
		eventually(b, p, "the program", func() bool { return strings.HasPrefix(r.Result().Text, "ready") })
		begin := time.Now()
		must(b, p.Type(b.Context(), text))
		if res := finish(b, p, r); !strings.Contains(res.Text, hex.EncodeToString(sum[:])) {
			b.Fatalf("%+v", res)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
}
