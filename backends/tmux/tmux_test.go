package tmux_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// need skips a test whose real component is missing, except where all are
// promised.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed", program)
}

// home is an environment in which nothing of the user's is read or written.
func home(t testing.TB) []string {
	return []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "HISTFILE=/dev/null", "LC_ALL=C.UTF-8"}
}

// server is a tmux server of the test's own; it is gone after the test.
func server(t testing.TB) (*tmux.Server, backends.Target, string) {
	t.Helper()
	need(t, "tmux")
	target := local.New(home(t))
	// Not t.TempDir: a socket's path must be short.
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	s, err := tmux.Open(t.Context(), target, tmux.Options{Socket: socket, Config: "/dev/null"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = s.Run(context.Background(), "kill-server") // none may run any more
		if err := target.Close(); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	return s, target, socket
}

// recorder keeps what a session says.
type recorder struct {
	mu     sync.Mutex
	output map[string][]byte
	notes  []string
	grown  chan struct{}
}

func newRecorder() *recorder {
	return &recorder{output: map[string][]byte{}, grown: make(chan struct{}, 1)}
}

func (r *recorder) Output(pane string, data []byte) {
	r.mu.Lock()
	r.output[pane] = append(r.output[pane], data...)
	r.mu.Unlock()
	r.signal()
}

func (r *recorder) Notify(name, args string) {
	r.mu.Lock()
	r.notes = append(r.notes, name+" "+args)
	r.mu.Unlock()
	r.signal()
}

func (r *recorder) signal() {
	select {
	case r.grown <- struct{}{}:
	default:
	}
}

// until waits for a condition on what was recorded.
func (r *recorder) until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	limit := time.After(5 * time.Second)
	for {
		r.mu.Lock()
		good := ok()
		r.mu.Unlock()
		if good {
			return
		}
		select {
		case <-r.grown:
		case <-limit:
			r.mu.Lock()
			defer r.mu.Unlock()
			t.Fatalf("waited for %s; output %q, notes %q", what, r.output, r.notes)
		}
	}
}

func create(t testing.TB, s *tmux.Server, name string, shell ...string) (tmux.Pane, *tmux.Client, *recorder) {
	t.Helper()
	err := s.Create(t.Context(), tmux.NewSession{
		Name: name, Window: "shared", Owner: tmux.Owner(),
		Size: backends.Size{Cols: 80, Rows: 24}, Scrollback: 1000, Shell: shell,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := newRecorder()
	c, err := s.Attach(t.Context(), name, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	panes, err := s.Panes(t.Context(), name)
	if err != nil || len(panes) != 1 {
		t.Fatalf("panes %v, %v", panes, err)
	}
	return panes[0], c, r
}

// shows waits until the pane's screen holds a text.
func shows(t testing.TB, s *tmux.Server, pane, text string) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		out, err := s.Run(t.Context(), "capture-pane", "-p", "-t", pane)
		if err == nil && strings.Contains(string(out), text) {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the screen never showed %q: %q, %v", text, out, err)
		}
	}
}

func TestTypedBytesReachTheProgramExactly(t *testing.T) {
	s, _, _ := server(t)
	pane, c, r := create(t, s, "nod-t-type", "sh", "-c", "stty raw -echo; printf ready; cat")
	shows(t, s, pane.ID, "ready")
	var all []byte
	for b := 255; b >= 0; b-- {
		all = append(all, byte(b))
	}
	all = append(all, strings.Repeat("ä;'\"$#{}", 300)...)
	c.Type(pane.ID, all, nil)
	r.until(t, "the echo", func() bool { return string(r.output[pane.ID]) == string(all) })
}

func TestCommandsAreAnsweredInOrder(t *testing.T) {
	s, _, _ := server(t)
	_, c, _ := create(t, s, "nod-t-order", "cat")
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			want := fmt.Sprintf("%d ;'\"$HOME ~\\{}", i)
			lines, err := c.Do(t.Context(), "display-message", "-p", want)
			if err != nil || len(lines) != 1 || lines[0] != want {
				t.Errorf("got %q, %v, want %q", lines, err, want)
			}
		})
	}
	wg.Wait()
}
