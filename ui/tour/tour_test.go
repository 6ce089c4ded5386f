package tour_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/tour"
)

const folder = "/tmp/nod-tour-1"

// call is what a turn tells of one call.
func call(t *tour.Tour, effect, command string, end agent.CallFinished) {
	end.Call = "a"
	t.Event(agent.CallStarted{Call: "a", Effect: effect, Action: tools.Action{Command: command}})
	t.Event(end)
}

func next(t *testing.T, on *tour.Tour, want string) {
	t.Helper()
	text, ok := on.Next()
	if ok != (want != "") || !strings.Contains(text, want) {
		t.Fatalf("%q, %v, want %q", text, ok, want)
	}
}

func TestTheTourWaitsForWhatItAskedFor(t *testing.T) {
	on := tour.New(tour.Options{Folder: folder, Terminal: "^]", Palette: "^P"})
	if text := on.Text(); !strings.Contains(text, "Tour, 1 of 5.") || !strings.Contains(text, "beside this") {
		t.Error(text)
	}
	on.Saw(tour.Listed) // early
	next(t, on, "")
	call(on, "observe", "df -hPT", agent.CallFinished{})
	next(t, on, "Tour, 2 of 5. Whatever could change something waits for your nod. Write\n  !mkdir "+folder)
	call(on, "mutate", "mkdir "+folder, agent.CallFinished{Denied: true})
	next(t, on, "You said no, and nothing ran.")
	call(on, "mutate", "touch x", agent.CallFinished{})
	next(t, on, "")
	call(on, "mutate", "mkdir "+folder, agent.CallFinished{IsError: true})
	next(t, on, "did not work")
	call(on, "mutate", " mkdir "+folder+" ", agent.CallFinished{})
	next(t, on, "Tour, 3 of 5. Take it back")
	on.Saw(tour.Undone)
	next(t, on, "Tour, 4 of 5. The terminal is real, and yours, too. ^] types into it: try ls. ^] again")
	on.Saw(tour.Typed)
	next(t, on, "Tour, 5 of 5. Everything else is a command with a name. ^P lists")
	on.Saw(tour.Listed)
	next(t, on, "That was the tour.")
	if !on.Over() {
		t.Error("it is not over")
	}
	on.Saw(tour.Listed)
	next(t, on, "")
}

func TestTheTourInLinesHasNoScreen(t *testing.T) {
	on := tour.New(tour.Options{Folder: folder, Lines: true})
	said := on.Text()
	for _, happening := range []tour.Happening{tour.Ran, tour.Made, tour.Undone} {
		on.Saw(happening)
		text, _ := on.Next()
		said += text
	}
	if !on.Over() || strings.Contains(said, "beside") || strings.Contains(said, "Esc") || !strings.Contains(said, "y and Enter.") {
		t.Error(said)
	}
}
