package console_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nod-console/nod/ui/console"
)

// keeper keeps layouts in memory.
type keeper struct {
	mu   sync.Mutex
	kept map[string]console.Layout
}

func (k *keeper) layouts() *console.Layouts {
	return &console.Layouts{
		Of: func(targets []string) (console.Layout, bool) {
			k.mu.Lock()
			defer k.mu.Unlock()
			l, ok := k.kept[strings.Join(targets, " ")]
			return l, ok
		},
		Keep: func(targets []string, l console.Layout) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.kept[strings.Join(targets, " ")] = l
		},
	}
}

func (k *keeper) of(targets string) console.Layout {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[targets]
}

// onTarget adds a terminal of a target.
func (s *story) onTarget(target, name string, main bool) {
	term := newTerminal("$ ")
	term.state = console.PaneState{Target: target, Terminal: "%" + name}
	p := term.pane(target+name, target+" · main/"+name)
	p.Name, p.Main = name, main
	s.console.AddPane(p)
}

func TestTheLayoutIsKeptForASetOfTargets(t *testing.T) {
	k := &keeper{kept: map[string]console.Layout{}}
	next := func() *story {
		s := prepare(t, 120, 40, func(o *console.Options) { o.Layouts = k.layouts() })
		s.onTarget("local", "shared", true)
		s.onTarget("ssh:web-1", "shared", true)
		s.Run(s.console.Run)
		return s
	}
	s := next()
	s.Idle().See("1/2 local").Press("Tab", "Tab").See("reading local")
	s.Press("}", ">", ">", "+").See("2/2 local · main/shared").See("1/2 ssh:web-1")
	before := s.Idle().Text()
	s.Press("Esc").Type("/quit").Press("Enter", "Enter")
	if err := s.End(); err != nil {
		t.Fatal(err)
	}

	s = next()
	s.Idle().Press("Tab", "Tab", "Tab").See("reading local")
	after := s.Idle().Text()
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")); diff != "" {
		t.Errorf("the next start: %s", diff)
	}
	// The same targets in another order, then one more: what is on the screen stays.
	s.onTarget("docker:api", "shared", false)
	s.See("3/3 docker:api").See("1/3 ssh:web-1").Press("=")
	s.Idle()
	if l := k.of("docker:api local ssh:web-1"); l.Talk != nil || len(l.Order) != 3 {
		t.Errorf("kept for three: %+v", l)
	}
	if l := k.of("local ssh:web-1"); l.Talk == nil || len(l.Order) != 2 {
		t.Errorf("kept for two: %+v", l)
	}
	// Without it, how it was for two comes back.
	s.console.RemovePane("docker:apishared")
	s.Press("Esc", "Tab", "Tab", "Tab").See("reading local")
	if again := s.Idle().Text(); again != after {
		t.Errorf("for two again: %s", cmp.Diff(strings.Split(after, "\n"), strings.Split(again, "\n")))
	}
}

func TestALayoutThatMakesNoSenseIsNone(t *testing.T) {
	plain := prepare(t, 120, 40, nil)
	plain.onTarget("local", "a", true)
	plain.onTarget("local", "b", false)
	plain.Run(plain.console.Run)
	want := plain.Idle().Text()
	for _, l := range []console.Layout{
		{Talk: []int{0, 0}}, {Talk: []int{-1, 5}}, {Talk: []int{1}}, {Talk: []int{1 << 40, 1}},
		{Grids: []console.GridLayout{{Panes: 2, Columns: 1, Rows: []int{0, 0}}, {Panes: -1, Columns: 0}, {Panes: 1 << 40, Columns: 1}, {Panes: 2, Columns: 3}}},
		{Grids: []console.GridLayout{{Panes: 2, Columns: 1, Widths: [][]int{{0}, {1, 2}, {3}, nil}}}}, {Order: []string{"", "x"}},
	} {
		k := &keeper{kept: map[string]console.Layout{"local": l}}
		s := prepare(t, 120, 40, func(o *console.Options) { o.Layouts = k.layouts() })
		s.onTarget("local", "a", true)
		s.onTarget("local", "b", false)
		s.Run(s.console.Run)
		if got := s.Idle().Text(); got != want {
			t.Errorf("%+v: %s", l, got)
		}
	}
}
