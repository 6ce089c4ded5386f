package pane

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
// latest ones, newest first; the other shells keep that of nod's latest run
// alone, since they know of no other. "17?1" says that what announces commands
// was gone, so that one may have been run.

// account is what a hook has left.
type account struct {
	prompts int
	running bool
	status  string
	ended   []ending
}

// ending is how a line ended.
type ending struct {
	prompt   int // in front of which
	executed bool
	unsure   bool // it may have been executed
	outcome  backends.Outcome
}

const (
	// keptEntries and keptBytes bound how many endings a hook keeps.
	keptEntries = 20
	keptBytes   = 200
	// maxAccount bounds an account with its frame.
	maxAccount = keptBytes + 100
)

// parseAccount parses what follows the nonce.
func parseAccount(text string) (account, bool) {
	prompts, rest, _ := strings.Cut(text, ":")
	state, list, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(prompts)
	if !ok || err != nil || n < 0 || state != "run" && !isStatus(state) {
		return account{}, false
	}
	a := account{prompts: n, running: state == "run"}
	if !a.running {
		a.status = state
	}
	// A last one without its comma may have been cut in the middle.
	for one, rest, whole := strings.Cut(list, ","); whole; one, rest, whole = strings.Cut(rest, ",") {
		i := strings.IndexAny(one, "=~?")
		if i < 0 {
			return account{}, false
		}
		at, err := strconv.Atoi(one[:i])
		if err != nil || !isStatus(one[i+1:]) {
			return account{}, false
		}
		a.ended = append(a.ended, ending{prompt: at, executed: one[i] == '=', unsure: one[i] == '?', outcome: statusOutcome(one[i+1:])})
	}
	return a, true
}

// since is what became of the line that was entered at the given prompt: how it
// ended, or that it still runs, or neither if nothing of it was run so far.
func (a account) since(prompt int) (end ending, ended, running bool) {
	for i := len(a.ended) - 1; i >= 0; i-- { // oldest first
		if e := a.ended[i]; e.prompt > prompt && e.executed {
			return e, true, false
		}
	}
	return ending{}, false, a.running
}

// fresh is what the account says of the line in front of its latest prompt.
func (a account) fresh() (end ending, ok bool) {
	for _, e := range a.ended {
		if e.prompt == a.prompts {
			return e, true
		}
	}
	return ending{}, false
}

// forgotten reports whether endings from right behind the given prompt are not
// known, or may have been dropped. all says that the hook keeps those of all commands.
func (a account) forgotten(prompt int, all bool) bool {
	for _, e := range a.ended {
		if e.unsure && e.prompt > prompt {
			return true
		}
	}
	if !all || a.prompts <= prompt {
		return false
	}
	return len(a.ended) == 0 || a.ended[len(a.ended)-1].prompt > prompt+1
}

// isStatus reports whether s is an exit status as shells write it.
func isStatus(s string) bool {
	return len(s) > 0 && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}
