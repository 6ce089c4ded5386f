package console_test

import "testing"

// The help comes in front of whatever stands there, and goes away alone.
func TestTheHelpStandsInFrontOfListsAndQuestions(t *testing.T) {
	s := begin(t, 100, 30, nil)
	s.Press("Ctrl-P").See("commands").Type("zoom").Press("F1").See("help · ").Type("?").See("> zoom")
	s.Press("Esc", "Esc").Gone("Esc closes")
	s.model.steps["long"] = untilInterrupted
	s.Type("long").Press("Enter").See("working on it")
	s.Press("Ctrl-D").See("Quitting interrupts it").Press("F1").See("help · ").Press("F1").See("Quitting interrupts it").Press("n")
	s.Gone("Quitting interrupts it").Press("Ctrl-C").See("interrupted")
}

// Ctrl-C takes away what is written only where the keyboard is there.
func TestCtrlCElsewhereLeavesTheDraft(t *testing.T) {
	s := begin(t, 100, 30, nil)
	s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
	s.Idle().Type("a draft").Press("Tab", "Ctrl-C").See("nothing is running").See("> a draft")
	s.Press("Tab").See("reading local").Press("Ctrl-C").See("═ nothing is running").See("> a draft")
	s.Press("Esc", "Ctrl-C").Gone("> a draft")
}
