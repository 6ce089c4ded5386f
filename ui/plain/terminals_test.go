package plain_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/timeline"
)

func TestTerminalsAndTheTimelineInLines(t *testing.T) {
	began := time.Date(2024, 5, 6, 12, 0, 0, 0, time.Local)
	var s *story
	s = begin(t, console.Options{
		OpenTerminal: func(_ context.Context, target string) (console.Opened, error) {
			if target == "ssh:nowhere" {
				return console.Opened{}, errors.New("no such host")
			}
			s.AddPane(console.Pane{
				ID: "2", Title: "local · main/term-2", Name: "term-2", Attach: func() string { return "tmux attach" },
				Close: func(_ context.Context, sure bool) error {
					if !sure {
						return &console.BusyError{Doing: "make all"}
					}
					s.RemovePane("2")
					s.Notify("the pane main/term-2 has ended")
					return nil
				},
			})
			return console.Opened{Target: "local", Terminal: "%2"}, nil
		},
		Runs: func(context.Context) ([]timeline.Run, error) {
			return []timeline.Run{{ID: "1", Target: "local", What: "make all", Began: began, Took: 3 * time.Second, State: timeline.Failed, Outcome: "exited 2"}}, nil
		},
		Now: func() time.Time { return began },
	})
	for _, c := range [][2]string{
		{"/timeline", "12:00:00  local  exited 2, 3 s: make all\n"},
		{"/open ssh:nowhere", "fault: /open ssh:nowhere: no such host\n"},
		{"/open", "note: terminal: local · main/term-2\n"},
		{"/close", "there are term-2\n"},
		{"/close term-2", "runs make all. Closing it ends that. Write yes to close it.\n"},
		{"no", ""},
		{"/close term-2", "Write yes to close it.\n"},
		{"yes", "the pane main/term-2 has ended\n"},
		{"/close term-2", "there is no such terminal that could be closed"},
	} {
		s.see("you: ")
		s.write(c[0] + "\n")
		s.see(c[0] + "\n")
		s.see(c[1])
	}
	s.write("/quit\n")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
