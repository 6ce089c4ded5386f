package process

import (
	"fmt"
)

// Exit statuses of nod itself; "nod run" otherwise ends with the command's own.
const (
	StatusTimeout     = 124 // the command did not end in time
	StatusFailed      = 125 // nod could not do what was asked
	StatusDenied      = 126 // a rule or the operator said no
	statusInterrupted = 130 // the operator interrupted
)

// ExitStatus is an error that ends the program with a status and says nothing:
// what there was to say has been said.
type ExitStatus int

// Error implements error.
func (e ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
