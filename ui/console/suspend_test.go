package console_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/console"
)

// The terminal is as it was before while somebody else has it, and the console
// comes back whole, whatever was typed and drawn meanwhile.
func TestTheTerminalIsGivenAwayAndTakenBack(t *testing.T) {
	p := openTerminal(t, 80, 24)
	before := p.settings(t)
	stopped := make(chan struct{})
	p.run(t.Context(), t, console.Options{Stop: func(context.Context) error {
		defer func() { stopped <- struct{}{} }()
		if now := p.settings(t); now != before {
			t.Errorf("while stopped:\n%s\nbefore:\n%s", now, before)
		}
		_, err := io.WriteString(p.slave, "\x1b[2J\x1b[Helsewhere")
		return err
	}})
	p.see(t, "ask for something")
	p.press(t, "a draft")
	p.see(t, "> a draft")
	for i := range 20 {
		p.sent()
		p.press(t, strings.Repeat("x", 200)) // keys under way when the terminal changes hands
		p.press(t, "\x1a")
		<-stopped
		p.until(t, "the console again", func(*vt.Snapshot) bool { // not the picture from before
			p.mu.Lock()
			defer p.mu.Unlock()
			_, after, there := strings.Cut(p.raw.String(), "elsewhere")
			return there && strings.Contains(after, "\x1b[?1049h")
		})
		p.see(t, "┌ chat")
		p.press(t, "\x15")
		p.see(t, "ask for something")
		p.press(t, fmt.Sprint("round ", i))
		p.see(t, fmt.Sprint("> round ", i))
		if sent := p.sent(); !strings.Contains(sent, "\x1b[?2004h") || !strings.Contains(sent, "\x1b[?1049l") {
			t.Fatalf("round %d: the terminal was not given away and taken back: %q", i, sent)
		}
		p.press(t, "\x15")
	}
}

func TestWhatIsWrittenGoesThroughTheEditor(t *testing.T) {
	s := begin(t, 80, 24, func(opt *console.Options) {
		opt.Edit = func(_ context.Context, text string) (string, error) {
			if text != "a draft" {
				return "", fmt.Errorf("exit status 1")
			}
			return "first\nsecond", nil
		}
	})
	s.Type("a draft").Press("Ctrl-X").See("> first").See("second").Press("Enter").See("You said: first")
	s.Type("another").Press("Alt-e").See("exit status 1; what you had written is still here").See("> another")
}

func TestWithoutAnEditorTheReasonIsTold(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.Type("a draft").Press("Ctrl-X").See("not available here").See("> a draft")
	s.Press("Ctrl-Z").See("Suspend").See("> a draft")
}

func TestAStopThatFailsIsTold(t *testing.T) {
	s := begin(t, 80, 24, func(opt *console.Options) {
		opt.Stop = func(context.Context) error { return errors.New("no job control") }
	})
	s.Press("Ctrl-Z").See("no job control")
}
