package vt

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// deadline bounds every wait for tmux.
const deadline = 20 * time.Second

// realTmux is a private tmux server with one pane and a control client, the
// reference that the emulator is held against.
type realTmux struct {
	t    *testing.T
	dir  string
	sock string
	pane string
	size Size
	cmd  *exec.Cmd
	in   *os.File

	mu      sync.Mutex
	waiting []func(lines [][]byte) // for replies, in the order of the commands
	output  func([]byte)           // called by the reader, in stream order
	done    chan struct{}
	closed  sync.Once
}

// startTmux runs program (a shell command) in a pane of the given size.
func startTmux(t *testing.T, size Size, program string) *realTmux {
	t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal("tmux is not installed")
		}
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "vt") // a short path: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	m := &realTmux{t: t, dir: dir, sock: filepath.Join(dir, "s"), size: size, done: make(chan struct{})}
	env := []string{"HOME=" + dir, "HISTFILE=/dev/null", "PATH=" + os.Getenv("PATH"),
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh"}
	run := func(args ...string) string {
		cmd := exec.Command(path, append([]string{"-S", m.sock, "-f", "/dev/null"}, args...)...)
		cmd.Env, cmd.Dir = env, dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(m.close)
	run("new-session", "-d", "-s", "o", "-x", strconv.Itoa(size.Cols), "-y", strconv.Itoa(size.Rows), program)
	m.pane = run("display-message", "-p", "-t", "=o:", "#{pane_id}")
	cmd := exec.Command(path, "-S", m.sock, "-C", "attach", "-t", "=o")
	cmd.Env = env
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, m.in = r, w
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	attached := m.await(1)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = r.Close() // the child has its own
	m.cmd = cmd
	go m.read(bufio.NewReaderSize(out, 1<<20))
	<-attached
	m.do(fmt.Sprintf("refresh-client -C %dx%d", size.Cols, size.Rows))
	return m
}

func (m *realTmux) close() {
	m.closed.Do(func() {
		kill := exec.Command("tmux", "-S", m.sock, "kill-server")
		_ = kill.Run() // the session may have ended by itself
		if m.cmd != nil {
			_ = m.in.Close()
			<-m.done
			_ = m.cmd.Wait()
		}
		_ = os.RemoveAll(m.dir)
	})
}

// await queues n replies and returns a channel that gets them all at once.
func (m *realTmux) await(n int) <-chan [][][]byte {
	ch := make(chan [][][]byte, 1)
	var got [][][]byte
	for range n {
		m.waiting = append(m.waiting, func(lines [][]byte) {
			if got = append(got, lines); len(got) == n {
				ch <- got
			}
		})
	}
	return ch
}

// do runs one command and returns its reply.
func (m *realTmux) do(line string) [][]byte {
	m.t.Helper()
	m.mu.Lock()
	ch := m.await(1)
	_, err := fmt.Fprintln(m.in, line)
	m.mu.Unlock()
	if err != nil {
		m.t.Fatal(err)
	}
	select {
	case r := <-ch:
		return r[0]
	case <-time.After(deadline):
		m.t.Fatalf("no reply to %q", line)
		return nil
	}
}

// seed calls f on the reader, at the exact place in the output that the state
// was taken at, and waits for it.
func (m *realTmux) seed(f func(Seed)) {
	m.t.Helper()
	done := make(chan struct{})
	var screen, pending [][]byte
	m.mu.Lock()
	m.waiting = append(m.waiting,
		func(l [][]byte) { screen = l },
		func(l [][]byte) { pending = l },
		func(l [][]byte) {
			defer close(done)
			s, err := ParseSeed(string(join(l)))
			if err != nil {
				m.t.Error(err)
				return
			}
			s.Lines, s.Pending = screen, unescape(join(pending))
			f(s)
		})
	_, err := fmt.Fprintf(m.in, "capture-pane -p -e -N -t %[1]s ; capture-pane -p -P -C -t %[1]s ; display-message -p -t %[1]s '%[2]s'\n",
		m.pane, SeedFormat)
	m.mu.Unlock()
	if err != nil {
		m.t.Fatal(err)
	}
	select {
	case <-done:
	case <-m.done:
		m.t.Fatal("tmux ended")
	case <-time.After(deadline):
		m.t.Fatal("no state from tmux")
	}
}

// resize gives the pane another size and waits until it has it.
func (m *realTmux) resize(size Size) {
	m.t.Helper()
	m.do(fmt.Sprintf("refresh-client -C %dx%d", size.Cols, size.Rows))
	want := fmt.Sprintf("%d %d", size.Cols, size.Rows)
	m.until("the pane has its new size", func() bool {
		return string(join(m.do("display-message -p -t "+m.pane+" '#{pane_width} #{pane_height}'"))) == want
	})
}

// until waits for a condition.
func (m *realTmux) until(what string, ok func() bool) {
	m.t.Helper()
	for end := time.Now().Add(deadline); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("waited in vain until %s", what)
		}
	}
}

func join(lines [][]byte) []byte { return bytes.Join(lines, []byte{'\n'}) }

// keys types p into the pane.
func (m *realTmux) keys(p []byte) {
	m.t.Helper()
	var b strings.Builder
	b.WriteString("send-keys -t " + m.pane + " -H")
	for _, c := range p {
		fmt.Fprintf(&b, " %x", c)
	}
	m.do(b.String())
}

func (m *realTmux) onOutput(f func([]byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.output = f
}

func (m *realTmux) read(r *bufio.Reader) {
	defer close(m.done)
	var block [][]byte
	inside := false
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		line = line[:len(line)-1]
		switch {
		case inside && (bytes.HasPrefix(line, []byte("%end ")) || bytes.HasPrefix(line, []byte("%error "))):
			inside = false
			m.mu.Lock()
			f := m.waiting[0]
			m.waiting = m.waiting[1:]
			m.mu.Unlock()
			f(block)
			block = nil
		case inside:
			block = append(block, line)
		case bytes.HasPrefix(line, []byte("%begin ")):
			inside = true
		case bytes.HasPrefix(line, []byte("%output "+m.pane+" ")):
			m.mu.Lock()
			f := m.output
			m.mu.Unlock()
			if f != nil {
				f(unescape(line[len("%output "+m.pane+" "):]))
			}
		}
	}
}

// unescape takes tmux's \ooo back.
func unescape(p []byte) []byte {
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' && i+3 < len(p) {
			out = append(out, (p[i+1]-'0')<<6|(p[i+2]-'0')<<3|(p[i+3]-'0'))
			i += 3
			continue
		}
		out = append(out, p[i])
	}
	return out
}

// feeder is a pane that shows exactly the bytes that are fed to it.
type feeder struct {
	*realTmux
	fifo *os.File
	fed  int

	mu   sync.Mutex
	cond *sync.Cond
	seen int
}

// startFeeder starts one; first are shell commands to begin with, if any.
func startFeeder(t *testing.T, size Size, first ...string) *feeder {
	t.Helper()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "f")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	f := &feeder{realTmux: startTmux(t, size, "stty raw -echo; "+strings.Join(first, "")+"printf ready; exec cat "+fifo)}
	f.cond = sync.NewCond(&f.mu)
	w, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.fifo = w
	t.Cleanup(func() { _ = w.Close() })
	f.until("the pane starts", func() bool {
		return bytes.HasPrefix(join(f.do("capture-pane -p -t "+f.pane)), []byte("ready"))
	})
	f.onOutput(func(p []byte) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen += len(p)
		f.cond.Broadcast()
	})
	return f
}

// feed shows p and returns once tmux has taken it in.
func (f *feeder) feed(p []byte) {
	f.t.Helper()
	if _, err := f.fifo.Write(p); err != nil {
		f.t.Fatal(err)
	}
	f.fed += len(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	timer := time.AfterFunc(deadline, f.cond.Broadcast)
	defer timer.Stop()
	for end := time.Now().Add(deadline); f.seen < f.fed; {
		if time.Now().After(end) {
			f.t.Errorf("tmux took %d of %d bytes", f.seen, f.fed)
			return
		}
		f.cond.Wait()
	}
}

// differences compares the rows of the terminal with those that tmux captured,
// both as the sequence of characters that capture-pane writes: it leaves out
// second halves, also those that stand alone. What lies right of the captured
// part has no text, but may have a background, which the capture does not tell.
func differences(got, want *Terminal) (cells int, first string) {
	return differencesBut(got, want, nil)
}

// differencesBut leaves out the rows that skip has.
func differencesBut(got, want *Terminal, skip map[int]bool) (cells int, first string) {
	for y, r := range want.rows {
		if skip[y] {
			continue
		}
		a, b := characters(got.rows[y].cells), characters(r.cells)
		for len(b) > 0 && b[len(b)-1] == (Cell{}) {
			b = b[:len(b)-1]
		}
		for x := range max(len(a), len(b)) {
			var c, d Cell
			if x < len(a) {
				c = a[x]
			}
			if x < len(b) {
				d = b[x]
			}
			ct, dt := text(got.tab.graphemes, c), text(want.tab.graphemes, d)
			cs, ds := got.tab.pens[c.style].Style, want.tab.pens[d.style].Style
			if ct != dt || x < len(b) && cs != ds {
				if cells++; first == "" {
					first = fmt.Sprintf("row %d, character %d: got %q %+v, want %q %+v", y, x, ct, cs, dt, ds)
				}
			}
		}
	}
	return cells, first
}

// connected are the options for the tmux that the tests run with. TestMain's
// environment decides which that is: put another one first in PATH.
var connected = sync.OnceValue(func() (opt Options) {
	out, err := exec.Command("tmux", "-V").Output()
	var r Release
	if _, scanErr := fmt.Sscanf(string(out), "tmux %d.%d", &r.Major, &r.Minor); err != nil || scanErr != nil {
		return opt
	}
	opt.Release = r
	if r.quirks().clusters {
		// As backends/tmux measures them with the library of Debian 12.
		runes := map[rune]int{0x261d: 2, 0x26f9: 2, 0x270c: 2, 0x270d: 2, 0x1f3cb: 2, 0x1f3cc: 2, 0x1f574: 2,
			0x1f575: 2, 0x1f590: 2, 0x1faf7: 2, 0x1faf8: 2}
		for i := rune(0x80); i < 0xa0; i++ {
			runes[i] = -1
		}
		for i := rune(flagMin); i <= flagMax && !r.quirks().pairs; i++ {
			runes[i] = 2
		}
		opt.Widths = NewWidths(runes, 1)
	}
	return opt
})

func following(scrollback int) Options {
	opt := connected()
	opt.Scrollback = scrollback
	return opt
}

func characters(cells []Cell) []Cell {
	out := make([]Cell, 0, len(cells))
	for _, c := range cells {
		if !c.isPad() {
			out = append(out, c)
		}
	}
	return out
}

// shown is a terminal that shows what was captured, the reference for
// differences. It is wider than the pane: wide cells that have lost their
// second half take two columns again when they are captured.
func shown(s Seed) *Terminal {
	s.Tabs = append(slices.Clone(s.Tabs), s.Size.Cols-1)
	s.Size.Cols *= 2
	t := New(s.Size, connected())
	t.Seed(s)
	return t
}
