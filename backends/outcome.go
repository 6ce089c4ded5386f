package backends

import "fmt"

// State says how a program ended.
type State uint8

const (
	// Unknown is the zero value: whether and how the program ended could not
	// be learnt.
	Unknown State = iota
	// Exited means that the program ended by itself with an exit code.
	Exited
	// Signalled means that a signal ended the program.
	Signalled
)

// String implements fmt.Stringer.
func (s State) String() string {
	switch s {
	case Exited:
		return "exited"
	case Signalled:
		return "signalled"
	}
	return "unknown"
}

// Outcome is the proved end of a program. The zero value is Unknown.
type Outcome struct {
	State  State
	Code   int    // exit code; meaningful for Exited
	Signal Signal // meaningful for Signalled
}

// ExitedWith is the outcome of a program that ended with the given code.
func ExitedWith(code int) Outcome { return Outcome{State: Exited, Code: code} }

// EndedBy is the outcome of a program that a signal ended.
func EndedBy(s Signal) Outcome { return Outcome{State: Signalled, Signal: s} }

// OK reports whether the program is proved to have exited with code 0.
func (o Outcome) OK() bool { return o.State == Exited && o.Code == 0 }

// String implements fmt.Stringer.
func (o Outcome) String() string {
	switch o.State {
	case Exited:
		return fmt.Sprintf("exited %d", o.Code)
	case Signalled:
		return fmt.Sprintf("signalled %s", o.Signal)
	}
	return "unknown"
}
