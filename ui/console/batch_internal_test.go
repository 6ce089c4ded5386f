package console

import (
	"context"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
)

// However many events wait, each is handled: a frame between them loses none.
func TestNoEventIsLostBetweenBatches(t *testing.T) {
	sim := tcell.NewSimulationScreen("UTF-8")
	c, err := New(Options{Submit: func(context.Context, string, agent.Sink) error { return nil }, Screen: sim})
	if err != nil {
		t.Fatal(err)
	}
	if c.screen, err = c.open(); err != nil {
		t.Fatal(err)
	}
	c.paste = &paste{}
	text := strings.Repeat("0123456789 äöü 漢字 ", 3*batch/18)
	waiting := make(chan tcell.Event, len(text))
	for _, r := range text {
		waiting <- tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone)
	}
	for len(waiting) > 0 {
		if err := c.events(<-waiting, waiting); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.paste.text.String(); got != text {
		t.Errorf("%d characters of %d were handled", len([]rune(got)), len([]rune(text)))
	}
}
