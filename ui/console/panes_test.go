package console_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/targets"
)

// many adds n terminals, the last of which is the main one.
func (s *story) many(n int) []*terminal {
	var all []*terminal
	for i := range n {
		term := newTerminal(fmt.Sprintf("this is terminal %d\r\n$ ", i))
		p := term.pane(fmt.Sprint(i), fmt.Sprintf("local · ops/t%d", i))
		p.Name, p.Main = fmt.Sprintf("t%d", i), i == n-1
		s.console.AddPane(p)
		all = append(all, term)
	}
	return all
}

func TestAnyNumberOfPanesHasALayout(t *testing.T) {
	for _, n := range []int{1, 2, 4, 9, 16} {
		atEverySize(t, fmt.Sprintf("panes-%d", n), func(s *story) {
			terms := s.many(n)
			terms[0].does(console.PaneState{Target: "local", Terminal: "%0", Running: "make all"})
			s.Run(s.console.Run)
			s.Idle().Press("Tab", "Tab").See("ops/t" + fmt.Sprint(n-1))
		})
	}
}

// TestTrustStandsInEachPanesFrame proves that each pane says how much its machine
// matters, at every size and while the operator types into it.
func TestTrustStandsInEachPanesFrame(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}} {
		s := prepare(t, size[0], size[1], nil)
		for i, trust := range []string{"prod", "stage"} {
			p := newTerminal("$ ").pane(fmt.Sprint(i), "ssh:web-1.intern.example.com · ops/t"+fmt.Sprint(i))
			p.Trust, p.Main = trust, i == 0
			s.console.AddPane(p)
		}
		s.Run(s.console.Run)
		s.Idle().Press("Tab", "Tab").See("●prod")
		if size[0] >= 120 {
			s.See("●stage")
		}
		s.Press("Ctrl-]").See("typing").See("●prod")
		if size[0] >= 120 {
			s.See("●stage")
		}
	}
}

func TestTheMainPaneStandsFirstAndTheKeyboardStays(t *testing.T) {
	s := prepare(t, 80, 24, nil)
	s.many(9)
	s.Run(s.console.Run)
	s.Idle().See("1/9 local · ops/t8").See("[1 t8]").Press("Tab", "Tab", "Tab").See("2/9 local · ops/t0").See("[2 t0]")
	s.console.RemovePane("8")
	s.See("1/8 local · ops/t0")
	fresh := newTerminal("fresh").pane("fresh", "local · ops/fresh")
	fresh.Main = true
	s.console.AddPane(fresh)
	s.See("2/9 local · ops/t0").See("reading local · ops/t0")
	// From the input, the main pane is the one that is shown.
	s.Press("Esc")
	s.console.RemovePane("fresh")
	s.See("1/8 local · ops/t0")
	s.console.AddPane(fresh)
	s.See("1/9 local · ops/fresh")
}

func TestAllPanesAreReachedAndNamed(t *testing.T) {
	s := prepare(t, 80, 24, nil)
	s.many(16)
	s.Run(s.console.Run)
	s.Idle().Press("Tab")
	for i := range 16 {
		name := fmt.Sprintf("t%d", (i+15)%16)
		s.Press("Tab").See(fmt.Sprintf("[%d %s]", i+1, name)).See("reading local · ops/" + name)
	}
	s.Press("Tab").Gone("reading local").Press("Shift-Tab").See("[16 t14]")
	s.Press("Ctrl-O").See("zoomed").See(" 1  2  3 ").See(" 15 [16 t14]") // there is room for all numbers
}

func TestAClickInTheBarChoosesAPane(t *testing.T) {
	s := prepare(t, 120, 40, func(o *console.Options) { o.Mouse = true })
	s.many(9)
	s.Run(s.console.Run)
	bar := s.Idle().Row(1)
	before, _, found := strings.Cut(bar, " 4 t2 ")
	if !found {
		t.Fatalf("the bar is %q", bar)
	}
	x := len([]rune(before)) + 1
	s.Mouse(x, 1, tcell.Button1).Mouse(x, 1, tcell.ButtonNone).See("[4 t2]").See("reading local · ops/t2")
}

// does says what goes on in the terminal.
func (t *terminal) does(now console.PaneState) {
	t.mu.Lock()
	t.state = now
	changed := t.changed
	t.mu.Unlock()
	if changed != nil {
		changed()
	}
}

func TestWhatGoesOnInAPaneIsMarked(t *testing.T) {
	s := prepare(t, 120, 40, nil)
	terms := s.many(9)
	s.Run(s.console.Run)
	s.Idle().See(" 3 t1 ").Type("draft")
	terms[1].does(console.PaneState{Target: "local", Terminal: "%1", Running: "make\n  all"})
	s.See(" 3▸ t1 ").See("[1 t8]").See("> draft") // it is marked, and nothing else moves
	s.Press("Tab", "Tab", "Tab", "Tab").See("3/9 ▸ local · ops/t1").See("runs make all")
	terms[1].does(console.PaneState{Target: "local", Terminal: "%1"})
	s.Gone("▸").Gone("runs make")
}

func TestOthersAtAPaneAreSaid(t *testing.T) {
	s := prepare(t, 120, 40, nil)
	term := s.many(1)[0]
	s.Run(s.console.Run)
	s.Idle().See("live 40×10")
	term.does(console.PaneState{Watchers: 1})
	s.See("1 other terminal").See("live 40×10")
	term.does(console.PaneState{Watchers: 2})
	s.See("2 other terminals")
	term.does(console.PaneState{Watchers: 2, Typed: s.clock.Now()})
	s.See("2 other terminals, typed 07:08:09")
	term.does(console.PaneState{Fault: "polled"})
	s.Gone("other terminals").See("polled")
	term.does(console.PaneState{})
	s.Gone("polled").See("live 40×10")
}

// aboutPane is a request about a pane.
func aboutPane(id, command, pane string) policy.Request {
	r := request(id, command)
	r.Action.Pane = pane
	return r
}

func TestThePaneOfADialogIsShown(t *testing.T) {
	s := prepare(t, 80, 24, nil)
	terms := s.many(9)
	for i, term := range terms {
		term.does(console.PaneState{Target: "local", Terminal: fmt.Sprintf("%%%d", i)})
	}
	s.Run(s.console.Run)
	s.Idle().Press("Tab", "Tab", "Ctrl-O").See("this is terminal 8").See("zoomed")
	answers := s.ask(t.Context(), aboutPane("1", "touch x", "%5"))
	s.See("touch x").See("this is terminal 5").See("7/9 ? local · ops/t5").See("[7? t5]").See("waits for your nod")
	s.clock.Advance(time.Minute)
	s.decide("n").Gone("touch x").See("this is terminal 8").See("reading local · ops/t8, zoomed")
	answer(t, answers)
}

// A pane hears when it comes into view and when it leaves it, also by its end.
func TestAPaneHearsWhetherItIsInView(t *testing.T) {
	s := prepare(t, 80, 24, nil)
	var mu sync.Mutex
	in := map[string]bool{}
	for i := range 3 {
		p := newTerminal(fmt.Sprintf("this is terminal %d", i)).pane(fmt.Sprint(i), fmt.Sprintf("local · ops/t%d", i))
		p.Shown = func(shown bool) {
			mu.Lock()
			defer mu.Unlock()
			if in[p.ID] == shown {
				t.Errorf("pane %s is told %t twice", p.ID, shown)
			}
			in[p.ID] = shown
		}
		s.console.AddPane(p)
	}
	view := func(when, want string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		got := ""
		for _, id := range []string{"0", "1", "2"} {
			if in[id] {
				got += id
			}
		}
		if got != want {
			t.Errorf("%s: %q are in view, want %q", when, got, want)
		}
	}
	s.Run(s.console.Run)
	s.Idle().Press("Tab", "Tab", "Ctrl-O").See("terminal 0").See("zoomed").Idle()
	view("zoomed", "0")
	s.Press("Tab").See("terminal 1").Gone("terminal 0").Idle()
	view("at the next one", "1")
	s.console.RemovePane("1")
	s.Gone("terminal 1").See("terminal 0").See("terminal 2").Idle() // not zoomed any more
	view("ended", "02")
}

// standing is what the panes of actions look like.
type standing struct {
	mu    sync.Mutex
	fault error
	asked int
}

func (s *standing) check(context.Context, tools.Action, time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.fault
}

func (s *standing) is(fault error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

func (s *standing) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func TestAPaneThatChangesVoidsTheProposalForIt(t *testing.T) {
	stands := &standing{}
	s := prepare(t, 120, 40, func(o *console.Options) { o.Standing = stands.check })
	term := s.many(1)[0]
	term.does(console.PaneState{Target: "local", Terminal: "%0"})
	s.Run(s.console.Run)
	answers := s.ask(t.Context(), aboutPane("1", "touch x", "%0"))
	s.See("touch x").See("y approve")
	s.clock.Advance(time.Minute)
	wait(t, func() bool { return stands.times() > 0 }, func() string { return "nobody looks" })
	stands.is(errors.New("the line changed"))
	term.write("rm")
	s.See("void: the line changed").Gone("y approve").Idle().Press("y", "c", "y").See("void: the line changed")
	stands.is(nil) // once void, it stays void
	term.write("\b\b  \b\b")
	s.decide("y").See("touch x")
	s.decide("n").Gone("touch x")
	if a := answer(t, answers); a.Approved || a.Void != "the line changed" {
		t.Errorf("%+v", a)
	}
	// The next request is another one, and so is the look at its pane.
	before := stands.times()
	answers = s.ask(t.Context(), aboutPane("2", "touch y", "%0"))
	s.See("touch y").See("y approve")
	wait(t, func() bool { return stands.times() > before }, func() string { return "nobody looks again" })
	s.clock.Advance(time.Minute)
	s.decide("y")
	if a := answer(t, answers); !a.Approved {
		t.Errorf("%+v", a)
	}
}

func TestAPaneThatChangedBeforeTheDialogVoidsItToo(t *testing.T) {
	stands := &standing{fault: errors.New("the line changed")}
	s := prepare(t, 40, 10, func(o *console.Options) { o.Standing = stands.check })
	s.Run(s.console.Run)
	answers := s.ask(t.Context(), aboutPane("1", "touch x", "%0"))
	s.See("touch x").See("void: the line").Gone("y approve")
	s.clock.Advance(time.Minute)
	s.decide("Enter").Gone("touch x")
	if a := answer(t, answers); a.Approved || a.Void != "the line changed" {
		t.Errorf("%+v", a)
	}
}

// The dialog says that its target cannot be reached, whichever target the top
// line shows, from the beginning and when that changes.
func TestTheDialogSaysThatTheLinkIsDown(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	s := begin(t, 120, 40, func(o *console.Options) {
		o.Targets = &console.Targets{List: func() []targets.Target {
			web := targets.Target{Name: "ssh:web", State: targets.Connected}
			if down.Load() {
				web.State, web.Detail = targets.Lost, "connection lost since 12:00:00"
			}
			return []targets.Target{{Name: "local", State: targets.Connected}, web}
		}}
	})
	r := request("1", "touch x")
	r.Action.Target = "ssh:web"
	answers := s.ask(t.Context(), r)
	s.See("touch x").See("! ssh:web: connection lost since 12:00:00")
	down.Store(false)
	s.console.TargetsChanged()
	s.Gone("connection lost").See("touch x")
	down.Store(true)
	s.console.TargetsChanged()
	s.See("connection lost")
	s.clock.Advance(time.Minute)
	s.decide("n")
	answer(t, answers)
	r = request("2", "touch y") // on another target
	answers = s.ask(t.Context(), r)
	s.See("touch y").Gone("connection lost")
	s.clock.Advance(time.Minute)
	s.decide("n")
	answer(t, answers)
}

func TestSizesDoNotStorm(t *testing.T) {
	s := prepare(t, 100, 30, nil)
	term := s.many(1)[0]
	begun := time.Now()
	s.Run(s.console.Run)
	s.Idle()
	for i := range 40 {
		s.Resize(100+i, 30)
	}
	s.Resize(120, 40)
	wait(t, func() bool { _, size := term.got(); return size == "64×36" }, func() string {
		_, size := term.got()
		return "the terminal was given " + size
	})
	const apart = 150 * time.Millisecond // at least, the first aside
	term.mu.Lock()
	defer term.mu.Unlock()
	if most := 1 + int(time.Since(begun)/apart); term.sizes > most || term.sizes > 40 {
		t.Errorf("%d of 42 sizes were told in a time for %d", term.sizes, most)
	}
}

// TestTheTerminalsOfTheStartStandInItsOrder, whenever they come. The keyboard would go to
// the first of them.
func TestTheTerminalsOfTheStartStandInItsOrder(t *testing.T) {
	s := prepare(t, 120, 40, nil)
	for _, order := range []int{3, 0, 1, 4, 2} {
		name := fmt.Sprint("h", order)
		p := newTerminal("$ ").pane(name, name+" · main")
		p.Main, p.Order = true, order
		s.console.AddPane(p)
	}
	s.Run(s.console.Run)
	s.Idle().See("[1 h1 · main] 2 h2 · main  3 h3 · main  4 h4 · main  5 h0 · main").Press("Tab", "Tab").See("reading h1")
}
