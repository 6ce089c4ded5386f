package mux

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// beside runs a command through nod's master and through a stock one, in turns,
// and reports the medians and their ratio. Below 1, nod's is the faster.
func beside(b *testing.B, command string) {
	s := startSSHD(b)
	fixtures := []*fixture{startNodProcess(b, s), startStock(b, s)}
	times, work := make([][]time.Duration, 2), make([]float64, 2)
	for b.Loop() {
		for i, f := range fixtures {
			start, before := time.Now(), processorTime(b, f.pid)
			check(b, exec.Command("ssh", f.args("-n", "host", command)...).Run())
			times[i] = append(times[i], time.Since(start))
			work[i] += processorTime(b, f.pid) - before
		}
	}
	b.StopTimer()
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return all[len(all)/2].Seconds() * 1000
	}
	nod, stock := median(times[0]), median(times[1])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(nod, "nod-ms")
	b.ReportMetric(stock, "stock-ms")
	b.ReportMetric(nod/stock, "ratio")
	b.ReportMetric(work[0]/work[1], "cpu-ratio") // of the masters alone
}

// startNodProcess serves a socket from a process of its own.
func startNodProcess(b *testing.B, s *server) *fixture {
	b.Helper()
	f := newFixture(b, "nod", s)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=serve %s %s %s %s", helperEnv, s.address(), s.user, s.key, f.socket))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	check(b, cmd.Start())
	f.pid = cmd.Process.Pid
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	until(b, "nod's master", func() bool { _, err := os.Stat(f.socket); return err == nil })
	return f
}

// processorTime is what a process has used so far, in ticks. On a busy machine
// it says more than the clock does.
func processorTime(b *testing.B, pid int) (ticks float64) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(b, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, f := range fields[11:13] { // utime and stime, proc(5)
		n, err := strconv.ParseFloat(f, 64)
		check(b, err)
		ticks += n
	}
	return ticks
}

// BenchmarkTrue is the latency of the shortest command.
func BenchmarkTrue(b *testing.B) { beside(b, "true") }

// BenchmarkDownload is bulk: 256 MiB.
func BenchmarkDownload(b *testing.B) { beside(b, "head -c 268435456 /dev/zero") }
