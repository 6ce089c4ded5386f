package tour

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent"
)

// Happening is something that a step waits for.
type Happening uint8

// What can happen.
const (
	Ran    Happening = iota + 1 // a command ran that only looked
	Made                        // the tour's folder was made
	Failed                      // a change was approved, and did not work
	Denied                      // something was denied
	Undone                      // /undo has ended
	Typed                       // the keyboard was in a terminal, and came back
	Listed                      // the list of all commands was opened
)

// Options say what a tour talks of.
type Options struct {
	// Folder is made and removed again. It must not exist yet.
	Folder string
	// Lines says that there are only lines, and no screen.
	Lines bool
	// Terminal and Palette name the keys for typing into a terminal and for the list of
	// all commands. They are of no interest for lines.
	Terminal, Palette string
}

// Folder is a name for Options.Folder that no other tour has. It is typed by hand, so
// it is short.
func Folder() string { return "/tmp/nod-tour-" + strings.ToLower(rand.Text()[:5]) }

// Tour is one tour.
type Tour struct {
	steps    []step
	at       int
	happened map[Happening]bool
	opt      Options
	effects  map[string]string // of running calls
}

// step is what the operator is to do, and how it is known that he did.
type step struct {
	text  string
	wants Happening
	// again is said if that happened instead.
	again map[Happening]string
}

// New begins a tour.
func New(opt Options) *Tour {
	t := &Tour{opt: opt, happened: map[Happening]bool{}, effects: map[string]string{}}
	beside := " beside this"
	if opt.Lines {
		beside = ""
	}
	mkdir := "!mkdir " + opt.Folder
	once := "The tour goes on with: " + mkdir
	t.steps = []step{
		{"Ask for something: write\n  how full is the disk?\nand press Enter. What only looks runs by itself, in the terminal" + beside + ", and is put on record.", Ran, nil},
		{"Whatever could change something waits for your nod. Write\n  " + mkdir + "\n(with \"!\" a command is your own; it is judged like a model's). " +
			"You are shown the exact bytes, and the answer stands on no: Enter alone never approves. Say yes with y" + enter(opt) + ".", Made,
			map[Happening]string{
				Denied: "You said no, and nothing ran. That is always safe, and the model is told. " + once,
				Failed: "That was approved, and did not work: the card says why. " + once,
			}},
		{"Take it back: write\n  /undo\nIt proposes the opposite, which is a command as well, so it asks.", Undone, nil},
	}
	if !opt.Lines {
		t.steps = append(t.steps,
			step{fmt.Sprintf("The terminal is real, and yours, too. %s types into it: try ls. %[1]s again comes back.", opt.Terminal), Typed, nil},
			step{fmt.Sprintf("Everything else is a command with a name. %s lists them all: write a few letters of what you want. Esc closes it.", opt.Palette), Listed, nil},
		)
	}
	return t
}

func enter(opt Options) string {
	if opt.Lines {
		return " and Enter"
	}
	return ""
}

// over is said at the end.
const over = "That was the tour. In doubt say no. What you did is on record: nod audit show. " +
	"How to add a model: nod help. /tour begins again."

// Text says what is to be done now, or that the tour is over.
func (t *Tour) Text() string {
	if t.Over() {
		return over
	}
	return fmt.Sprintf("Tour, %d of %d. %s", t.at+1, len(t.steps), t.steps[t.at].text)
}

// Over reports whether every step was done.
func (t *Tour) Over() bool { return t.at == len(t.steps) }

// Saw notes that something happened.
func (t *Tour) Saw(h Happening) { t.happened[h] = true }

// Event notes what a turn tells.
func (t *Tour) Event(e agent.Event) {
	switch e := e.(type) {
	case agent.CallStarted:
		t.effects[e.Call] = e.Effect
		if strings.TrimSpace(e.Action.Command) == "mkdir "+t.opt.Folder {
			t.effects[e.Call] = t.opt.Folder
		}
	case agent.CallFinished:
		effect := t.effects[e.Call]
		delete(t.effects, e.Call)
		switch {
		case e.Denied:
			t.Saw(Denied)
		case effect == t.opt.Folder && e.IsError:
			t.Saw(Failed)
		case effect == t.opt.Folder:
			t.Saw(Made)
		case effect == "observe":
			t.Saw(Ran)
		}
	}
}

// Next is what is to be said about what happened since the last call, if there is
// anything. Call it when a turn has ended, and after keys.
func (t *Tour) Next() (text string, ok bool) {
	happened := t.happened
	t.happened = map[Happening]bool{}
	if t.Over() {
		return "", false
	}
	s := t.steps[t.at]
	if happened[s.wants] {
		t.at++
		return t.Text(), true
	}
	for h, text := range s.again {
		if happened[h] {
			return text, true
		}
	}
	return "", false
}
