package model

import (
	"context"
	"io"
	"time"
)

// A reply that goes on is read at intervals: whoever reads each token by itself is woken
// hundreds of times a second, which costs more than all that is done with them. A short
// reply is read as it comes, and so is one that comes faster than the intervals let
// through: reads that bring much pay for the next ones.
const (
	paceFrom   = time.Second // after the first byte
	paceTime   = 100 * time.Millisecond
	slowFrom   = 4 * time.Second
	slowTime   = 250 * time.Millisecond
	readBuffer = 64 << 10       // bytes that are read at once
	readPrice  = readBuffer / 4 // bytes that a read without a pause has to bring
	maxCredit  = 8 * readPrice
)

// paced is a reader that lets time pass between two reads. The first error of ctx ends
// the wait.
type paced struct {
	r      io.Reader
	ctx    context.Context
	pauses *lull
	began  time.Time // the first byte came; zero before
	last   time.Time
	credit int // bytes that reads have brought beyond their price, up to maxCredit
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if wait := p.wait(); wait > 0 {
		p.pauses.begin()
		whole := sleep(p.ctx, wait)
		p.pauses.end()
		if !whole {
			return 0, context.Cause(p.ctx)
		}
	}
	n, err := p.r.Read(b)
	p.last = time.Now()
	p.credit = min(max(p.credit+n-readPrice, 0), maxCredit)
	if p.began.IsZero() {
		p.began = p.last
	}
	return n, err
}

// wait is how long the next read has to wait.
func (p *paced) wait() time.Duration {
	if p.began.IsZero() || p.credit > 0 {
		return 0
	}
	pause := time.Duration(0)
	switch age := p.last.Sub(p.began); {
	case age >= slowFrom:
		pause = slowTime
	case age >= paceFrom:
		pause = paceTime
	}
	return pause - time.Since(p.last)
}
