package mux

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
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

// What has been read goes on at once, however slowly the next is to be read: its program may
// have ended, and whoever is told of that does not wait for bytes that are held back here. Once
// the program has ended, nothing is held back.
func TestThePacerHoldsNothingInItsHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(func() error { return errors.New("the test asks") })
		p.watching, p.rate = true, leastRate // the test watches
		l := p.lane()
		l.begun, l.size = time.Now(), 10*bulkSize // of what goes the other way
		l.wait(p.account(l, leastRate))           // a second's worth
		r := &paced{Reader: strings.NewReader(strings.Repeat("x", 4*leastRate)), lane: l}
		began := time.Now()
		buf := make([]byte, leastRate)
		for i, least := range []time.Duration{0, time.Second} {
			l.size = 10 * bulkSize
			if _, err := r.Read(buf); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < least || took > least+time.Second/2 {
				t.Errorf("read %d after %s", i, took)
			}
		}
		l.free()
		for range 2 {
			if _, err := r.Read(buf); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 3*time.Second/2 {
			t.Errorf("the rest after %s", took)
		}
	})
}
