package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/ui/result"
	"github.com/nod-console/nod/ui/screen"
)

// State is how a run stands. The zero value says that nobody knows.
type State uint8

// The states.
const (
	Unknown State = iota
	Running
	OK
	Failed
	Interrupted
	Denied
)

// signs and words name the states, in their order.
var (
	signs = [...]string{"?", "▸", "✓", "✗", "■", "-"}
	words = [...]string{"unknown", "running", "ok", "failed", "interrupted", "denied"}
)

// Sign is the state in one cell.
func (s State) Sign() string { return signs[s] }

// String is the state in a word.
func (s State) String() string { return words[s] }

// Run is something that ran, or was not allowed to.
type Run struct {
	ID       string // its name on record
	Target   string
	What     string // the command, or what else was done
	Agent    string // the sub-agent that wanted it; empty for the conversation's own
	Began    time.Time
	Took     time.Duration // as long as it runs, it is not known
	State    State
	Outcome  string // in words: "exited 2"; empty where the state says it all
	Recorded bool   // it can be played
}

// end is when it ended, or now.
func (r Run) end(now time.Time) time.Time {
	if r.State == Running {
		if now.Before(r.Began) {
			return r.Began
		}
		return now
	}
	return r.Began.Add(max(r.Took, 0))
}

// took is how long it ran, or runs by now.
func (r Run) took(now time.Time) time.Duration { return r.end(now).Sub(r.Began) }

// outcome is how it ended, in words.
func (r Run) outcome() string { return cmp.Or(r.Outcome, r.State.String()) }

// what is the command in one line.
func (r Run) what() string {
	text := screen.Clean(strings.TrimSpace(r.What))
	if r.Agent != "" {
		text = screen.Clean(r.Agent) + ": " + text
	}
	return text
}

// sorted are runs in the order in which they began.
func sorted(runs []Run) []Run {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Run) int { return a.Began.Compare(b.Began) })
	return runs
}

// Lines are runs in lines, the first one first.
func Lines(runs []Run, now time.Time) []string {
	if len(runs) == 0 {
		return []string{nothing}
	}
	day := ""
	var lines []string
	for _, r := range sorted(runs) {
		if d := r.Began.Local().Format(time.DateOnly); d != day {
			day = d
			lines = append(lines, day)
		}
		line := fmt.Sprintf("%s  %s  %s", r.Began.Local().Format(time.TimeOnly), screen.Clean(r.Target), screen.Clean(r.outcome()))
		if r.State != Denied {
			line += ", " + result.Duration(r.took(now))
		}
		lines = append(lines, line+": "+r.what())
	}
	return lines
}

const nothing = "nothing ran in this conversation yet"
