package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
)

// What the last line names can be clicked, wherever the keyboard is.
func TestTheHintsOfTheLastLineCanBeClicked(t *testing.T) {
	s := begin(t, 120, 40, nil)
	s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
	s.See("│$")
	s.Click("F1 help")
	s.See("help · / searches")
	s.Click("Esc back")
	s.Gone("help · / searches")
	s.Click("^P commands")
	s.See("┌ commands")
	s.Click("Esc back")
	s.Gone("┌ commands")
	s.Click("^] terminal")
	s.See("typing into local")
	s.Click("^] leave terminal")
	s.Gone("typing into local").Type("x").See("> x")
}

// A click on a key of a dialog does what the key does, but for those that approve.
func TestTheKeysOfADialogCanBeClickedButThoseThatApprove(t *testing.T) {
	s := begin(t, 120, 40, nil)
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one").Click("n deny") // too early: it counts no more than a key
	s.clock.Advance(time.Minute)
	s.Idle()
	s.Click("approve  [n")
	s.See("a click approves nothing: press y")
	s.Click("x explain")
	s.See("why it asks")
	s.Click("x back")
	s.Gone("why it asks").Click("d reason")
	s.See("reason:").Press("Esc").Gone("reason:")
	s.clock.Advance(time.Minute)
	s.Idle()
	select {
	case a := <-answers:
		t.Fatalf("answered: %+v", a)
	default:
	}
	s.Click("n deny")
	if a := answer(t, answers); a.Approved {
		t.Errorf("%+v", a)
	}
}

// A drag over the chat copies what it went over, and says so; the keyboard stays where
// it is, also while a dialog waits.
func TestADragOverTheChatCopies(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.says("tell", agent.Text{Text: "The disk of web-1 is full of logs."})
	drag := func(from, to string) {
		for y, row := range strings.Split(s.See(from).Text(), "\n") {
			if before, _, ok := strings.Cut(row, from); ok {
				end, _, _ := strings.Cut(row, to)
				s.Drag(len([]rune(before)), y, len([]rune(end)), y)
				return
			}
		}
	}
	drag("disk of web", " is full")
	s.See("copied 13 characters").Type("x").See("> x").Gone("copied 13")
	s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one")
	drag("full of", " logs.")
	s.See("copied 7 characters")
	if got := s.Copied(); len(got) != 2 || got[0] != "disk of web-1" || got[1] != "full of" {
		t.Errorf("copied %q", got)
	}
}
