package mux

import (
	"errors"
	"testing"
	"time"
)

// clockedPacer is a pacer whose time the test makes.
func clockedPacer(t *testing.T) (*pacer, *time.Time) {
	t.Helper()
	now := time.Unix(1_000_000, 0)
	p := newPacer(func() error { return errors.New("the test asks") })
	p.now = func() time.Time { return now }
	p.watching = true // the test does
	p.base = 50 * time.Millisecond
	return p, &now
}

// A transfer alone goes as fast as it can; beside somebody else it makes room,
// and takes what it can get.
func TestThePacerMakesRoom(t *testing.T) {
	p, now := clockedPacer(t)
	bulk, typing := p.lane(), p.lane()
	const link = 2_500_000 // bytes per second
	typing.went(1)
	waits, sent := 1_500_000.0, 0.0 // what stands before the bottleneck, in bytes
	bulk.size, bulk.begun = bulkSize, *now
	late, samples := 0, 0
	for second := range 20 {
		for begin := *now; now.Sub(begin) < time.Second; {
			took := p.base + time.Duration(waits/link*float64(time.Second))
			step := took + watchEvery
			rate := float64(5 * link)
			if p.rate > 0 {
				rate = p.rate
			}
			in := min(rate*step.Seconds(), 2<<20-waits+link*step.Seconds())
			p.passed = int64(min(in, link*step.Seconds()+waits))
			bulk.size, bulk.begun, bulk.last = bulk.size+p.passed, *now, *now
			waits = max(waits+in-link*step.Seconds(), 0)
			*now = now.Add(step)
			if !p.adapt(*now, took, step) {
				t.Fatal("it stops although there are both")
			}
			if second >= 5 {
				sent += in
				samples++
				if took > 2*p.limit() {
					late++
				}
			}
		}
		typing.last = *now
	}
	if late*20 > samples {
		t.Errorf("%d of %d answers were late", late, samples)
	}
	if share := sent / 15 / link; share < 0.6 {
		t.Errorf("the transfer had %.0f %% of the link", 100*share)
	}
	*now = now.Add(inUse)
	bulk.begun, bulk.last = *now, *now
	if p.adapt(*now, p.base, time.Second) {
		t.Error("it goes on although nobody else is there")
	}
}

// What is not slowed down does not wait, and what is has to.
func TestThePacersPauses(t *testing.T) {
	p, now := clockedPacer(t)
	l, other := p.lane(), p.lane()
	for range 10 {
		if pause := p.account(l, bulkSize/20); pause != 0 {
			t.Errorf("a little: %s", pause)
		}
	}
	p.rate = bulkSize // a second for so much
	if pause := p.account(l, bulkSize); pause != time.Second {
		t.Errorf("a second's worth: %s", pause)
	}
	if pause := p.account(l, bulkSize); pause != 2*time.Second {
		t.Errorf("and another: %s", pause)
	}
	if pause := p.account(other, 10); pause != 0 {
		t.Errorf("a key: %s", pause)
	}
	if n := l.bite(1 << 20); n != pacedRead {
		t.Errorf("it reads %d bytes at once", n)
	}
	if !p.inTheWay(*now) {
		t.Error("there are both")
	}
	other.close()
	if p.inTheWay(*now) {
		t.Error("there is one")
	}
	done := make(chan struct{})
	go func() { defer close(done); l.went(100 * bulkSize) }()
	p.end()
	<-done
	if p.end(); l.bite(1<<20) != 1<<20 {
		t.Error("it is slowed down after the end")
	}
}
