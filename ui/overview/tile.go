package overview

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nod-console/nod/ui/targets"
)

// Tile is how one target stands.
type Tile struct {
	Name  string // canonical: "local", "ssh:web-1", "docker:api"
	Trust string // "prod", "stage", "lab"; may be empty
	State targets.State
	Word  string // in place of the state's own: "paused"
	// Detail says what is wrong with the link, or how far a connection is.
	Detail  string
	Latency time.Duration // of the last look; 0 if not known

	Load, Memory, Disk Gauge
	Silent             string // why there are no figures; empty if nothing is wrong

	Running string    // the command that runs; empty if none does
	Since   time.Time // when it began; zero if not known
	Others  int       // how many more run
	Asks    string    // what a program in a pane waits for, in words
	Last    Last

	// Approvals are what waits for the operator's nod there.
	Approvals []Approval
}

// Approval is a request that waits for the operator's nod.
type Approval struct {
	ID   string
	What string
}

// Last is the command that ended last on a target. Its zero value is none.
type Last struct {
	Command string
	Outcome string // "exited 0", "signalled KILL", "unknown"
	OK      bool   // it is known to have ended well
	At      time.Time
}

// Gauge is a figure of which there is a whole.
type Gauge struct {
	Known bool
	Part  float64 // of the whole; of loads it can be above 1
	Text  string  // the figure in a few words: "0.42 of 4"
	// Past are parts of the last minutes, the oldest first; below 0 where nothing is known.
	Past []float64
	// Warn and Danger are the parts from which on it is to be looked at, and at once.
	Warn, Danger float64
}

// level is how bad a figure is.
type level uint8

const (
	calm level = iota
	warned
	alarming
)

func (g Gauge) level() level {
	switch {
	case !g.Known:
		return calm
	case g.Danger > 0 && g.Part >= g.Danger:
		return alarming
	case g.Warn > 0 && g.Part >= g.Warn:
		return warned
	}
	return calm
}

// gauge is a gauge with its name.
type gauge struct {
	name string
	Gauge
}

func (t *Tile) gauges() []gauge {
	return []gauge{{"load", t.Load}, {"mem", t.Memory}, {"disk", t.Disk}}
}

// need says how much a target needs a person; the smallest first.
type need uint8

const (
	waits need = iota
	lost
	dangerous
	runs
	nothing
)

func (t *Tile) need() need {
	switch {
	case len(t.Approvals) > 0, t.Asks != "":
		return waits
	case t.State == targets.Lost, t.Word != "":
		return lost
	case slices.ContainsFunc(t.gauges(), func(g gauge) bool { return g.level() == alarming }):
		return dangerous
	case t.Running != "", t.State == targets.Connecting:
		return runs
	}
	return nothing
}

func compare(a, b Tile) int {
	return cmp.Or(cmp.Compare(a.need(), b.need()), natural(a.Name, b.Name))
}

// natural compares names as people count: web-2 before web-10.
func natural(a, b string) int {
	for {
		x, restA, numberA := token(a)
		y, restB, numberB := token(b)
		switch {
		case x == "" || y == "":
			return cmp.Compare(len(a), len(b))
		case numberA && numberB:
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
		default:
			if c := cmp.Compare(x, y); c != 0 {
				return c
			}
		}
		a, b = restA, restB
	}
}

// token is the number, or what is none, at the beginning of a name.
func token(name string) (first, rest string, number bool) {
	if name == "" {
		return "", "", false
	}
	digit := func(r rune) bool { return r < unicode.MaxASCII && unicode.IsDigit(r) }
	number = digit(rune(name[0]))
	end := strings.IndexFunc(name, func(r rune) bool { return digit(r) != number })
	if end < 0 {
		end = len(name)
	}
	return name[:end], name[end:], number
}
