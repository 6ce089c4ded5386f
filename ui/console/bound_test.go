package console_test

import (
	"context"
	"testing"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
)

// What the operator has bound counts everywhere: for what keys do, for what the
// screen says of them, and in the overlay.
func TestKeysThatTheOperatorHasBound(t *testing.T) {
	table, err := keys.Bind([]keys.Binding{
		{Name: "terminal", Keys: []string{"F8"}}, {Name: "zoom", Keys: []string{"F5"}}, {Name: "status", Keys: []string{"F9"}},
		{Name: "approve", Keys: []string{"F10"}}, {Name: "quit", Keys: nil}, {Name: "chat.help", Keys: []string{"H"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, 120, 40, func(opt *console.Options) {
		opt.Keys = table
		opt.SetPosture = func(context.Context, string) error { return nil }
	})
	term := newTerminal("$ ")
	s.console.AddPane(term.pane("%1", "local"))
	s.Idle().See("F8 terminal").Press("Ctrl-C").See("nothing is running; /quit quits")
	s.Press("Ctrl-D").Press("F9").See("approvals waiting: 0")
	s.Press("F8").See("typing, F8 leaves").See("F8 leave terminal").Press("Ctrl-]", "F5").Press("F8").Gone("typing, F8")
	s.Press("F5").See("zoomed").Press("Ctrl-O").See("zoomed").Press("F5").Gone("zoomed")
	s.Press("F10").See("> /approve ").Press("Ctrl-U")
	s.Press("?").See("> ?").Press("Ctrl-U").Press("H").See("Esc closes").See("type into the terminal; again").See(" F8  ").Press("Esc").Gone("Esc closes")
	s.Press("Ctrl-P").Type("only the part").See("F5")
}
