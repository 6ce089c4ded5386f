package console_test

import (
	"context"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/console"
)

// A prompt that begins with an exclamation mark is a command of the operator's
// own; a mark alone, and one elsewhere, are not.
func TestTheOperatorRunsACommandHimself(t *testing.T) {
	ran := make(chan string, 4)
	s := begin(t, 100, 30, func(opt *console.Options) {
		opt.Command = func(_ context.Context, command string, sink agent.Sink) error {
			ran <- command
			sink(agent.Done{Ending: agent.Answered})
			return nil
		}
	})
	s.Type("!uptime -p").Press("Enter").See("> !uptime -p")
	if got := <-ran; got != "uptime -p" {
		t.Errorf("ran %q", got)
	}
	s.Type("! ").Press("Enter").See("You said: !")
	s.Type("is it up!").Press("Enter").See("You said: is it up!")
	s.Press("Up").Press("Up").Press("Up").See("> !uptime -p")
	if len(ran) != 0 {
		t.Errorf("ran %q", <-ran)
	}
}
