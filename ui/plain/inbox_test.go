package plain_test

import (
	"runtime"
	"testing"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/plain"
)

// What else waits is said in lines: before the question, when it is known, and on
// request.
func TestTheInboxIsSaidInLines(t *testing.T) {
	s := begin(t, console.Options{})
	s.see("you: ")
	s.write("/inbox\n")
	s.see("note: nothing waits for you")
	answers := make(chan policy.Answer, 3)
	ask := func(id string) {
		a, err := s.Approver().Approve(t.Context(), request(id))
		if err != nil {
			t.Error(err)
		}
		answers <- a
	}
	go ask("1")
	s.see("run it? [y/N] ")
	go ask("2")
	go ask("3")
	for plain.Waiting(s.Conversation) < 3 {
		runtime.Gosched() // the others are on their way
	}
	s.write("n\n")
	s.see("1 more will be asked after this:")
	s.see("1. ")
	s.see(", on local, for ")
	s.see("run it? [y/N] ")
	s.write("n\n")
	s.see("run it? [y/N] ")
	s.write("n\n")
	for range 3 {
		if a := <-answers; a.Approved {
			t.Error("approved")
		}
	}
}
