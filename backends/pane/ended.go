package pane

import (
	"time"

	"github.com/nod-console/nod/backends"
)

// Ended is a run that is over.
type Ended struct {
	Command string
	Outcome backends.Outcome
	At      time.Time
}

// Last is the run that ended last in the pane. ok is false if none has.
func (p *Pane) Last() (last Ended, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, !p.last.At.IsZero()
}
