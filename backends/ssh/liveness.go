package ssh

import (
	"fmt"
	"time"
)

// looks is how often a connection is looked at in the time between two
// questions.
const looks = 5

// vitals tell of a connection without asking the other side.
type vitals interface {
	// signs is a number that grows whenever the other side is seen to be there.
	signs() int64
	// underway is a number that grows with the bytes that may be on their way to
	// it, or 0.
	underway() int64
}

// crawl is how slow a link may be that bytes are on their way on, in bytes per
// second.
const crawl = 1000

// mostSilent is how many looks without a sign of life are the end, whatever is
// believed to be on its way: who hides so much may hide that the other side has
// gone. By default that is 17 s.
const mostSilent = keepaliveMisses*looks + 2

// pulse asks whether the other side is still there, one question at a time,
// until gone is closed. It returns an error after keepaliveMisses intervals in
// which a question was open and no sign of life came: neither the answer, which
// may stand behind much else, nor that the vitals grew. What may be on its way
// is given the time that it takes on a link that crawls. took is told how long
// each answer took.
//
// It counts looks and not time, so that nod may itself have been stopped for a
// while. All connections look at the same moments: a hundred that each look at their own
// wake the processor a hundred times as often.
func pulse(every time.Duration, gone <-chan struct{}, ping func() error, v vitals, took func(time.Duration)) error {
	interval := max(every/looks, time.Millisecond)
	look := time.NewTimer(untilNext(interval))
	defer look.Stop()
	var (
		answer  = make(chan error, 1)
		asked   time.Time
		waiting bool
		since   = looks // looks since the last question
		silent  = 0     // looks since the last sign of life
		signs   = v.signs()
		sent    = v.underway()
		backlog time.Duration // until what was sent is there
	)
	for {
		if !waiting && (since >= looks || backlog > interval) { // the answer tells that it is there
			waiting, since, asked = true, 0, time.Now()
			go func() { answer <- ping() }()
		}
		select {
		case <-gone:
			return nil
		case <-answer: //nolint:errcheck // an error shows as the link's end
			took(time.Since(asked))
			waiting, silent, backlog = false, 0, 0
		case <-look.C:
			look.Reset(untilNext(interval))
			since++
			silent++
			if now := v.signs(); now != signs {
				signs, silent = now, 0
			}
			backlog = max(backlog-interval, 0)
			if now := v.underway(); now > sent {
				backlog = min(backlog+time.Duration(now-sent)*time.Second/crawl, mostSilent*interval)
				sent = now
			}
			if waiting && (silent >= mostSilent || silent >= keepaliveMisses*looks && backlog <= interval) {
				return fmt.Errorf("no answer for %s", time.Since(asked).Round(time.Second))
			}
		}
	}
}

// untilNext is the time until the next look of all whose interval is the same, in this
// process and in others: at multiples of it since 1970. A clock that is set moves one look.
func untilNext(interval time.Duration) time.Duration {
	return interval - time.Duration(time.Now().UnixNano())%interval
}
