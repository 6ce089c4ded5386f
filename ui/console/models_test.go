package console_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/ui/console"
)

func TestTheModelIsChosenByName(t *testing.T) {
	s := begin(t, 100, 24, func(o *console.Options) {
		o.Models = &console.Models{
			List: func(context.Context) ([]string, error) { return []string{"▸ big  gpt-5", "  small  qwen"}, nil },
			Use: func(_ context.Context, name string) (console.ModelStatus, error) {
				if name != "small" {
					return console.ModelStatus{}, errors.New("there is no such model")
				}
				return console.ModelStatus{Name: "qwen", Limit: 32000, Context: 41}, nil
			},
		}
	})
	s.Type("/model")
	s.Press("Enter")
	s.See("small  qwen")
	s.Type("/model none")
	s.Press("Enter")
	s.See("there is no such model")
	s.Type("/model small")
	s.Press("Enter")
	s.See("qwen · 41 % of 32k")
}

func TestWhatTheModelCostsAndHolds(t *testing.T) {
	s := begin(t, 100, 24, func(o *console.Options) {
		o.Context = func(context.Context) ([]string, error) { return []string{"used 12,000 of 32,000 tokens"}, nil }
		o.Compact = func(_ context.Context, sink agent.Sink) error {
			sink(agent.Compaction{Summary: "- done: [red]everything", Messages: 40, Before: 91, After: 22})
			sink(agent.Done{Ending: agent.Answered})
			return nil
		}
		o.Submit = func(_ context.Context, _ string, sink agent.Sink) error {
			sink(agent.Usage{Context: 37, Cost: 0.1, Total: 0.123})
			sink(agent.Done{Ending: agent.Answered})
			return nil
		}
	})
	s.Type("hello")
	s.Press("Enter")
	s.See("37 %")
	s.See("$0.12")
	s.Type("/context")
	s.Press("Enter")
	s.See("used 12,000 of 32,000 tokens")
	s.Type("/compact")
	s.Press("Enter")
	s.See("a summary stands for 40 messages · context 91 % → 22 %")
	s.Press("Tab")
	s.Press("Enter")
	s.See("- done: [red]everything")
}

func TestSteeringGoesToTheTurnAndTheQueueWaits(t *testing.T) {
	told := make(chan string, 3)
	over := make(chan agent.Event)
	s := begin(t, 100, 24, func(o *console.Options) {
		o.Steer = func(_ context.Context, text string) error {
			told <- text
			if text == "too late" {
				return turn.ErrIdle
			}
			return nil
		}
		o.Submit = func(ctx context.Context, prompt string, sink agent.Sink) error {
			for {
				select {
				case e := <-over:
					sink(e)
					if _, done := e.(agent.Done); done {
						return nil
					}
				case <-ctx.Done():
					sink(agent.Done{Ending: agent.Interrupted})
					return ctx.Err()
				}
			}
		}
	})
	send := func(text string) {
		s.Type(text)
		s.Press("Enter")
	}
	send("first")
	s.See("working")
	send("second")
	send("/steer only /var")
	if got := <-told; got != "only /var" {
		t.Error(got)
	}
	send("/queue")
	s.See("at the next step: only /var")
	s.See("1 after this turn: second")
	over <- agent.Steered{Text: "only /var"}
	s.See("> only /var")
	send("/queue")
	send("/steer too late")
	<-told
	s.See("too late  (waits)")
	send("/queue clear")
	s.Gone("(waits)")
	s.Press("Ctrl-C")
	s.See("interrupted")
}
