package marks

import (
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends"
)

// A hook keeps an account of what its shell has done, and leaves it where a
// look can see it (an OSC 7, which tmux remembers), for one who was away:
//
//	ESC ]7;nod:NONCE:PROMPTS:STATE:ENDED,ENDED,… BEL
//
// PROMPTS counts the prompts, STATE is "run" while a command runs, else the
// last status. ENDED is "17=0" for a command that ended in front of prompt 17,
// "17~2" for a line there of which nothing was run. bash, zsh and fish keep the
// latest ones, newest first. dash and its like keep the latest six, know of no
// line that was not run, and do not say that a command runs. "17?1" says that what announces commands
// was gone, so that one may have been run.

// Account is what a hook has left.
type Account struct {
	Prompts int      // counts the prompts
	Running bool     // a command runs
	Status  string   // of the latest command, if none runs
	Ended   []Ending // the latest commands, newest first
}

// Ending is how a line ended.
type Ending struct {
	Prompt   int // in front of which
	Executed bool
	Unsure   bool // it may have been executed
	Outcome  backends.Outcome
}

const (
	// KeptEntries bounds how many endings a hook keeps.
	KeptEntries = 20
	// KeptBytes bounds the size of an entry, in bytes.
	KeptBytes = 200
	// maxAccount bounds an account with its frame.
	maxAccount = KeptBytes + 100
)

// ParseAccount parses what follows the nonce in an account.
func ParseAccount(text string) (Account, bool) {
	prompts, rest, _ := strings.Cut(text, ":")
	state, list, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(prompts)
	if !ok || err != nil || n < 0 || state != "run" && !isStatus(state) {
		return Account{}, false
	}
	a := Account{Prompts: n, Running: state == "run"}
	if !a.Running {
		a.Status = state
	}
	// A last one without its comma may have been cut in the middle.
	for one, rest, whole := strings.Cut(list, ","); whole; one, rest, whole = strings.Cut(rest, ",") {
		i := strings.IndexAny(one, "=~?")
		if i < 0 {
			return Account{}, false
		}
		at, err := strconv.Atoi(one[:i])
		if err != nil || !isStatus(one[i+1:]) {
			return Account{}, false
		}
		a.Ended = append(a.Ended, Ending{Prompt: at, Executed: one[i] == '=', Unsure: one[i] == '?', Outcome: statusOutcome(one[i+1:])})
	}
	return a, true
}

// Outcome is how the latest command ended, if none runs.
func (a Account) Outcome() backends.Outcome { return statusOutcome(a.Status) }

// Since is what became of the line that was entered at the given prompt: how it
// ended, or that it still runs, or neither if nothing of it was run so far.
func (a Account) Since(prompt int) (end Ending, ended, running bool) {
	for i := len(a.Ended) - 1; i >= 0; i-- { // oldest first
		if e := a.Ended[i]; e.Prompt > prompt && e.Executed {
			return e, true, false
		}
	}
	return Ending{}, false, a.Running
}

// Latest is what the account says of the line in front of its latest prompt.
func (a Account) Latest() (end Ending, ok bool) {
	for _, e := range a.Ended {
		if e.Prompt == a.Prompts {
			return e, true
		}
	}
	return Ending{}, false
}

// Forgotten reports whether endings from right behind the given prompt are not
// known, or may have been dropped. all says that the hook keeps those of all commands.
func (a Account) Forgotten(prompt int, all bool) bool {
	for _, e := range a.Ended {
		if e.Unsure && e.Prompt > prompt {
			return true
		}
	}
	if !all || a.Prompts <= prompt {
		return false
	}
	return len(a.Ended) == 0 || a.Ended[len(a.Ended)-1].Prompt > prompt+1
}
