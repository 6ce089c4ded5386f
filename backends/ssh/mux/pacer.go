package mux

import (
	"io"
	"sync"
	"time"
)

// pacer keeps bulk from getting into the way of who types on the same
// connection. A transfer fills whatever waits for the bottleneck of a link, up to
// a channel's window of 2 MiB, and each key and its echo stand behind that: more
// than a second at 20 Mbit/s. So while others use the connection, the time of an
// answer is watched, and transfers are slowed down until little waits.
//
// Reading a channel more slowly slows the far side down, too: its window opens no
// faster than we read.
type pacer struct {
	ping func() error // returns when the far side has answered
	now  func() time.Time

	mu       sync.Mutex
	lanes    map[*lane]struct{}
	watching bool
	rate     float64       // of all transfers together, in bytes per second; 0: as fast as it goes
	due      time.Time     // when the next byte may go
	passed   int64         // bytes of transfers since the last answer
	flow     float64       // what passes, in bytes per second
	held     time.Time     // until when the rate stays as it is, if answers are late
	base     time.Duration // the quickest answer, of late
	ended    chan struct{} // closed at the end
}

const (
	// bulkSize makes a lane a transfer, in bytes within a bulkTime: more than
	// anybody reads.
	bulkSize = 512 << 10
	bulkTime = time.Second
	// inUse is how long a lane that was quiet is thought to be in use.
	inUse = 30 * time.Second
	// watchEvery is the pause between two looks at the time of an answer.
	watchEvery = 50 * time.Millisecond
	// leastDelay is what may wait for the bottleneck on a link that answers at
	// once: too little to be noticed, and more than a busy machine makes of
	// nothing.
	leastDelay = 20 * time.Millisecond
	// smooth is over what time the flow is taken.
	smooth = 300 * time.Millisecond
	// longestHold bounds the time for what waits to run off.
	longestHold = 3 * time.Second
	// leastRate keeps transfers going, in bytes per second.
	leastRate = 32 << 10
	// pacedRead is how much is read at once while transfers are slowed down, in
	// bytes.
	pacedRead = 32 << 10
)

func newPacer(ping func() error) *pacer {
	return &pacer{ping: ping, now: time.Now, lanes: map[*lane]struct{}{}, ended: make(chan struct{})}
}

// learn measures how quick an answer is, before there is any traffic.
func (p *pacer) learn() {
	asked := p.now()
	if p.ping() != nil {
		return
	}
	took := p.now().Sub(asked)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.base == 0 || took < p.base {
		p.base = took
	}
}

// end lets everything go.
func (p *pacer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	closeOnce(p.ended)
	p.rate = 0
}

// lane is what goes through one channel, both ways.
type lane struct {
	p     *pacer
	begun time.Time // of the present bulkTime
	size  int64     // in it
	was   int64     // in the one before
	last  time.Time // when something went

	freed chan struct{} // closed when nothing is slowed down here any more
}

func (p *pacer) lane() *lane {
	l := &lane{p: p, freed: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lanes[l] = struct{}{}
	return l
}

// close forgets the lane.
func (l *lane) close() {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	delete(l.p.lanes, l)
}

// free lets all go that is still to come: a program has ended, and who waits for its last
// words has been told so.
func (l *lane) free() {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	closeOnce(l.freed)
}

// isBulk reports whether the lane carries a transfer. p.mu is held.
func (l *lane) isBulk(now time.Time) bool {
	return now.Sub(l.begun) < 2*bulkTime && max(l.size, l.was) >= bulkSize
}

// isUsed reports whether somebody may wait for what goes here. p.mu is held.
func (l *lane) isUsed(now time.Time) bool {
	return !l.last.IsZero() && now.Sub(l.last) < inUse && !l.isBulk(now)
}

// went is called when n bytes have gone through. For a transfer that is in
// somebody's way it takes its time.
func (l *lane) went(n int) {
	if n > 0 {
		l.wait(l.p.account(l, n))
	}
}

// wait waits for so long, or until the lane is free.
func (l *lane) wait(pause time.Duration) {
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.freed:
	case <-l.p.ended:
	}
}

// bite is how much of so much to read at once.
func (l *lane) bite(most int) int {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.rate > 0 {
		return min(most, pacedRead)
	}
	return most
}

// account notes n bytes and returns for how long nothing more should go.
func (p *pacer) account(l *lane, n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(l.begun) >= bulkTime {
		l.was = l.size
		if now.Sub(l.begun) >= 2*bulkTime {
			l.was = 0
		}
		l.begun, l.size = now, 0
	}
	l.size += int64(n)
	l.last = now
	if !l.isBulk(now) {
		return 0
	}
	p.passed += int64(n)
	if !p.watching && p.inTheWay(now) {
		p.watching, p.passed = true, 0
		go p.watch()
	}
	if p.rate == 0 {
		return 0
	}
	if p.due.Before(now) {
		p.due = now
	}
	p.due = p.due.Add(time.Duration(float64(n) / p.rate * float64(time.Second)))
	return p.due.Sub(now)
}

// inTheWay reports whether there are both a transfer and somebody else. p.mu is
// held.
func (p *pacer) inTheWay(now time.Time) bool {
	bulk, used := false, false
	for l := range p.lanes {
		bulk = bulk || l.isBulk(now)
		used = used || l.isUsed(now)
	}
	return bulk && used
}

// watch sets the rate by the time that answers take, as long as there are both.
// It ends with the connection, whose end ends the ping.
func (p *pacer) watch() {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.watching, p.rate, p.flow, p.held = false, 0, 0, time.Time{}
	}()
	for last := p.now(); ; {
		asked := p.now()
		if p.ping() != nil {
			return
		}
		now := p.now()
		if !p.adapt(now, now.Sub(asked), now.Sub(last)) {
			return
		}
		last = now
		select {
		case <-time.After(watchEvery):
		case <-p.ended:
			return
		}
	}
}

// limit is how long an answer may take. p.mu is held.
func (p *pacer) limit() time.Duration { return p.base + max(p.base, leastDelay) }

// adapt changes the rate by how long an answer took, and by what has passed since
// the one before. It reports whether to go on.
func (p *pacer) adapt(now time.Time, took, since time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.base == 0 || took < p.base {
		p.base = took
	}
	p.base += p.base / 2000 // the way may have become longer
	flow := float64(p.passed) / max(since.Seconds(), 0.001)
	p.passed = 0
	if p.flow == 0 {
		p.flow = flow
	}
	p.flow += (flow - p.flow) * min(since.Seconds()/smooth.Seconds(), 1)
	switch waits := took - p.base; {
	case took > p.limit() && now.After(p.held):
		share := 0.8
		if took > 3*p.limit() {
			share = 0.5
		}
		if p.rate == 0 || p.flow < p.rate {
			p.rate = p.flow
		}
		p.rate = max(p.rate*share, leastRate)
		// What waits runs off by as much as less comes. Until then answers are
		// late, whatever the rate is.
		p.held = now.Add(min(time.Duration(float64(waits)/(1-share)), longestHold))
	case took <= p.limit() && p.rate > 0 && flow > p.rate/2: // it is us who hold it up
		p.rate *= 1.05
	}
	return p.inTheWay(now)
}

// paced is a reader whose bytes are a lane's. What was read goes on at once, and the next
// read takes the time for it: bytes that are held here would be overtaken by the news that
// their program has ended.
type paced struct {
	io.Reader
	lane *lane
	owed time.Duration
}

func (r *paced) Read(b []byte) (int, error) {
	r.lane.wait(r.owed)
	n, err := r.Reader.Read(b[:r.lane.bite(len(b))])
	r.owed = 0
	if n > 0 {
		r.owed = r.lane.p.account(r.lane, n)
	}
	return n, err
}
