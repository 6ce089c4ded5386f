package console_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
	"github.com/nod-console/nod/ui/targets"
)

func TestATargetIsChosenConnectedAndDropped(t *testing.T) {
	used, dropped := make(chan string, 4), make(chan string, 4)
	s := begin(t, 100, 30, func(opt *console.Options) {
		opt.Targets = &console.Targets{
			List: func() []targets.Target {
				return []targets.Target{{Name: "local", State: targets.Connected, Current: true}, {Name: "ssh:web-1", Trust: "prod"}}
			},
			Use: func(_ context.Context, name string) error {
				used <- name
				if name == "ssh:nowhere" {
					return errors.New("no such host")
				}
				return nil
			},
			Drop:   func(_ context.Context, name string) error { dropped <- name; return nil },
			Attach: func(name string) string { return "ssh -t " + name },
		}
	})
	s.Type("a draft").Press("Ctrl-T").See("›• local").See("ssh:web-1").Type("web").Gone("• local")
	s.Press("Ctrl-X").Press("Enter").Gone("Esc closes").See("> a draft")
	s.Press("Ctrl-T").See("Esc closes").Type("web").Gone("• local").Press("Ctrl-Y").Gone("Esc closes").See("copied")
	if name := <-dropped; name != "ssh:web-1" {
		t.Errorf("dropped %q", name)
	}
	if name := <-used; name != "ssh:web-1" {
		t.Errorf("used %q", name)
	}
	if c := s.Copied(); len(c) != 1 || c[0] != "ssh -t ssh:web-1" {
		t.Errorf("copied %q", c)
	}
	s.console.SetTarget(console.TargetStatus{Name: "ssh:web-1", Trust: "prod", State: "connection lost"})
	s.See("ssh:web-1").See("●prod").See("connection lost")
	s.Press("Ctrl-U").Type("/target ssh:nowhere").Press("Enter").See("no such host")
	// A login's question stands over the picker.
	s.Press("Ctrl-T").See("Esc closes")
	replies := s.asks(t.Context(), decision.Question{Title: "ssh:db-1", Text: "really?"})
	s.See("really?").Press("Esc").See("really?") // not read yet
	s.clock.Advance(10e9)
	s.Idle().Press("Esc").Gone("really?").See("Esc closes").Press("Esc").Gone("Esc closes")
	if r := replied(t, replies); r.answer.Given {
		t.Errorf("%+v", r)
	}
}

func TestWithoutTargetsThereIsNothingToChoose(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.Press("Ctrl-T").See("not available here")
	s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
	s.Idle().Press("Tab", "Tab").See("reading local").Press("a").See("no way to get at it")
}

// TestMarkedTargetsAreConnectedTogether: all of them in one call, one of them as if it had
// been chosen.
func TestMarkedTargetsAreConnectedTogether(t *testing.T) {
	connected, used := make(chan []string, 1), make(chan string, 1)
	s := begin(t, 80, 24, func(opt *console.Options) {
		opt.Targets = &console.Targets{
			List: func() []targets.Target {
				return []targets.Target{{Name: "local", State: targets.Connected, Current: true}, {Name: "ssh:web-1"}, {Name: "ssh:web-2"}, {Name: "ssh:web-3"}}
			},
			Use:     func(_ context.Context, name string) error { used <- name; return nil },
			Connect: func(_ context.Context, names []string) error { connected <- names; return errors.New("no way") },
		}
	})
	s.Press("Ctrl-T").See("Esc closes").Type("web").Gone("• local").Press("Down", " ", " ").See("2 marked").Press("Enter").Gone("Esc closes").See("no way")
	if names := <-connected; !slices.Equal(names, []string{"ssh:web-2", "ssh:web-3"}) {
		t.Errorf("%q", names)
	}
	s.Press("Ctrl-T").See("Esc closes").Press("Down", " ").See("1 marked").Press("Enter").Gone("Esc closes")
	if name := <-used; name != "ssh:web-1" {
		t.Errorf("%q", name)
	}
}

// TestAQuestionTellsWhatHasChangedMeanwhile, and keeps what is typed.
func TestAQuestionTellsWhatHasChangedMeanwhile(t *testing.T) {
	s := begin(t, 80, 24, nil)
	var more atomic.Pointer[string]
	say := func(text string) { more.Store(&text) }
	say("For a.")
	replies := s.asks(t.Context(), decision.Question{Kind: decision.Secret, Title: "passphrase", Text: "Passphrase of /k", More: func() string { return *more.Load() }})
	s.See("For a.")
	s.clock.Advance(10e9)
	s.Idle().Type("se")
	say("For 3 hosts: a, b and one whose name is so long that it stands in another row, c.example.com.")
	s.console.Notify("another one")
	s.See("For 3 hosts: a, b and").See("c.example.com.").Type("same").Press("Enter").Gone("Passphrase")
	if r := replied(t, replies); !r.answer.Given || r.answer.Text != "sesame" {
		t.Errorf("%+v", r)
	}
}
