package plain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/console"
)

func TestModelsAndContextInLines(t *testing.T) {
	s := begin(t, console.Options{
		Status: console.Status{TargetStatus: console.TargetStatus{Name: "local"}, Posture: "ask", Model: "guide"},
		Models: &console.Models{
			List: func(context.Context) ([]string, error) { return []string{"  work", "▸ guide"}, nil },
			Use: func(_ context.Context, name string) (console.ModelStatus, error) {
				if name != "work" {
					return console.ModelStatus{}, errors.New("there is no such model")
				}
				return console.ModelStatus{Name: "large"}, nil
			},
		},
		Context: func(context.Context) ([]string, error) { return []string{"context of large: 1,200 tokens"}, nil },
		Compact: func(_ context.Context, sink agent.Sink) error {
			sink(agent.Compaction{Summary: "- done: all", Messages: 9})
			return nil
		},
	})
	for _, c := range [][2]string{
		{"/model", "▸ guide\n"}, {"/model none", "fault: /model none: there is no such model\n"},
		{"/model work", "note: model: large\n"}, {"/status", "model: large\n"},
		{"/context", "note: context of large: 1,200 tokens\n"},
		{"/compact", "this stands for what was before:\n     - done: all\n"},
		{"/steer more", "fault: /steer needs the full screen"},
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

func TestWithoutModelsInLines(t *testing.T) {
	s := begin(t, console.Options{})
	for _, c := range []string{"/model", "/context", "/compact"} {
		s.see("you: ")
		s.write(c + "\n")
		s.see("fault: " + c + ": not available here\n")
	}
	s.write("/quit\n")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
