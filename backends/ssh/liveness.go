package ssh

import (
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// looks is how often a connection is looked at in the time between two
	// questions.
	looks = 5
	// glanceLooks and restLooks are how many looks are between two questions to a host that
	// is glanced at, which is less often than an overview asks it something, and to one that
	// rests.
	glanceLooks = 12
	restLooks   = 6 * looks
	// answerLooks is for how many looks an answer is waited for at least.
	answerLooks = 8
)

// Use is what somebody wants of a connection. The rarer it is asked whether the other side is
// still there, the later a loss is noticed.
type Use uint8

// The uses, by how soon a loss is to be noticed. The times are for a Keepalive of 5 s.
const (
	InUse   Use = iota // within 15 s of the last sign of life: something runs, or somebody looks
	Glanced            // within 20 s: it is one of many in an overview
	AtRest             // within 40 s, or 15 s after something was sent: nobody looks
)

// period is how many looks are between two questions.
func (u Use) period() int {
	switch u {
	case InUse:
		return looks
	case Glanced:
		return glanceLooks
	}
	return restLooks
}

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

// pulse asks whether the other side of a connection is still there.
type pulse struct {
	every  time.Duration       // between two questions
	gone   <-chan struct{}     // closed when there is nobody to ask any more
	ping   func() error        // asks
	took   func(time.Duration) // is told how long each answer took
	vitals vitals
	use    *use // nil: it is always in use
	// others is when somebody else had an answer to the same question, who shares the
	// connection; nil where there is nobody.
	others func() time.Time
}

// use is what a connection is used for.
type use struct {
	as      atomic.Uint32 // a Use
	stirred atomic.Bool   // something was sent since
	wake    chan struct{} // holds one
}

func newUse() *use { return &use{wake: make(chan struct{}, 1)} }

func (u *use) now() Use { return Use(u.as.Load()) } //nolint:gosec // set has stored it

// set says what the connection is used for, and reports whether that is new.
func (u *use) set(as Use) bool {
	changed := Use(u.as.Swap(uint32(as))) != as //nolint:gosec // set has stored it
	if changed {
		u.post()
	}
	return changed
}

// stir says that something is sent that will be answered.
func (u *use) stir() {
	if u.now() != InUse && !u.stirred.Swap(true) {
		u.post()
	}
}

func (u *use) post() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// run asks one question at a time, until gone is closed. It returns an error after
// keepaliveMisses intervals in which a question was open and no sign of life came:
// neither the answer, which may stand behind much else, nor that the vitals grew. What
// may be on its way is given the time that it takes on a link that crawls.
//
// It counts looks and not time, so that nod may itself have been stopped for a
// while. All connections look at the same moments: a hundred that each look at their own
// wake the processor a hundred times as often. While no question is open and nothing
// comes, the looks before the next question are one. What comes stands for an answer, but
// for the time that one takes.
func (p *pulse) run() error {
	u := p.use
	if u == nil {
		u = newUse()
	}
	h := heart{
		pulse: p, interval: max(p.every/looks, time.Millisecond), answer: make(chan error, 1),
		since: looks, signs: p.vitals.signs(), sent: p.vitals.underway(),
	}
	h.timer = time.NewTimer(time.Hour)
	defer h.timer.Stop()
	for {
		period := u.now().period()
		h.askIfDue(period)
		h.arm(period)
		select {
		case <-p.gone:
			return nil
		case <-h.answer: //nolint:errcheck // an error shows as the link's end
			h.answered()
		case <-u.wake:
			h.pass(h.passed())
			h.woken(u)
		case <-h.timer.C:
			h.pass(h.armed)
			if err := h.look(); err != nil {
				return err
			}
		}
	}
}

// heart is a pulse while it runs.
type heart struct {
	*pulse
	interval time.Duration // between two looks
	answer   chan error

	timer *time.Timer
	armed int   // for how many looks
	begun int64 // the last look before that, see lookAt

	asked   time.Time
	waiting bool // for the answer
	since   int  // looks since the last question, or since something came in its place
	unasked int  // looks since the last question
	silent  int  // looks since the last sign of life
	signs   int64
	sent    int64
	backlog time.Duration // until what was sent is there
	lively  bool          // something came of late
	stirred bool          // something was sent while nobody looks
}

// askIfDue asks, if the last question was so many looks ago, or if much was sent: the
// answer tells that it is there.
func (h *heart) askIfDue(period int) {
	if h.waiting || h.since < period && h.backlog <= h.interval {
		return
	}
	h.waiting, h.stirred, h.asked = true, false, time.Now()
	h.since, h.unasked = 0, 0
	h.silent = min(h.silent, keepaliveMisses*looks-answerLooks)
	go func() { h.answer <- h.ping() }()
}

// arm sets the timer to the next look that has something to see.
func (h *heart) arm(period int) {
	h.armed = period - h.since
	if h.waiting || h.stirred || h.lively {
		h.armed = 1
	}
	now := time.Now()
	h.begun = h.lookAt(now)
	h.timer.Reset(untilNext(now, h.interval) + time.Duration(h.armed-1)*h.interval)
}

// lookAt is the number of the last look of all.
func (h *heart) lookAt(now time.Time) int64 { return now.UnixNano() / int64(h.interval) }

// passed is how many of the looks have passed that the timer is set for.
func (h *heart) passed() int {
	return int(min(max(h.lookAt(time.Now())-h.begun, 0), int64(h.armed)))
}

// pass lets a number of looks pass.
func (h *heart) pass(n int) {
	h.since += n
	h.unasked += n
	h.silent += n
}

// answered takes an answer.
func (h *heart) answered() {
	h.took(time.Since(h.asked))
	h.since += h.passed()
	h.waiting, h.silent, h.backlog = false, 0, 0
	h.signs = h.vitals.signs()
}

// woken is told that the connection is used in another way, or that something is sent
// meanwhile: then the next look is to see that something has come.
func (h *heart) woken(u *use) {
	stirred := u.stirred.Swap(false)
	if u.now() == InUse {
		h.since = looks // whoever comes back wants to know
	} else if stirred && !h.waiting {
		h.stirred, h.signs = true, h.vitals.signs()
	}
}

// look looks for signs of life. The error is that there has been none for too long.
func (h *heart) look() error {
	now := h.vitals.signs()
	if h.lively = now != h.signs; h.lively {
		h.signs = now
		h.silent = min(h.silent, h.armed-1) // it came somewhen since the last look
		if h.unasked < restLooks-looks {    // else nobody knows any more how far away it is
			h.since = min(h.since, h.silent)
		}
	}
	if h.stirred && !h.lively {
		h.since = restLooks // ask
	}
	h.stirred = false
	h.backlog = max(h.backlog-time.Duration(h.armed)*h.interval, 0)
	if now := h.vitals.underway(); now > h.sent {
		h.backlog = min(h.backlog+time.Duration(now-h.sent)*time.Second/crawl, mostSilent*h.interval)
		h.sent = now
	}
	if h.waiting && (h.silent >= mostSilent || h.silent >= keepaliveMisses*looks && h.backlog <= h.interval) {
		return fmt.Errorf("no answer for %s", time.Since(h.asked).Round(time.Second))
	}
	if h.others != nil && !h.waiting {
		if ago := time.Since(h.others()) / h.interval; ago < time.Duration(h.since) {
			h.since, h.silent = int(ago), min(h.silent, int(ago))
		}
	}
	return nil
}

// untilNext is the time until the next look of all whose interval is the same, in this
// process and in others: at multiples of it since 1970. A clock that is set moves one look.
func untilNext(now time.Time, interval time.Duration) time.Duration {
	return interval - time.Duration(now.UnixNano())%interval
}
