package console_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/console"
)

// TestATerminalHasANumber: Alt and a digit go there, from anywhere but a terminal that
// is typed into.
func TestATerminalHasANumber(t *testing.T) {
	s := prepare(t, 120, 40, nil)
	one, two := newTerminal("one"), newTerminal("two")
	s.console.AddPane(one.pane("%1", "first"))
	s.console.AddPane(two.pane("%2", "second"))
	s.Run(s.console.Run)
	s.See("2/2 second").Press("Alt-2").See("reading second").Press("Alt-1").See("reading first")
	s.Press("Alt-7").See("there is no terminal 7")
	s.Press("Esc").Type("/pane 2").Press("Enter").See("reading second")
	s.Press("Esc").Type("/pane two").Press("Enter").See(`/pane "two": want the number`)
}

// TestAnEarlierPromptIsFound by what it has in it.
func TestAnEarlierPromptIsFound(t *testing.T) {
	pictured(t, func(o *console.Options) {
		o.History = []string{"why is the disk full?", "restart nginx\non web-1", "why is the disk full?"}
	}, func(t *testing.T, s *story) {
		s.Run(s.console.Run)
		s.Press("Ctrl-R").See("your prompts")
		s.Picture("recall")
		s.Type("nginx").Press("Enter").See("> restart nginx").See("  on web-1")
		s.Press("Ctrl-R").See("your prompts").Press("Esc").See("> restart nginx")
	})
}

const withCode = "Two ways:\n\n```sh\ndu -xh /var\n```\n\nor\n\n~~~\nncdu /var\n~~~\n"

// codeIn answers a prompt with two blocks of code.
func codeIn(s *story) *story {
	s.model.steps["how?"] = func(_ context.Context, sink agent.Sink) error {
		sink(agent.Text{Text: withCode})
		sink(agent.Done{Ending: agent.Answered})
		return nil
	}
	s.Type("how?").Press("Enter").See("ncdu /var")
	return s
}

// TestTheChatIsSearched, and what is chosen is shown.
func TestTheChatIsSearched(t *testing.T) {
	pictured(t, nil, func(t *testing.T, s *story) {
		s.Run(s.console.Run)
		s.Type("a needle in hay").Press("Enter").See("You said")
		for range 30 {
			s.Type("more hay").Press("Enter").Idle()
		}
		s.See("nothing running").Press("Tab", "/").See("search the chat").Type("needle")
		s.Picture("find")
		s.Press("Down", "Enter").See("a needle in hay").See("reading")
		s.Press("Esc").Type("/find no such words").Press("Enter").See("the chat has no line with")
	})
}

// TestCodeIsCopiedBlockByBlock, without its fences.
func TestCodeIsCopiedBlockByBlock(t *testing.T) {
	s := codeIn(begin(t, 120, 40, nil))
	s.Press("Tab", "Y").See("copied block 1 of 2")
	s.Press("Y", "Y")
	copied(t, s, "du -xh /var", "ncdu /var", "du -xh /var")
}

// TestTheConversationIsExported to a file of its own, over nothing.
func TestTheConversationIsExported(t *testing.T) {
	dir := t.TempDir()
	s := prepare(t, 200, 60, nil)
	s.console.AddPane(newTerminal("deploy@web-1:~$ ").pane("%1", "ssh:web-1"))
	s.Run(s.console.Run)
	codeIn(s)
	name := filepath.Join(dir, "c.md")
	s.Type("/export " + name).Press("Enter").See("/c.md")
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), "## how?\n\n"+withCode) {
		t.Errorf("%v: %q", err, text)
	}
	s.Type("/export " + name).Press("Enter").See("c.md exists: give")
	picture := filepath.Join(dir, "c.svg")
	s.Type("/export " + picture).Press("Enter").See("/c.svg")
	if text, err := os.ReadFile(picture); err != nil || !strings.Contains(string(text), "deploy@web-1") {
		t.Errorf("%v: %q", err, text)
	}
	s.Type("/export x.pdf").Press("Enter").See("want a name that ends in .md, .svg or .cast")
	s.Type("/export " + filepath.Join(dir, "c.cast")).Press("Enter").See("nothing is recorded here")
}

// TestTheHelpIsSearched, and says first what means something where one stands.
func TestTheHelpIsSearched(t *testing.T) {
	pictured(t, nil, func(t *testing.T, s *story) {
		s.Run(s.console.Run)
		s.Press("Tab", "?").See("help · ").Press("/").Type("zoom").See("help with: zoom")
		s.Picture("help-search")
		s.Press("Enter", "Esc").See("/ searches").Press("Esc").Gone("/ searches")
	})
}
