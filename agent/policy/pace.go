package policy

import (
	"slices"
	"time"
)

const (
	// reflex is how quick an approval is that nobody can have thought about.
	reflex = time.Second
	// reflexes in a row make the next one harder.
	reflexes = 3
	// paceTime is how far back the pace looks.
	paceTime = time.Hour
)

// pace is how the operator approves.
type pace struct {
	approvals []approvalAt // of the last paceTime, oldest first
	quick     int          // reflexes in a row
}

type approvalAt struct {
	at   time.Time
	took time.Duration
}

// Pace is how the operator has approved in the last hour.
type Pace struct {
	Approvals int
	Median    time.Duration // to decide; 0 if there was none
}

// Pace tells how the operator has approved in the last hour.
func (e *Engine) Pace() Pace {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pace.forget(e.opt.Now())
	n := len(e.pace.approvals)
	if n == 0 {
		return Pace{}
	}
	took := make([]time.Duration, n)
	for i, a := range e.pace.approvals {
		took[i] = a.took
	}
	slices.Sort(took)
	return Pace{Approvals: n, Median: (took[(n-1)/2] + took[n/2]) / 2}
}

// approved notes an approval. What was asked and typed for took longer than a
// reflex, and ends a row of them.
func (e *Engine) approved(answer Answer, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if answer.After > 0 {
		took = answer.After
	}
	now := e.opt.Now()
	e.pace.forget(now)
	e.pace.approvals = append(e.pace.approvals, approvalAt{now, took})
	if answer.After > 0 && answer.After < reflex && answer.Typed == "" {
		e.pace.quick++
	} else {
		e.pace.quick = 0
	}
}

// hasty says why the next approval wants more than a key; empty if it does not.
func (e *Engine) hasty() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pace.quick < reflexes {
		return ""
	}
	return "the last three approvals took less than a second each: read this one, and type the target's name"
}

// forget drops what is too old to count.
func (p *pace) forget(now time.Time) {
	p.approvals = slices.DeleteFunc(p.approvals, func(a approvalAt) bool { return now.Sub(a.at) > paceTime })
}
