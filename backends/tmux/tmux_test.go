package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
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

// patience bounds waits for what must happen, on a machine with much else to do.
const patience = time.Minute

// until waits for a condition on what was recorded.
func (r *recorder) until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	limit := time.After(patience)
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
			t.Fatalf("waited for %s; output %.400q, notes %q", what, r.output, r.notes)
		}
	}
}

func create(t testing.TB, s *tmux.Server, name string, shell ...string) (tmux.Pane, *tmux.Client, *recorder) {
	t.Helper()
	_, err := s.Create(t.Context(), tmux.NewSession{
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
	for limit := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
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
	r.until(t, "the echo", func() bool {
		// What was written before the attaching may come once more.
		return strings.TrimPrefix(string(r.output[pane.ID]), "ready") == string(all)
	})
}

// A text that is long enough goes another way than keys do.
func TestALongTextIsTypedExactlyAndInOrder(t *testing.T) {
	s, _, _ := server(t)
	pane, c, r := create(t, s, "nod-t-long", "sh", "-c", "stty raw -echo; printf ready; cat")
	shows(t, s, pane.ID, "ready")
	var all []byte
	for i := range 48 << 10 { // each byte behind each other one
		all = append(all, byte(i*(i>>8)+i), byte(i>>8|1))
	}
	all = append(all, strings.Repeat("\r\n\t日本 ;}", 5000)...)
	all = append(all, 0, 0)
	all = append(all, strings.Repeat("\xff\n\\", 2000)...)
	c.Type(pane.ID, []byte("before"), nil)
	c.Type(pane.ID, all, nil)
	c.Keys(pane.ID, []string{"b", "e", "Up"}, nil)
	want := "before" + string(all) + "be\x1b[A"
	r.until(t, "the echo", func() bool { return strings.TrimPrefix(string(r.output[pane.ID]), "ready") == want })
	if left, err := c.Do(t.Context(), "list-buffers"); err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
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

func TestQuoteIsExact(t *testing.T) {
	s, _, _ := server(t)
	_, c, _ := create(t, s, "nod-t-quote", "cat")
	var every strings.Builder
	for b := 1; b < 256; b++ {
		every.WriteByte(byte(b))
	}
	for _, text := range []string{
		"", " ", "~", "~root", "%if", "%end 1 2 1", "=x", "$HOME", "#{pid}", "#(id)", "a;b", ";", `\`, `"`, "'", "{", "}",
		"a\nb\n", "-t", "日本語", strings.Repeat("x", 200_000), every.String(),
	} {
		if _, err := c.Do(t.Context(), "set-buffer", "-b", "q", "--", text+"|"); err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		got, err := s.Run(t.Context(), "show-buffer", "-b", "q")
		if err != nil || string(got) != text+"|" {
			t.Errorf("%.40q came back as %.40q (%d bytes), %v", text, got, len(got), err)
		}
	}
}

func TestARefusedCommandStopsItsLineAndNoOther(t *testing.T) {
	s, _, _ := server(t)
	_, c, _ := create(t, s, "nod-t-refuse", "cat")
	failed := make(chan error, 1)
	c.Queue(func(_ [][]string, err error) { failed <- err },
		[]string{"display-message", "-p", "a"}, []string{"no-such-command"}, []string{"display-message", "-p", "b"})
	lines, err := c.Do(t.Context(), "display-message", "-p", "c")
	if err != nil || len(lines) != 1 || lines[0] != "c" {
		t.Errorf("the next command: %q, %v", lines, err)
	}
	var refused *tmux.CommandError
	if err := <-failed; !errors.As(err, &refused) {
		t.Errorf("error %v", err)
	}
	failed2 := make(chan error, 1)
	c.Queue(func(_ [][]string, err error) { failed2 <- err },
		[]string{"display-message", "-p", "a"}, []string{"kill-session", "-t", "=none"}, []string{"display-message", "-p", "b"})
	if lines, err = c.Do(t.Context(), "display-message", "-p", "d"); err != nil || lines[0] != "d" {
		t.Errorf("the next command: %q, %v", lines, err)
	}
	if err := <-failed2; !errors.As(err, &refused) || !strings.Contains(refused.Message, "none") {
		t.Errorf("error %v", err)
	}
}

func TestASeedSurvivesAForgedEndOfReply(t *testing.T) {
	s, _, _ := server(t)
	// A screen full of guesses at the end of the next reply: its time and its
	// number, which counts up.
	const guesses = `stty raw -echo; printf ready; read x; now=$(date +%s); for t in $((now+1)) $((now+2)); do
		seq -f "%%end $t %g 1" 250 450 | sed 's/$/\r/'; done; printf last; sleep 100`
	pane, c, _ := create(t, s, "nod-t-forge", "bash", "-c", guesses)
	shows(t, s, pane.ID, "ready")
	c.Type(pane.ID, []byte("\n"), nil)
	shows(t, s, pane.ID, "last")
	for limit := time.Now().Add(2500 * time.Millisecond); time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
		got := make(chan vt.Seed, 1)
		c.Seed(pane.ID, true, func(s vt.Seed, err error) {
			if err != nil {
				t.Error(err)
			}
			got <- s
		})
		if got := <-got; len(got.Lines) != 24 || !strings.HasPrefix(string(got.Lines[23]), "last") || len(got.Scrollback) != got.History {
			t.Fatalf("%d lines, %d of %d in the scrollback", len(got.Lines), len(got.Scrollback), got.History)
		}
	}
}

func TestOnlyOwnSessionsAreSeenAndEnded(t *testing.T) {
	s, _, _ := server(t)
	if all, err := s.Sessions(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("without a server: %v, %v", all, err)
	}
	create(t, s, "nod-t-own", "cat")
	for _, name := range []string{"nod-t-own-longer", "theirs"} {
		if _, err := s.Run(t.Context(), "new-session", "-d", "-s", name, "cat"); err != nil {
			t.Fatal(err)
		}
		if err := s.Kill(t.Context(), name); !errors.Is(err, tmux.ErrForeign) {
			t.Errorf("kill %q: %v", name, err)
		}
		id, err := s.Run(t.Context(), "display-message", "-p", "-t", "="+name+":", "#{session_id}")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Kill(t.Context(), strings.TrimSpace(string(id))); !errors.Is(err, tmux.ErrForeign) {
			t.Errorf("kill %q as %s: %v", name, id, err)
		}
		if _, err := s.Run(t.Context(), "has-session", "-t", "="+name); err != nil {
			t.Errorf("%q has ended: %v", name, err)
		}
	}
	all, err := s.Sessions(t.Context())
	if err != nil || len(all) != 1 || all[0].Name != "nod-t-own" || all[0].Owner != tmux.Owner() {
		t.Errorf("sessions %v, %v", all, err)
	}
	// A name is no prefix.
	if err := s.Kill(t.Context(), "nod-t-ow"); err != nil {
		t.Errorf("kill of none: %v", err)
	}
	if _, err := s.Panes(t.Context(), "nod-t-ow"); !errors.Is(err, tmux.ErrNoSession) {
		t.Errorf("panes of none: %v", err)
	}
	if err := s.Kill(t.Context(), all[0].ID); err != nil {
		t.Error(err)
	}
	if _, err := s.Panes(t.Context(), "nod-t-own"); !errors.Is(err, tmux.ErrNoSession) {
		t.Errorf("what was ended is there: %v", err)
	}
	if err := s.Kill(t.Context(), all[0].ID); err != nil {
		t.Errorf("kill of what was ended: %v", err)
	}
	if _, err := s.Create(t.Context(), tmux.NewSession{Name: "mine"}); !errors.Is(err, tmux.ErrForeign) {
		t.Errorf("a session without the prefix: %v", err)
	}
}

func TestOnlyOneOfManyAdopts(t *testing.T) {
	s, _, _ := server(t)
	create(t, s, "nod-t-adopt", "cat")
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			ok, err := s.Adopt(t.Context(), "nod-t-adopt", tmux.Owner(), fmt.Sprintf("heir/%d/x", i))
			if err != nil {
				t.Error(err)
			}
			if ok {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d adopted", won.Load())
	}
}

// A server that has just lost its last session refuses the next client for a
// moment.
func TestASessionCanFollowTheLastOne(t *testing.T) {
	s, _, _ := server(t)
	for range 20 {
		n := tmux.NewSession{Name: "nod-t-next", Window: "w", Owner: tmux.Owner(), Size: backends.Size{Cols: 80, Rows: 24}, Shell: []string{"cat"}}
		if _, err := s.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if err := s.Kill(t.Context(), n.Name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACommandAfterTheEndIsErrGone(t *testing.T) {
	s, _, _ := server(t)
	_, c, _ := create(t, s, "nod-t-gone", "cat")
	if err := s.Kill(t.Context(), "nod-t-gone"); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	if !errors.Is(c.Err(), tmux.ErrGone) {
		t.Errorf("why it ended: %v", c.Err())
	}
	if _, err := c.Do(t.Context(), "display-message", "-p", "x"); !errors.Is(err, tmux.ErrGone) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Attach(t.Context(), "nod-t-gone", newRecorder()); !errors.Is(err, tmux.ErrGone) {
		t.Errorf("attach to none: %v", err)
	}
}

func TestAReplacedPaneWorksBesideAControlClient(t *testing.T) {
	s, _, _ := server(t)
	pane, c, _ := create(t, s, "nod-t-replace", "sh", "-c", "seq 1 2000; exit 3")
	for range 10 {
		next, err := s.Replace(t.Context(), pane, []string{"sh", "-c", "seq 1 2000; exit 3"})
		if err != nil {
			t.Fatal(err)
		}
		if next.ID == pane.ID || next.Name != "shared" {
			t.Errorf("pane %+v in place of %+v", next, pane)
		}
		pane = next
		for limit := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			panes, err := s.Panes(t.Context(), "nod-t-replace")
			if err != nil || len(panes) != 1 || time.Now().After(limit) {
				t.Fatalf("panes %+v, %v", panes, err)
			}
			if panes[0].Dead {
				break
			}
		}
	}
	if _, err := c.Do(t.Context(), "display-message", "-p", "alive"); err != nil {
		t.Error(err)
	}
}

func TestATmuxThatCannotBeDrivenIsAClearError(t *testing.T) {
	dir := t.TempDir()
	open := func(script string) error {
		t.Helper()
		backendtest.WriteProgram(t, filepath.Join(dir, "tmux"), "#!/bin/sh\n"+script+"\n")
		target := local.New([]string{"PATH=" + dir})
		defer func() {
			if err := target.Close(); err != nil {
				t.Error(err)
			}
		}()
		_, err := tmux.Open(t.Context(), target, tmux.Options{})
		return err
	}
	var old *tmux.TooOldError
	if err := open("echo tmux 2.8"); !errors.As(err, &old) || err.Error() != `tmux too old: "2.8", need 3.0 or later` {
		t.Errorf("error %v", err)
	}
	if err := open("echo 'usage: tmux' >&2; exit 1"); !errors.As(err, &old) {
		t.Errorf("error %v", err)
	}
	if err := open("exit 127"); !errors.Is(err, tmux.ErrNoTmux) {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "tmux")); err != nil {
		t.Fatal(err)
	}
	target := local.New([]string{"PATH=" + dir})
	if _, err := tmux.Open(t.Context(), target, tmux.Options{}); !errors.Is(err, tmux.ErrNoTmux) {
		t.Errorf("error %v", err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
}

func TestAttachCommand(t *testing.T) {
	s, _, socket := server(t)
	if got, want := s.AttachCommand("nod-x"), "tmux -S "+socket+" attach -t '=nod-x'"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
