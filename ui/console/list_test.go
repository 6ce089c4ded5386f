package console_test

import (
	"context"
	"testing"

	"github.com/nod-console/nod/ui/console"
)

func TestThePaletteGivesEveryCommand(t *testing.T) {
	s := begin(t, 100, 30, func(opt *console.Options) {
		opt.SetPosture = func(context.Context, string) error { return nil }
	})
	s.Type("a draft").Press("Ctrl-P").See("commands").See("(nothing is running)").See("Everywhere")
	s.Type("interrupt the").Press("Enter").See("interrupt the turn").Press("Esc").Press("Esc").Gone("Esc closes").See("> a draft")

	s.Press("Ctrl-P").Type("zoom").See("› Zoom").Press("Esc", "Esc") // what is typed is never given to the input
	s.See("> a draft").Press("Ctrl-U")

	s.Press("Ctrl-P").Type("status").Press("Enter").Gone("Esc closes").See("approvals waiting: 0")
	s.Press("Ctrl-P").Type("run by itself").Press("Enter").See("> /approve").Type("ask-all").Press("Enter").See("posture: ask-all")

	s.Type("mine").Press("Ctrl-P").Type("run by itself").Press("Enter").See("empty the line").See("> mine").Press("Ctrl-U")

	// From a terminal, the palette has what can be done there, and does it there.
	s.console.AddPane(newTerminal("$ ls").pane("%1", "local"))
	s.Idle().Press("Tab", "Tab").See("reading local").Press("Ctrl-P").Type("search upwards").Press("Enter").See("searching local")
}

func TestAThemeIsChosenWhileLooking(t *testing.T) {
	s := begin(t, 100, 30, nil)
	before := s.Style(0, 0)
	s.Type("/theme").Press("Enter").See("themes").See("› ansi").Type("dracula").See("› dracula")
	if s.Style(0, 0) == before {
		t.Error("the screen does not wear what is marked")
	}
	s.Press("Esc").See("› ansi").Press("Esc").Gone("Esc closes")
	if s.Style(0, 0) != before {
		t.Error("Esc did not bring the old theme back")
	}
	s.Press("Ctrl-P").Type("colours").Press("Enter").See("› ansi").Type("nord").Press("Enter").Gone("Esc closes")
	if s.Style(0, 0) == before {
		t.Error("the chosen theme is not worn")
	}
}
