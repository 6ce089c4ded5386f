package console_test

import (
	"fmt"
	"testing"
)

// Keys go where those before them have brought the keyboard, also where no frame
// came in between, as on a slow link or a busy machine.
func TestKeysThatComeTogetherGoWhereTheKeyboardIs(t *testing.T) {
	for name, story := range map[string]struct {
		keys         []string
		typed, input string
	}{
		"into the terminal":   {[]string{"Ctrl-]", "l", "s", "o", "v"}, "lsov", ""},
		"and out of it":       {[]string{"Ctrl-]", "l", "s", "Ctrl-]", "y", "e", "s"}, "ls", "yes"},
		"out of it to search": {[]string{"Ctrl-]", "Ctrl-]", "Tab", "Tab", "/", "l", "s", "Esc", "Esc", "n", "Esc", "n"}, "", "n"},
		"by way of reading":   {[]string{"Tab", "Tab", "g", "Enter", "l", "s"}, "ls", ""},
	} {
		for _, size := range [][2]int{{100, 30}, {40, 10}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(t *testing.T) {
				s := begin(t, size[0], size[1], nil)
				term := newTerminal("$ ")
				s.console.AddPane(term.pane("%1", "local"))
				s.Idle().Burst(story.keys...)
				if story.input != "" {
					s.See("> " + story.input)
				}
				wait(t, func() bool { typed, _ := term.got(); return len(typed) >= len(story.typed) }, func() string { return "nothing typed" })
				if typed, _ := term.got(); typed != story.typed {
					t.Errorf("typed %q", typed)
				}
			})
		}
	}
}

// What was typed into the terminal that is left does not go on into it, and a
// terminal that has never been shown takes what is typed, too.
func TestKeysThatComeTogetherOverSeveralTerminals(t *testing.T) {
	s := prepare(t, 40, 10, nil)
	terms := []*terminal{newTerminal("a"), newTerminal("b")}
	for i, term := range terms {
		s.console.AddPane(term.pane(fmt.Sprint(i), fmt.Sprintf("t%d", i)))
	}
	s.Run(s.console.Run)
	s.Idle().Burst("Tab", "Tab", "Enter", "a", "Ctrl-]", "Shift-Tab", "Enter", "b", "c")
	for i, want := range []string{"a", "bc"} {
		wait(t, func() bool { typed, _ := terms[i].got(); return typed == want }, func() string {
			typed, _ := terms[i].got()
			return fmt.Sprintf("t%d got %q, want %q", i, typed, want)
		})
	}
}
