package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gdamore/tcell/v2"
	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/screen"
)

// terminalOf is a real pseudo terminal with an emulator at its other end.
type terminalOf struct {
	master, slave *os.File
	screen        *screen.Screen // of the console on it
	read          chan struct{}  // closed when nothing comes any more

	mu   sync.Mutex
	term *vt.Terminal
	raw  bytes.Buffer
	news chan struct{} // closed with the next output
}

func openTerminal(t testing.TB, cols, rows int) *terminalOf {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	t.Setenv("COLUMNS", "")
	t.Setenv("LINES", "")
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	// Closing a file ends a Read only if the runtime polls it.
	fd, err := unix.Dup(int(master.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(master.Close(), unix.SetNonblock(fd, true)); err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "master")
	p := &terminalOf{
		master: master, slave: slave, read: make(chan struct{}), news: make(chan struct{}),
		term: vt.New(vt.Size{Cols: cols, Rows: rows}, vt.Options{}),
	}
	go p.listen()
	t.Cleanup(func() {
		_ = slave.Close() // closed already where a test hangs up
		_ = master.Close()
		<-p.read
	})
	return p
}

func (p *terminalOf) listen() {
	defer close(p.read)
	buf := make([]byte, 64<<10)
	for {
		n, err := p.master.Read(buf)
		if n > 0 {
			p.mu.Lock()
			p.raw.Write(buf[:n])
			_, _ = p.term.Write(buf[:n]) // an emulator takes everything
			close(p.news)
			p.news = make(chan struct{})
			p.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// until waits for something on the emulated screen.
func (p *terminalOf) until(t testing.TB, what string, ok func(*vt.Snapshot) bool) {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		p.mu.Lock()
		now, news := p.term.Snapshot(), p.news
		p.mu.Unlock()
		if ok(now) {
			return
		}
		select {
		case <-news:
		case <-timeout:
			t.Fatalf("%s did not come; the terminal shows\n%s", what, now.String())
		}
	}
}

func (p *terminalOf) see(t testing.TB, text string) {
	t.Helper()
	p.until(t, text, func(s *vt.Snapshot) bool { return strings.Contains(s.String(), text) })
}

func (p *terminalOf) press(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(p.master, keys); err != nil {
		t.Fatal(err)
	}
}

// sent is what was sent since the last call.
func (p *terminalOf) sent() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.raw.String()
	p.raw.Reset()
	return s
}

// frame has everything so far drawn, and returns what was sent since the last call
// of sent or frame. The mark at its end is the test's own, and nobody sees it.
func (p *terminalOf) frame(t testing.TB) string {
	t.Helper()
	drawn := make(chan struct{})
	if err := p.screen.PostEvent(tcell.NewEventInterrupt(func() { close(drawn) })); err != nil {
		t.Fatal(err)
	}
	select {
	case <-drawn:
	case <-time.After(time.Minute):
		t.Fatal("no frame is drawn")
	}
	const mark = "\x1b]0;here a frame ends\a"
	if _, err := p.slave.WriteString(mark); err != nil {
		t.Fatal(err)
	}
	var sent string
	p.until(t, "the end of a frame", func(*vt.Snapshot) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		var found bool
		if sent, found = strings.CutSuffix(p.raw.String(), mark); found {
			p.raw.Reset()
		}
		return found
	})
	return sent
}

// resize gives the terminal another size, as a window that is dragged does.
func (p *terminalOf) resize(t testing.TB, cols, rows int) {
	t.Helper()
	p.mu.Lock()
	p.term.Resize(vt.Size{Cols: cols, Rows: rows})
	p.mu.Unlock()
	if err := pty.Setsize(p.slave, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	// It is not this process's own terminal, so nobody else tells.
	if err := unix.Kill(os.Getpid(), unix.SIGWINCH); err != nil {
		t.Fatal(err)
	}
}

func (p *terminalOf) settings(t testing.TB) string {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(p.slave.Fd()), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", *s)
}

// run runs a console on the terminal.
func (p *terminalOf) run(ctx context.Context, t testing.TB, opt console.Options, prepare ...func(*console.Console)) <-chan error {
	t.Helper()
	s, err := screen.NewAt(p.slave.Name())
	if err != nil {
		t.Fatal(err)
	}
	p.screen, opt.Screen = s, s
	opt.Mouse = true
	if opt.Submit == nil {
		opt.Submit = (&model{}).Submit
	}
	c, err := console.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range prepare {
		f(c)
	}
	ctx, cancel := context.WithCancel(ctx)
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(gone)
		ended <- c.Run(ctx)
	}()
	t.Cleanup(func() { // before the terminal is closed
		cancel()
		<-gone
	})
	return ended
}

func TestTheTerminalIsAsBefore(t *testing.T) {
	errTerm := errors.New("terminated")
	cases := map[string]struct {
		end  func(t *testing.T, p *terminalOf, cancel context.CancelCauseFunc)
		want func(error) bool
	}{
		"after quitting": {
			func(t *testing.T, p *terminalOf, _ context.CancelCauseFunc) { p.press(t, "/quit\r") },
			func(err error) bool { return err == nil },
		},
		"after a signal": {
			func(_ *testing.T, _ *terminalOf, cancel context.CancelCauseFunc) { cancel(errTerm) },
			func(err error) bool { return errors.Is(err, errTerm) },
		},
		"after a panic": {
			func(t *testing.T, p *terminalOf, _ context.CancelCauseFunc) { p.press(t, "boom\r") },
			func(err error) bool { p := (*console.PanicError)(nil); return errors.As(err, &p) },
		},
		"in the middle of a paste": {
			func(t *testing.T, p *terminalOf, cancel context.CancelCauseFunc) {
				p.press(t, "\x1b[200~"+strings.Repeat("pasted ", 500))
				cancel(errTerm)
			},
			func(err error) bool { return errors.Is(err, errTerm) },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := openTerminal(t, 100, 30)
			before := p.settings(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			ended := p.run(ctx, t, console.Options{
				Submit: func(_ context.Context, prompt string, _ agent.Sink) error { panic(prompt) },
			})
			p.see(t, "ask for something")
			if p.settings(t) == before {
				t.Error("the terminal was not taken over")
			}
			c.end(t, p, cancel)
			select {
			case err := <-ended:
				if !c.want(err) {
					t.Errorf("%v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("the console does not end")
			}
			if after := p.settings(t); after != before {
				t.Errorf("settings:\n%s\nbefore:\n%s", after, before)
			}
			p.restored(t)
		})
	}
}

// restored waits until every mode is off again.
func (p *terminalOf) restored(t *testing.T) {
	t.Helper()
	p.until(t, "the restored terminal", func(s *vt.Snapshot) bool {
		return !s.Alternate && s.Cursor.Visible && !s.Modes.BracketedPaste && s.Modes.Mouse == vt.MouseOff && !s.Modes.Focus
	})
}

func TestAHangUpEndsTheConsole(t *testing.T) {
	p := openTerminal(t, 80, 24)
	ended := p.run(t.Context(), t, console.Options{})
	p.see(t, "ask for something")
	if err := p.slave.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.master.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, console.ErrTerminalGone) {
			t.Errorf("%v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the console does not end")
	}
}

func TestAnswersOfTheTerminalAreNoInput(t *testing.T) {
	p := openTerminal(t, 80, 24)
	p.run(t.Context(), t, console.Options{})
	p.see(t, "ask for something")
	p.press(t, "a\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\b\x1b]11;rgb:ffff/ffff/ffff\x07c\x1b[?62;22cd\x1b[?2026;2$y\x1bP>|term 1.0\x1b\\e")
	p.see(t, "> abcde ")
}

func TestBytesPerKeyAndWhenIdle(t *testing.T) {
	p := openTerminal(t, 120, 40)
	p.run(t.Context(), t, console.Options{Status: console.Status{TargetStatus: console.TargetStatus{Name: "local"}, Posture: "ask"}})
	p.see(t, "ask for something")
	p.press(t, "x")
	p.see(t, "> x ")
	p.sent()
	typed := "what is filling the disk"
	for i := range typed {
		p.press(t, typed[i:i+1])
		p.until(t, "an echo", func(s *vt.Snapshot) bool { return s.Cursor.Col == 4+1+i })
	}
	p.see(t, "> x"+typed)
	if n := len(p.sent()); n > 24*len(typed) {
		t.Errorf("%d bytes for %d keys", n, len(typed))
	} else {
		t.Logf("%.1f bytes a key", float64(n)/float64(len(typed)))
	}
	time.Sleep(400 * time.Millisecond)
	if out := p.sent(); out != "" {
		t.Errorf("%q was sent while nothing happened", out)
	}
}

func TestTheOperatorIsCalledBackWhenHeLooksElsewhere(t *testing.T) {
	p := openTerminal(t, 80, 24)
	t.Setenv("TERM_PROGRAM", "")
	var approver policy.Approver
	asked := make(chan struct{})
	p.run(t.Context(), t, console.Options{
		Submit: func(ctx context.Context, prompt string, _ agent.Sink) error {
			if prompt == "later" {
				<-asked
			}
			_, err := approver.Approve(ctx, request(prompt, "touch /tmp/"+prompt))
			return err
		},
	}, func(c *console.Console) { approver = c.Approver() })
	p.see(t, "ask for something")
	p.press(t, "now\r")
	p.see(t, "touch /tmp/now")
	p.press(t, "\x03")
	p.see(t, "nothing running")
	if out := p.sent(); strings.Contains(out, "\a") {
		t.Error("the bell rings although he looks")
	}
	p.press(t, "later\r")
	p.see(t, "working")
	p.press(t, "\x1b[Oz") // the focus is lost; a key follows, to be seen
	p.see(t, "> z")
	close(asked)
	p.see(t, "touch /tmp/later")
	if out := p.sent(); !strings.Contains(out, "\a\x1b]777;notify;nod;waits for your nod: run_shell on local\x1b\\") {
		t.Errorf("%q was sent", out)
	}
}

func BenchmarkFirstFrame(b *testing.B) {
	var all []time.Duration
	for b.Loop() {
		p := openTerminal(b, 120, 40)
		ctx, cancel := context.WithCancel(context.Background())
		began := time.Now()
		ended := p.run(ctx, b, console.Options{})
		p.see(b, "ask for something")
		all = append(all, time.Since(began))
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			b.Fatal(err)
		}
	}
	report(b, all)
}

func BenchmarkKeyToEcho(b *testing.B) {
	p := openTerminal(b, 120, 40)
	p.run(b.Context(), b, console.Options{})
	p.see(b, "ask for something")
	p.sent()
	var all []time.Duration
	for i := 0; b.Loop(); i++ {
		time.Sleep(20 * time.Millisecond) // nobody types faster
		began := time.Now()
		p.press(b, "x")
		col := 4 + i%40
		p.until(b, "an echo", func(s *vt.Snapshot) bool { return s.Cursor.Col == col })
		all = append(all, time.Since(began))
		if i%40 == 39 {
			p.press(b, "\x15")
			p.until(b, "an empty line", func(s *vt.Snapshot) bool { return s.Cursor.Col == 3 })
		}
	}
	report(b, all)
}

// BenchmarkKeyToEchoInAFlood measures an echo while a terminal beside the chat
// changes as fast as it can.
func BenchmarkKeyToEchoInAFlood(b *testing.B) {
	p := openTerminal(b, 120, 40)
	flood := newTerminal("")
	p.run(b.Context(), b, console.Options{}, func(c *console.Console) { c.AddPane(flood.pane("%1", "flood")) })
	p.see(b, "ask for something")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				flood.write(fmt.Sprintf("line %d of a flood\r\n", i))
			}
		}
	}()
	var all []time.Duration
	for i := 0; b.Loop(); i++ {
		time.Sleep(20 * time.Millisecond)
		began := time.Now()
		key := string(rune('a' + i%26))
		text := "> " + key + " "
		p.press(b, "\x15"+key)
		p.see(b, text)
		all = append(all, time.Since(began))
	}
	close(stop)
	<-stopped
	report(b, all)
}

func report(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
}
