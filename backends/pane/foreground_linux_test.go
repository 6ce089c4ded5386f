package pane

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/vt"
)

// A process that is ending has no memory, and what it was cannot be told from that.
func TestAnEndingProcessIsNoOtherProgram(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, stat, _ := strings.Cut(string(text), ") ")
	if p := programOf(stat); p == "" || p == hasEnded {
		t.Fatalf("this process is %q", p)
	}
	fields := strings.Fields(stat)
	for _, n := range []int{23, 26, 27, 28, 29, 30, 45, 46, 47, 48, 49, 50, 51} { // proc(5)
		fields[n-3] = "0"
	}
	if p := programOf(strings.Join(fields, " ")); p != "" {
		t.Errorf("one that is ending is %q", p)
	}
	if p := programOf("Z " + strings.Join(fields[1:], " ")); p != hasEnded {
		t.Errorf("one that has ended is %q", p)
	}
}

// kernel is a terminal of which only the kernel is asked.
type kernel struct {
	wire
	says  func() front
	looks func() // nil if nothing was written before
}

func (k kernel) id() string                                     { return "%0" }
func (k kernel) front(context.Context, int, int) (front, error) { return k.says(), nil }
func (k kernel) host() backends.Target                          { return reader{} }

func (k kernel) look(then func(sight, error)) {
	if k.looks != nil {
		k.looks()
	}
	then(sight{pid: 6}, nil)
}

// reader is a target on which some process always reads the terminal.
type reader struct{ backends.Target }

func (reader) Exec(_ context.Context, c backends.Command) (backends.Process, error) {
	_, err := io.WriteString(c.Stdout, "reads\n")
	return exited{}, err
}

type exited struct{ backends.Process }

func (exited) Wait() (backends.Outcome, error) { return backends.ExitedWith(0), nil }

// The end of the pane's own shell is told by the terminal: to the kernel's word that it
// has ended, nothing is concluded, and least of all that exec has replaced it.
func TestAShellThatHasEndedWasNotReplaced(t *testing.T) {
	t.Parallel()
	for said, replaced := range map[program]bool{hasEnded: false, "": false, "1.2": false, "1.3": true} {
		p := &Pane{level: newLevel(""), change: make(chan struct{}), wire: kernel{says: func() front { return front{home: said} }}}
		p.phase, p.home, p.exec = executing, 7, "1.2"
		if err := p.lookAround(t.Context(), sight{pid: 7}); err != nil {
			t.Fatal(err)
		}
		if got := p.generation > 0; got != replaced {
			t.Errorf("%q: replaced %t, want %t", said, got, replaced)
		}
	}
}

// What the kernel says while the pane writes is of another moment. A shell that has taken
// the place of the pane's is waited for, however often its first words come between.
func TestAShellByHandIsWaitedForUntilTheKernelHasSpoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := byHand("exec bash")
		asked := 0
		p.wire = kernel{says: func() front {
			if asked++; asked < 5 {
				time.Sleep(200 * time.Millisecond)
				p.output([]byte("welcome\r\n"))
			}
			return front{pid: 7, home: "1.3", name: "bash", argv: []string{"bash"}}
		}}
		if err := p.idle(t.Context()); err != nil || p.generation != 1 || asked != 5 {
			t.Errorf("error %v, generation %d, asked %d times", err, p.generation, asked)
		}
	})
}

// What has ended is not said to hold the pane because the shell behind it reads keys.
func TestWhatHasEndedHoldsNoPane(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := byHand("sleep 0.1; false")
		looks := 0
		p.wire = kernel{
			says: func() front { return front{pid: 8, home: "1.2", name: "sleep", argv: []string{"sleep", "0.1"}} },
			looks: func() {
				if looks++; looks == 2 { // the first came before the kernel was asked
					p.mu.Lock()
					p.phase = atPrompt
					p.mu.Unlock()
				}
			},
		}
		if err := p.idle(t.Context()); err != nil || looks != 2 {
			t.Errorf("error %v, looked %d times", err, looks)
		}
		p.phase, looks = executing, 0
		if held := p.Held(t.Context()); held != "" || looks != 2 {
			t.Errorf("held by %q, looked %d times", held, looks)
		}
	})
}

// byHand is a pane in whose shell somebody has entered a command.
func byHand(command string) *Pane {
	p := &Pane{
		level: newLevel(""), change: make(chan struct{}), poke: make(chan struct{}, 1), closed: make(chan struct{}),
		term: vt.New(vt.Size{Cols: 80, Rows: 24}, vt.Options{}),
	}
	p.scan.Plain = p.plain
	p.phase, p.home, p.exec, p.doing = executing, 7, "1.2", command
	return p
}

// A line that was typed ahead of the prompt is read soon, but not at once: the run ends when
// that cannot be any more.
func TestARunBehindAnotherLineIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := byHand("head -n 1")
		p.wire = kernel{says: func() front { return front{pid: 7, home: "1.2", name: "bash", rests: true} }}
		p.shell, p.phase, p.lastly = Bash, dispatched, time.Now()
		<-p.turn
		p.run = newRun(Request{Command: "true"})
		p.crossed, p.refusal, p.unread = crossed{ended: true}, backends.ExitedWith(0), true
		r := p.run
		for waited := time.Duration(0); waited < overtakenFor; waited += time.Second {
			if err := p.lookAround(t.Context(), sight{pid: 7}); err != nil || p.run != r {
				t.Fatalf("error %v, ended after %v", err, waited)
			}
			time.Sleep(time.Second)
		}
		if err := p.lookAround(t.Context(), sight{pid: 7}); err != nil || p.run != nil {
			t.Errorf("error %v, ended: %t", err, p.run == nil)
		}
		<-r.Done()
		if res := r.Result(); res.Outcome.State != backends.Unknown || len(res.Notices) == 0 {
			t.Errorf("%+v", res)
		}
	})
}
