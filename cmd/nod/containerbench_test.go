package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/docker/enginetest"
)

// benchContainers is how many containers the console has open at once.
const benchContainers = 20

// BenchmarkContainers is the console with a pane in each of twenty containers,
// one of which writes as fast as it can: the time from a key in the input to its
// echo, what nod needs of memory with all of them quiet and with the one that is
// not, and what a cat on a terminal of its own takes for its echo meanwhile. The
// engine, its shims and the containers share the machine's cores with nod.
//
//	go test -run '^$' -bench Containers -benchtime 200x ./cmd/nod
func BenchmarkContainers(b *testing.B) {
	engine := enginetest.Docker(b)
	w := newWorld(b)
	w.extra = append(w.extra, "DOCKER_HOST=unix://"+engine.Socket)
	var names []string
	for range benchContainers {
		names = append(names, engine.Container(b, enginetest.Debian))
	}
	o := startOnTerminal(b, w, targetsOf(names)...)
	pid := o.cmd.Process.Pid
	for _, name := range names {
		eventually(b, "a pane in "+name, func() bool { return strings.Contains(engine.Do(b, "top", name), "attach-session") })
	}
	settle(o)
	quiet := field(b, fmt.Sprintf("/proc/%d/status", pid), "VmRSS:") / 1024
	peer := startPeer(b)
	engine.Do(b, "exec", "-d", names[0], "tmux", "-L", w.socket, "send-keys", "-t", "nod-ops-main:", "while :; do seq 1 1000000; done", "Enter")
	o.see(b, "9") // it has begun
	before := cpu(b, pid)
	began := time.Now()
	var took, peers []time.Duration
	for b.Loop() {
		time.Sleep(30 * time.Millisecond)
		key := string(rune('à' + len(took)%23)) // no sequence that moves or colours anything has such bytes
		begin := time.Now()
		o.press(b, key)
		o.see(b, key)
		took = append(took, time.Since(begin))
		begin = time.Now()
		if _, err := peer.WriteString("x"); err != nil {
			b.Fatal(err)
		}
		if _, err := peer.Read(make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		peers = append(peers, time.Since(begin))
	}
	slices.Sort(took)
	slices.Sort(peers)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
	b.ReportMetric(peers[len(peers)*99/100].Seconds()*1000, "cat-p99-ms")
	b.ReportMetric((cpu(b, pid)-before)/time.Since(began).Seconds(), "nod-cores")
	b.ReportMetric(quiet, "quiet-MiB")
	b.ReportMetric(field(b, fmt.Sprintf("/proc/%d/status", pid), "VmRSS:")/1024, "flood-MiB")
	engine.Do(b, "exec", names[0], "pkill", "-KILL", "bash") // the flood's
	o.press(b, "\x15")
	o.shows(b, "ask for something")
	settle(o)
	o.end(b)
}

func targetsOf(containers []string) []string {
	all := make([]string, len(containers))
	for i, c := range containers {
		all[i] = "docker:" + c
	}
	return all
}
