package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nod-console/nod/backends/vt"
)

// onTerminal is nod on a pseudo terminal of 120×40 that counts bytes.
type onTerminal struct {
	cmd   *exec.Cmd
	tty   *os.File
	bytes atomic.Int64
	mu    sync.Mutex
	seen  bytes.Buffer
	wake  chan struct{}

	showing sync.Mutex
	screen  *vt.Terminal
}

func startOnTerminal(b *testing.B, w *world, args ...string) *onTerminal {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	return startProgram(b, w, self, args...)
}

func startProgram(b *testing.B, w *world, program string, args ...string) *onTerminal {
	b.Helper()
	o := &onTerminal{
		cmd: exec.Command(program, args...), wake: make(chan struct{}, 1),
		screen: vt.New(vt.Size{Cols: 120, Rows: 40}, vt.Options{}),
	}
	o.cmd.Env = append(w.env(), "NOD_TEST_MAIN=1", detector(), "TERM=xterm-256color", "PATH="+os.Getenv("PATH"))
	var err error
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
		o.showing.Lock()
		_, _ = o.screen.Write(buf[:n]) // an emulator takes everything
		o.showing.Unlock()
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

// BenchmarkIdle reports what an idle console costs: in the first 20 seconds after
// it has come up, when it still looks around now and then, and in the 20 after
// those; its memory then, and when each pane has written 10,000 lines of its
// width. The program is the one that is released, without the tests' own code.
func BenchmarkIdle(b *testing.B) {
	for _, panes := range []int{1, 16} {
		b.Run(fmt.Sprintf("panes=%d", panes), func(b *testing.B) { benchmarkIdle(b, panes) })
	}
}

func benchmarkIdle(b *testing.B, panes int) {
	w := newWorld(b)
	program := released(b)
	w.write(".config/nod/config.toml", fmt.Sprintf("[tmux]\nsocket = %q\nmax_panes = %d\n", w.socket, panes), 0o600)
	leavePanes(b, w, panes)
	o := startProgram(b, w, program)
	o.shows(b, "ready$")
	if panes > 1 {
		o.shows(b, fmt.Sprintf("1/%d ", panes))
	}
	settle(o)
	b.ReportMetric(0, "ns/op") // it would be the time that is waited
	for range b.N {
		for _, when := range []string{"", "later-"} {
			bytesBefore, cpuBefore, switchesBefore := o.bytes.Load(), cpu(b, o.cmd.Process.Pid), switches(b, o)
			time.Sleep(20 * time.Second)
			b.ReportMetric(float64(o.bytes.Load()-bytesBefore), when+"bytes")
			b.ReportMetric((cpu(b, o.cmd.Process.Pid)-cpuBefore)*1000, when+"cpu-ms")
			b.ReportMetric((switches(b, o)-switchesBefore)/20, when+"switches/s")
		}
	}
	memory := func() float64 {
		return field(b, fmt.Sprintf("/proc/%d/status", o.cmd.Process.Pid), "VmRSS:") / 1024
	}
	b.ReportMetric(memory(), "MiB")
	fillPanes(b, w, panes)
	settle(o)
	b.ReportMetric(memory(), "full-MiB")
	o.end(b)
}

// released is nod as it is released, without the tests' own code.
func released(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "nod")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

// settle waits until nothing was written for a while.
func settle(o *onTerminal) {
	for last := int64(-1); last != o.bytes.Load(); {
		last = o.bytes.Load()
		time.Sleep(300 * time.Millisecond)
	}
}

// cpu is a process's CPU time so far, in seconds.
func cpu(b *testing.B, pid int) float64 {
	b.Helper()
	total := 0.0
	eachTask(b, pid, func(dir string) {
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
	eachTask(b, o.cmd.Process.Pid, func(dir string) { total += field(b, dir+"/status", "voluntary_ctxt_switches:") })
	return total
}

func eachTask(b *testing.B, pid int, visit func(dir string)) {
	b.Helper()
	dir := fmt.Sprintf("/proc/%d/task", pid)
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

// floodLines is how many lines a flood has, and floodBytes what it is on a
// terminal: their digits, and CR and LF at the end of each.
const (
	floodLines = 5_000_000
	floodBytes = 9*1 + 90*2 + 900*3 + 9_000*4 + 90_000*5 + 900_000*6 + (floodLines-999_999)*7 + 2*floodLines
)

// BenchmarkFlood is nod while a pane that is watched writes as fast as it can:
// the time from a key in the input to its echo, and the cores that nod and the
// tmux server take. Nothing of the flood may be
// lost: its bytes on record are exact, and its last line is on the screen.
//
// A cat on a terminal of its own is given keys at the same time. What its echo
// takes, the machine takes for itself: both are without meaning where others
// use it, too.
func BenchmarkFlood(b *testing.B) {
	for _, panes := range []int{1, 16} {
		b.Run(fmt.Sprintf("panes=%d", panes), func(b *testing.B) { benchmarkFlood(b, panes) })
	}
}

func benchmarkFlood(b *testing.B, panes int) {
	w := newWorld(b)
	w.write(".config/nod/config.toml", fmt.Sprintf("[tmux]\nsocket = %q\nmax_panes = %d\n", w.socket, panes), 0o600)
	leavePanes(b, w, panes)
	var replies [][]string
	for i := range b.N { // not b.Loop, since the model's script has an end
		replies = append(replies, calls(shell(fmt.Sprint("call", i), fmt.Sprint("seq ", floodLines), false)), says("the flood is over"))
	}
	m := serveModel(b, replies...)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	o := startOnTerminal(b, w)
	o.shows(b, "ready$")
	if panes > 1 {
		o.shows(b, fmt.Sprintf("1/%d ", panes))
	}
	settle(o)
	peer := startPeer(b)
	var took, peers []time.Duration
	var cores [2]float64
	for range b.N {
		nod, cat, spent := flood(b, w, o, m, peer)
		took, peers = append(took, nod...), append(peers, cat...)
		for i := range cores {
			cores[i] += spent[i] / float64(b.N)
		}
	}
	slices.Sort(took)
	slices.Sort(peers)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(peers[len(peers)*99/100].Seconds()*1000, "cat-p99-ms")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
	b.ReportMetric(took[len(took)-1].Seconds()*1000, "max-ms")
	b.ReportMetric(cores[0], "nod-cores")
	b.ReportMetric(cores[1], "tmux-cores")
	settle(o)
	o.end(b)
	exactFloods(b, w, b.N)
}

// leavePanes leaves a session of an earlier nod behind, with that many panes.
func leavePanes(b *testing.B, w *world, panes int) {
	b.Helper()
	if panes == 1 {
		return
	}
	o := startOnTerminal(b, w)
	o.see(b, "ready$")
	if err := o.cmd.Process.Kill(); err != nil {
		b.Fatal(err)
	}
	_ = o.cmd.Wait() // it was killed
	if err := o.tty.Close(); err != nil {
		b.Fatal(err)
	}
	for i := 1; i < panes; i++ {
		id := w.tmux(b, "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "nod-ops-main:", "bash")
		w.tmux(b, "set-option", "-p", "-t", id, "@nod_pane", fmt.Sprint("pane-", i)) // else it is not nod's
	}
}

// tmux runs a command of nod's own tmux server.
func (w *world) tmux(b *testing.B, args ...string) string {
	b.Helper()
	cmd := exec.Command("tmux", append([]string{"-L", w.socket}, args...)...)
	cmd.Env = append(w.env(), "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// flood has the model flood the shared pane. While it does, keys are pressed:
// nod and cat are how long their echoes took, and cores are those that nod and
// the tmux server used.
func flood(b *testing.B, w *world, o *onTerminal, m *scripted, peer *os.File) (nod, cat []time.Duration, cores [2]float64) {
	b.Helper()
	used := func() (c [2]float64) {
		c[0] = cpu(b, o.cmd.Process.Pid)
		// The server writes to nod by itself: the client has handed it the pipe.
		c[1] = cpu(b, atoi(b, w.tmux(b, "display-message", "-p", "#{pid}")))
		return c
	}
	over := len(m.asked()) + 2 // requests: the prompt, and the result
	before, begin := used(), time.Now()
	o.press(b, "flood\r")
	o.shows(b, "seq ")
	for i := 0; len(m.asked()) < over; i++ {
		time.Sleep(20 * time.Millisecond) // nobody types faster
		// No sequence that moves or colours anything has such bytes.
		key := string(rune('à' + i%23))
		pressed := time.Now()
		o.press(b, key)
		o.see(b, key)
		nod = append(nod, time.Since(pressed))
		pressed = time.Now()
		if _, err := peer.WriteString("x"); err != nil {
			b.Fatal(err)
		}
		if _, err := peer.Read(make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		cat = append(cat, time.Since(pressed))
	}
	after, lasted := used(), time.Since(begin).Seconds()
	for i := range cores {
		cores[i] = (after[i] - before[i]) / lasted
	}
	o.shows(b, fmt.Sprint(floodLines)+" ")
	o.press(b, "\x15") // ^U empties the line
	o.shows(b, "ask for something")
	return nod, cat, cores
}

// startPeer is a cat that echoes by itself, on a terminal of its own.
func startPeer(b *testing.B) *os.File {
	b.Helper()
	cmd := exec.Command("sh", "-c", "stty raw -echo; echo ready; exec cat")
	tty, err := pty.Start(cmd)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = tty.Close() // it hangs up, which ends the cat
		_ = cmd.Wait()
	})
	for said := ""; !strings.HasSuffix(said, "\n"); {
		buf := make([]byte, 64)
		n, err := tty.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		said += string(buf[:n])
	}
	return tty
}

// shows waits until a text is on the screen.
func (o *onTerminal) shows(b *testing.B, text string) {
	b.Helper()
	for deadline := time.After(patience); ; {
		o.showing.Lock()
		now := o.screen.Snapshot().String()
		o.showing.Unlock()
		if strings.Contains(now, text) {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			b.Fatalf("%q is not on the screen:\n%s", text, now)
		}
	}
}

// exactFloods checks that the record has that many floods, each whole.
func exactFloods(b *testing.B, w *world, floods int) {
	b.Helper()
	out, errs, status := w.do("audit", "export")
	if want := fmt.Sprintf(`"bytes":%d,`, floodBytes); status != 0 || strings.Count(strings.ReplaceAll(out, ": ", ":"), want) != floods {
		b.Errorf("not every flood has %s on record: %d %s\n%s", want, status, errs, out)
	}
}

func atoi(b *testing.B, digits string) int {
	b.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// press types what it is given.
func (o *onTerminal) press(b *testing.B, text string) {
	b.Helper()
	if _, err := o.tty.WriteString(text); err != nil {
		b.Fatal(err)
	}
}
