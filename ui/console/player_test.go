package console_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/ui/console"
)

// A recording is played in front of everything, and leaves all as it was.
func TestARecordingIsPlayed(t *testing.T) {
	second := func(n int, kind byte, text string) recording.Event {
		return recording.Event{At: time.Duration(n) * time.Second, Kind: kind, Text: text}
	}
	s := begin(t, 100, 30, func(o *console.Options) {
		o.Replay = func(_ context.Context, name string) (console.Tape, error) {
			if name == "nosuch" {
				return console.Tape{}, errors.New("there is no such run")
			}
			return console.Tape{Name: "tape of " + name, At: time.Second, Recording: &recording.Recording{
				Header: recording.Header{Version: 2, Width: 60, Height: 20}, Torn: "line 7 is no event",
				Events: []recording.Event{
					second(0, recording.Output, "ready$ "), second(2, recording.Mark, "run: make"),
					second(3, recording.Output, "it is made"), second(4, recording.Mark, "exited 0: make"), second(70, recording.Output, "the end"),
				},
			}}, nil
		}
	})
	s.Type("/replay nosuch").Press("Enter").See("/replay: there is no such run")
	s.Type("/replay H7K2QD").Press("Enter").See("tape of H7K2QD").See("▶ 0:01 / 1:10").See("ready$")
	s.clock.Advance(2 * time.Second)
	s.See("it is made").See("▶ 0:03")
	s.Type("x").Press("End").See("the end").See("‖ 1:10")
	s.Type("N").See("‖ 0:02").Gone("it is made")
	s.Press("Esc").Gone("‖ 0:02").See("line 7 is no event")
	s.Type("hello").Press("Enter").See("You said: hello")
}

// What is asked meanwhile stands in front of the recording, and is answered.
func TestWhatIsAskedStandsBeforeARecording(t *testing.T) {
	s := begin(t, 100, 30, func(o *console.Options) {
		o.Replay = func(context.Context, string) (console.Tape, error) {
			return console.Tape{Name: "the tape", Recording: &recording.Recording{Header: recording.Header{Version: 2, Width: 60, Height: 20}}}, nil
		}
	})
	s.Type("/replay").Press("Enter").See("the tape")
	answer := s.ask(t.Context(), request("1", "rm -r /srv"))
	s.See("APPROVE").See("rm -r /srv")
	s.clock.Advance(2 * time.Second)
	s.decide("n")
	if a := <-answer; a.Approved {
		t.Error("it was approved")
	}
	s.Gone("APPROVE").See("the tape")
	s.Type("q").Gone("the tape")
}

// A banner stays as long as what it says holds.
func TestAnAlarm(t *testing.T) {
	s := begin(t, 100, 30, nil)
	s.console.SetAlarm("commands cannot run now: the disk is full", true)
	s.See(" ! commands cannot run now: the disk is full").See("what runs goes on")
	s.console.SetAlarm("", false)
	s.Gone(" ! commands").See("commands can run again")
	s.console.SetAlarm("20 MiB are left", false)
	s.See(" ! 20 MiB are left")
	s.Resize(40, 10).See(" ! 20 MiB are left")
}
