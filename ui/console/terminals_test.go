package console_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/targets"
)

// opener opens terminals in memory.
type opener struct {
	s     *story
	asked chan string
	done  chan struct{} // receives when the terminal may come
}

func (o *opener) open(ctx context.Context, target string) (console.Opened, error) {
	o.asked <- target
	select {
	case <-o.done:
	case <-ctx.Done():
		return console.Opened{}, ctx.Err()
	}
	if target == "ssh:nowhere" {
		return console.Opened{}, errors.New("no such host")
	}
	term := newTerminal("second$ ")
	term.state = console.PaneState{Target: "local", Terminal: "%2"}
	p := term.pane("second", "local · main/term-2")
	p.Name = "term-2"
	p.Close = func(_ context.Context, sure bool) error {
		term.mu.Lock()
		running := term.state.Running
		term.mu.Unlock()
		if running != "" && !sure {
			return &console.BusyError{Doing: running}
		}
		o.s.console.RemovePane("second")
		return nil
	}
	p.Rename = func(_ context.Context, name string) error {
		if name == "taken" {
			return errors.New("already there")
		}
		o.s.console.NamePane("second", "local · main/"+name, name)
		return nil
	}
	o.s.console.AddPane(p)
	term.does(console.PaneState{Target: "local", Terminal: "%2", Running: "make all"})
	return console.Opened{Target: "local", Terminal: "%2"}, nil
}

// withTerminals is a console whose operator can open terminals.
func withTerminals(t *testing.T, cols, rows int) (*story, *opener) {
	t.Helper()
	o := &opener{asked: make(chan string, 4), done: make(chan struct{}, 4)}
	s := prepare(t, cols, rows, func(opt *console.Options) {
		opt.OpenTerminal = o.open
		opt.Targets = &console.Targets{List: func() []targets.Target {
			return []targets.Target{{Name: "local", State: targets.Connected, Current: true}, {Name: "ssh:nas-1"}}
		}}
	})
	o.s = s
	p := newTerminal("first$ ").pane("first", "local · main/shared")
	p.Name, p.Main = "shared", true
	p.Close = func(context.Context, bool) error { return errors.New("it stays") }
	s.console.AddPane(p)
	s.Run(s.console.Run)
	s.See("first$")
	return s, o
}

func TestASecondTerminalIsThreeKeysAway(t *testing.T) {
	s, o := withTerminals(t, 120, 40)
	o.done <- struct{}{}
	s.Press("Ctrl-T").See("Ctrl-N new terminal").Press("n").See("new terminal               on local").See("ssh:nas-1").Press("Enter")
	s.See("2/2 ▸ local · main/term-2").See("reading local · main/term-2").See("Enter types into it")
	if target := <-o.asked; target != "" {
		t.Errorf("opened on %q", target)
	}
	s.Press("Alt-1").See("reading local · main/shared").Press("Esc").Type("/rename web").Press("Enter").See("keeps its name")
	s.Press("Alt-2", "Esc").Type("/rename taken").Press("Enter").See("already there")
	s.Type("/rename web").Press("Enter").See("2/2 ▸ local · main/web")
	s.Type("/pane shared").Press("Enter").See("reading local · main/shared").Press("Esc")
	s.Type("/pane w").See("web").Press("Tab", "Enter").See("reading local · main/web").Press("Esc")
	s.Type("/close").Press("Enter").See("main/web runs make all").See("Close it?")
	s.clock.Advance(time.Minute)
	s.decide("n").Gone("Close it?").See("2/2 ▸ local · main/web")
	s.Type("/close web").Press("Enter").See("Close it?")
	s.clock.Advance(time.Minute)
	s.decide("y").Gone("main/web ").See("local · main/shared")
}

func TestWhatCannotBeOpenedOrClosedSaysWhy(t *testing.T) {
	s, o := withTerminals(t, 100, 30)
	o.done <- struct{}{}
	s.Type("/open ssh:nowhere").Press("Enter").See("/open ssh:nowhere: no such host")
	s.Type("/close").Press("Enter").See("it stays")
	s.Type("/close 7").Press("Enter").See(`/close "7": there is no such terminal`).See("there are 1 shared")
	s.Type("/rename").Press("Enter").See("want a name")
	s.Press("Ctrl-T").See("Esc closes").Type("x").See("close terminal").See("main/shared").Press("Enter").Gone("Esc closes").See("it stays")
	// A name that begins with the letter is a target's all the same.
	s.Press("Ctrl-T").See("Esc closes").Type("nas").Gone("on local").See("ssh:nas-1").Press("Ctrl-N").Gone("Esc closes")
	<-o.asked
	if target := <-o.asked; target != "ssh:nas-1" {
		t.Errorf("opened on %q", target)
	}
	o.done <- struct{}{}
	s.See("2/2 ▸ local · main/term-2")
}

// TestATerminalThatComesLateTakesNoKeys proves that what the operator types meanwhile stays
// where they type it.
func TestATerminalThatComesLateTakesNoKeys(t *testing.T) {
	s, o := withTerminals(t, 100, 30)
	s.Type("/open").Press("Enter")
	<-o.asked
	s.Type("a draft").See("> a draft")
	o.done <- struct{}{}
	s.See("main/term-2").Type(" goes on").See("> a draft goes on").Gone("reading local")
}
