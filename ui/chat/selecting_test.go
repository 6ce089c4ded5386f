package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
)

// What is dragged over is copied as it was written: without the gutter, and without the
// line breaks that only the width has made. Whichever way the drag goes.
func TestADragOverTheChatGivesTheTextAsItWasWritten(t *testing.T) {
	tr := newTranscript(t)
	tr.Prompt("a prompt of several words that wraps", false)
	tr.Event(agent.Text{Text: "See `/var/lib/a-very-long-folder-name` and this.\n\n- one item\n\n```sh\necho 0123456789012345678901234567890\nls\n```\n"})
	s := display(t, 30, 20)
	tr.Draw(s, 0, 0, 30, 20, false)
	text := onScreen(s)
	rows := strings.Split(text, "\n")
	at := func(what string) (x, y int) {
		for y, row := range rows {
			if x := strings.Index(row, what); x >= 0 {
				return len([]rune(row[:x])), y
			}
		}
		t.Fatalf("no %q in\n%s", what, text)
		return 0, 0
	}
	for _, c := range []struct{ from, to, want string }{
		{"prompt of", "wraps", "prompt of several words that w"},
		{"a prompt", "ls", "a prompt of several words that wraps\n\nSee /var/lib/a-very-long-folder-name and this.\n\n• one item\n\necho 0123456789012345678901234567890\nl"},
		{"echo", "ls", "echo 0123456789012345678901234567890\nl"},
	} {
		x, y := at(c.from)
		toX, toY := at(c.to)
		tr.Press(x, y)
		tr.Drag(toX, toY)
		tr.Draw(s, 0, 0, 30, 20, false)
		if _, style, _ := s.Get(x, y); style != tr.styles.Selection {
			t.Errorf("%q does not look selected", c.from)
		}
		if got, click := tr.Release(); got != c.want || click {
			t.Errorf("from %q to %q: %q, want %q", c.from, c.to, got, c.want)
		}
		tr.Press(toX, toY)
		tr.Drag(x, y)
		if got, _ := tr.Release(); got != c.want {
			t.Errorf("backwards from %q to %q: %q", c.from, c.to, got)
		}
	}
	tr.Draw(s, 0, 0, 30, 20, false)
	if _, style, _ := s.Get(2, 0); style == tr.styles.Selection {
		t.Error("what was selected still looks so")
	}
}

// A click on the sign of a card opens it, and elsewhere chooses it only.
func TestAClickOnASignOpensTheCard(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"ls"}`)})
	for _, c := range []struct {
		col  int
		want string
	}{{5, "▸"}, {0, "▾"}, {0, "▸"}} {
		shown(t, tr, 40, 8)
		tr.Press(c.col, 0)
		if _, click := tr.Release(); !click || tr.selected != 0 {
			t.Error("no click")
		}
		if got := shown(t, tr, 40, 8); !strings.HasPrefix(got, c.want) {
			t.Errorf("after a click at %d:\n%s", c.col, got)
		}
	}
}
