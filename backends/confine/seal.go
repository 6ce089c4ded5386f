package confine

import "errors"

// ErrNoSeal means that this system cannot seal a process.
var ErrNoSeal = errors.New("confine: a process cannot be sealed on this system")

// Bounds limit a sealed process. A zero field is no limit.
type Bounds struct {
	Memory int64 // bytes of writable memory beyond what it has when it is sealed
	CPU    int   // seconds of processor time, in all
}
