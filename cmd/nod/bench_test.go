package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onTerminal is nod on a pseudo terminal of 120×40 that counts bytes.
type onTerminal struct {
	cmd   *exec.Cmd
	tty   *os.File
	bytes atomic.Int64
	mu    sync.Mutex
	seen  bytes.Buffer
	wake  chan struct{}
}

func startOnTerminal(b *testing.B, w *world) *onTerminal {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	o := &onTerminal{cmd: exec.Command(self), wake: make(chan struct{}, 1)}
	o.cmd.Env = append(w.env(), "NOD_TEST_MAIN=1", "TERM=xterm-256color", "PATH="+os.Getenv("PATH"))
	o.tty, err = pty.StartWithSize(o.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		b.Fatal(err)
	}
	go o.drain()
	return o
}

func (o *onTerminal) drain() {
	buf := make([]byte, 1<<16)
	for {
		n, err := o.tty.Read(buf)
		o.bytes.Add(int64(n))
		o.mu.Lock()
		o.seen.Write(buf[:n])
		o.mu.Unlock()
		select {
		case o.wake <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// see waits until text was written and forgets what came before.
func (o *onTerminal) see(b *testing.B, text string) {
	b.Helper()
	for deadline := time.After(patience); ; {
		o.mu.Lock()
		found := bytes.Contains(o.seen.Bytes(), []byte(text))
		if found {
			o.seen.Reset()
		}
		o.mu.Unlock()
		if found {
			return
		}
		select {
		case <-o.wake:
		case <-deadline:
			b.Fatalf("%q was not written", text)
		}
	}
}

func (o *onTerminal) end(b *testing.B) {
	b.Helper()
	if _, err := o.tty.Write([]byte{4}); err != nil {
		b.Fatal(err)
	}
	if err := o.cmd.Wait(); err != nil {
		b.Error(err)
	}
	if err := o.tty.Close(); err != nil {
		b.Error(err)
	}
}

// BenchmarkFirstFrame is the time from exec to the first complete frame.
func BenchmarkFirstFrame(b *testing.B) {
	w := newWorld(b)
	for b.Loop() {
		o := startOnTerminal(b, w)
		o.see(b, "F1")
		b.StopTimer()
		o.end(b)
		b.StartTimer()
	}
}

// BenchmarkKeyToEcho is the time from a key to its echo, for keys that come one
// by one as from a hand, and the bytes that a key costs.
func BenchmarkKeyToEcho(b *testing.B) {
	w := newWorld(b)
	o := startOnTerminal(b, w)
	o.see(b, "ready$") // the pane stands, nothing else moves
	settle(o)
	var took []time.Duration
	before := o.bytes.Load()
	for b.Loop() {
		time.Sleep(30 * time.Millisecond) // the next frame may come
		key := string(rune('a' + len(took)%26))
		begin := time.Now()
		if _, err := o.tty.Write([]byte(key)); err != nil {
			b.Fatal(err)
		}
		o.see(b, key)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op") // it would count the pauses
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
	b.ReportMetric(float64(o.bytes.Load()-before)/float64(len(took)), "bytes/key")
	if _, err := o.tty.Write([]byte{21}); err != nil { // ^U empties the line
		b.Fatal(err)
	}
	settle(o)
	o.end(b)
}

// BenchmarkIdle reports what 20 idle seconds cost.
func BenchmarkIdle(b *testing.B) {
	w := newWorld(b)
	o := startOnTerminal(b, w)
	o.see(b, "ready$")
	settle(o)
	for b.Loop() {
		bytesBefore, cpuBefore, switchesBefore := o.bytes.Load(), cpu(b, o), switches(b, o)
		time.Sleep(20 * time.Second)
		b.ReportMetric(float64(o.bytes.Load()-bytesBefore), "bytes")
		b.ReportMetric((cpu(b, o)-cpuBefore)*1000, "cpu-ms")
		b.ReportMetric((switches(b, o)-switchesBefore)/20, "wakeups/s")
	}
	b.ReportMetric(field(b, fmt.Sprintf("/proc/%d/status", o.cmd.Process.Pid), "VmRSS:")/1024, "MiB")
	o.end(b)
}

// settle waits until nothing was written for a while.
func settle(o *onTerminal) {
	for last := int64(-1); last != o.bytes.Load(); {
		last = o.bytes.Load()
		time.Sleep(300 * time.Millisecond)
	}
}

// cpu is the process's CPU time so far, in seconds.
func cpu(b *testing.B, o *onTerminal) float64 {
	b.Helper()
	total := 0.0
	eachTask(b, o, func(dir string) {
		data, err := os.ReadFile(dir + "/schedstat")
		if err != nil {
			return // the thread has ended
		}
		ns, err := strconv.ParseFloat(strings.Fields(string(data))[0], 64)
		if err != nil {
			b.Fatal(err)
		}
		total += ns / 1e9
	})
	return total
}

// switches is the number of times that the process's threads were woken.
func switches(b *testing.B, o *onTerminal) float64 {
	b.Helper()
	total := 0.0
	eachTask(b, o, func(dir string) { total += field(b, dir+"/status", "voluntary_ctxt_switches:") })
	return total
}

func eachTask(b *testing.B, o *onTerminal, visit func(dir string)) {
	b.Helper()
	dir := fmt.Sprintf("/proc/%d/task", o.cmd.Process.Pid)
	tasks, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, t := range tasks {
		visit(dir + "/" + t.Name())
	}
}

// field is the number after name in a file of /proc.
func field(b *testing.B, path, name string) float64 {
	b.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return 0 // the thread has ended
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	return 0
}
