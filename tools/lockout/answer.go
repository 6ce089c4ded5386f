package lockout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// State is what a script found or did.
type State string

// The states.
const (
	Armed    State = "armed"    // the revert will come
	Disarmed State = "disarmed" // it will not, and nothing of it is left on the host
	Fired    State = "fired"    // it has begun; Collect fetches what it did
	Running  State = "running"  // it is at work
	Reverted State = "reverted" // it is done
	Gone     State = "gone"     // the host has nothing of it: disarmed before, collected before, or restarted
)

// Answer is what a script says.
type Answer struct {
	State State
	Means string        // Armed: "systemd", "at" or "a shell"
	In    time.Duration // Armed: until it comes, when it was asked
	Log   []string      // Reverted: what was done, a line each; text of the host's
}

// ErrNoAnswer says that an output is none of the scripts'.
var ErrNoAnswer = errors.New("the host did not answer as it should")

// maxLog bounds the lines of a log that are kept.
const maxLog = 200

// Read reads a script's output.
func (p *Plan) Read(output string) (Answer, error) {
	for at, line := range strings.Split(output, "\n") {
		said, ok := strings.CutPrefix(line, "nod-revert "+p.ID+" ")
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(said, " ")
		a := Answer{State: State(word)}
		switch a.State {
		case Disarmed, Fired, Running, Gone:
			return a, nil
		case Armed:
			seconds, means, ok := strings.Cut(rest, " ")
			n, err := strconv.Atoi(seconds)
			if err != nil || !ok {
				return Answer{}, fmt.Errorf("%w: %q", ErrNoAnswer, line)
			}
			a.In, a.Means = time.Duration(n)*time.Second, means
			return a, nil
		case Reverted:
			log := strings.Split(strings.TrimRight(output, "\n"), "\n")[at+1:]
			a.Log = log[:min(len(log), maxLog)]
			return a, nil
		}
		return Answer{}, fmt.Errorf("%w: %q", ErrNoAnswer, line)
	}
	return Answer{}, ErrNoAnswer
}
