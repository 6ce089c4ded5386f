package screen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gdamore/tcell/v2"
	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/ui/screen"
)

// TestATerminalThatNobodyReadsIsGivenBack proves that Rescue needs nobody else: what
// draws stands in a write that the terminal does not take.
func TestATerminalThatNobodyReadsIsGivenBack(t *testing.T) {
	useTerm(t, "xterm-256color")
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close() //nolint:errcheck // of the test
	before, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: 50, Cols: 200}); err != nil {
		t.Fatal(err)
	}
	s, err := screen.NewAt(slave.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				s.Fill(rune('a'+i%26), tcell.StyleDefault)
				s.Show()
			}
		}
	}()
	waitFor(t, "a terminal that takes nothing", func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(slave.Fd()), Events: unix.POLLOUT}}, 0)
		return err == nil && n == 0
	})
	if !s.Rescue(2 * time.Second) {
		t.Error("it was not given back")
	}
	if !s.Rescue(0) {
		t.Error("it was given back twice")
	}
	after, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if *after != *before {
		t.Errorf("the settings were %+v and are %+v", *before, *after)
	}
	close(stop)
	var text strings.Builder
	waitFor(t, "the end of the alternate screen", func() bool {
		p := make([]byte, 64<<10)
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(master.Fd()), Events: unix.POLLIN}}, 10); err == nil && n > 0 {
			n, _ := unix.Read(int(master.Fd()), p)
			text.Write(p[:max(n, 0)])
		}
		return strings.Contains(text.String(), "\x1b[?1049l")
	})
	<-stopped
	s.Fini()
	_ = slave.Close()
	for _, off := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l", "\x1b[>4;0m", "\x1b[<u", "\x1b[?9001l", "\x1b[?1004l"} {
		if !strings.Contains(text.String(), off) {
			t.Errorf("%q was not sent", off)
		}
	}
}

// TestFiniDoesNotWaitForWhatHangs proves that the end of the screen is bounded where its
// reader does not stop.
func TestFiniDoesNotWaitForWhatHangs(t *testing.T) {
	useTerm(t, "xterm-256color")
	dev := &deafTTY{tty: newTTY(80, 24), over: make(chan struct{})}
	s, err := screen.NewOn(dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { s.Fini(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Fini hangs")
	}
	close(dev.over)
}

// deafTTY is a device whose Drain does not return.
type deafTTY struct {
	*tty
	over chan struct{}
}

func (d *deafTTY) Drain() error {
	<-d.over
	return d.tty.Drain()
}
