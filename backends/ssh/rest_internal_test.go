package ssh

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// asking runs a pulse in a bubble until the test's end. hangs is whether the other side
// answers no more, and questions counts.
type asking struct {
	still
	pulse
	questions atomic.Int64
	hangs     atomic.Bool
	slow      time.Duration // an answer takes as long
	begun     time.Time
	lost      chan time.Duration // gets when it was given up
}

func startAsking(t *testing.T, change func(*asking)) *asking {
	t.Helper()
	gone := make(chan struct{})
	a := &asking{begun: time.Now(), lost: make(chan time.Duration, 1)}
	a.pulse = pulse{
		every: beat, gone: gone, vitals: &a.still, use: newUse(), took: func(time.Duration) {},
		ping: func() error {
			a.questions.Add(1)
			if a.hangs.Load() {
				<-gone
			}
			select {
			case <-time.After(a.slow):
			case <-gone:
			}
			return nil
		},
	}
	if change != nil {
		change(a)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		if a.run() != nil {
			a.lost <- time.Since(a.begun)
		}
	}()
	t.Cleanup(func() {
		close(gone)
		<-over
	})
	synctest.Wait()
	return a
}

// within lets time pass, and returns how many questions were asked in it.
func (a *asking) within(d time.Duration) int64 {
	before := a.questions.Load()
	time.Sleep(d)
	synctest.Wait()
	return a.questions.Load() - before
}

// isLost returns how long after a moment the connection was given up.
func (a *asking) isLost(t *testing.T, after time.Time) time.Duration {
	t.Helper()
	select {
	case at := <-a.lost:
		return a.begun.Add(at).Sub(after)
	case <-time.After(time.Hour):
		t.Fatal("never given up")
		return 0
	}
}

// bubbles runs a test in simulated time.
func bubbles(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

func TestAConnectionThatRestsIsAskedRarely(t *testing.T) {
	bubbles(t, "in use, then not, then again", func(t *testing.T) {
		a := startAsking(t, nil)
		if n := a.within(time.Minute); n != 12 {
			t.Errorf("in use: %d questions a minute", n)
		}
		a.use.set(AtRest)
		if n := a.within(5 * time.Minute); n != 10 {
			t.Errorf("at rest: %d questions in five minutes", n)
		}
		time.Sleep(beat / 2)
		before := a.questions.Load()
		a.use.set(InUse)
		synctest.Wait()
		if n := a.questions.Load() - before; n != 1 {
			t.Errorf("%d questions when it is in use again", n)
		}
		if n := a.within(time.Minute); n != 12 {
			t.Errorf("in use again: %d questions a minute", n)
		}
	})
	bubbles(t, "gone when it is in use again", func(t *testing.T) {
		a := startAsking(t, nil)
		a.use.set(AtRest)
		time.Sleep(47 * time.Second)
		a.hangs.Store(true)
		now := time.Now()
		a.use.set(InUse)
		if took := a.isLost(t, now); took > keepaliveMisses*beat+beat/looks {
			t.Errorf("given up after %s", took)
		}
	})
	bubbles(t, "gone meanwhile", func(t *testing.T) {
		a := startAsking(t, nil)
		a.use.set(AtRest)
		time.Sleep(47 * time.Second)
		a.hangs.Store(true)
		if took := a.isLost(t, time.Now()); took > restLooks/looks*beat+keepaliveMisses*beat {
			t.Errorf("given up after %s", took)
		}
	})
}

// An answer has its time, however long nobody has asked before.
func TestASlowAnswerAtRest(t *testing.T) {
	for _, use := range []Use{Glanced, AtRest} {
		synctest.Test(t, func(t *testing.T) {
			a := startAsking(t, func(a *asking) { a.slow = (answerLooks - 1) * beat / looks })
			a.use.set(use)
			if a.within(10*time.Minute) == 0 || len(a.lost) > 0 {
				t.Errorf("use %d: given up after %s", use, <-a.lost)
			}
		})
	}
}

// A host in an overview is asked where nothing comes from it by itself, and its loss is
// noticed within 20 s.
func TestAHostThatIsGlancedAt(t *testing.T) {
	const within = 20 * time.Second
	bubbles(t, "silent", func(t *testing.T) {
		a := startAsking(t, nil)
		a.use.set(Glanced)
		if n := a.within(5 * time.Minute); n != 25 {
			t.Errorf("%d questions in five minutes", n)
		}
		a.hangs.Store(true)
		if took := a.isLost(t, time.Now()); took > within {
			t.Errorf("given up after %s", took)
		}
	})
	bubbles(t, "asked something else", func(t *testing.T) {
		a := startAsking(t, nil)
		a.use.set(Glanced)
		begun := a.questions.Load()
		for range 30 { // each time a little after the last answer
			a.use.stir()
			time.Sleep(300 * time.Millisecond)
			a.seen.Add(1)
			time.Sleep(10 * time.Second)
		}
		if n := a.questions.Load() - begun; n > 11 { // for the time that an answer takes
			t.Errorf("%d questions in five minutes", n)
		}
		a.hangs.Store(true)
		now := time.Now()
		a.use.stir()
		if took := a.isLost(t, now); took > within {
			t.Errorf("given up after %s", took)
		}
	})
}

// What is sent on a connection that rests is answered, or the other side is asked at once.
func TestWhatIsSentAtRestIsWatched(t *testing.T) {
	bubbles(t, "answered", func(t *testing.T) {
		a := startAsking(t, nil)
		a.use.set(AtRest)
		if n := a.within(beat); n != 0 {
			t.Errorf("%d questions", n)
		}
		a.use.stir()
		synctest.Wait()
		a.seen.Add(1)
		if n := a.within(3 * beat); n != 0 {
			t.Errorf("%d questions although an answer came", n)
		}
	})
	bubbles(t, "not answered", func(t *testing.T) {
		a := startAsking(t, nil)
		a.use.set(AtRest)
		time.Sleep(beat)
		a.hangs.Store(true)
		now := time.Now()
		a.use.stir()
		if took := a.isLost(t, now); took > keepaliveMisses*beat+beat/looks {
			t.Errorf("given up after %s", took)
		}
	})
}

// What comes stands for an answer, and a silence after it is noticed as soon as ever.
func TestWhatComesStandsForAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startAsking(t, nil)
		stop := often(func() { a.seen.Add(1) })
		if n := a.within(10 * time.Minute); n < 19 || n > 21 { // one each 30 s, for the time that it takes
			t.Errorf("%d questions in ten minutes in which something comes", n)
		}
		stop()
		a.hangs.Store(true)
		if took := a.isLost(t, time.Now()); took > keepaliveMisses*beat+beat/looks {
			t.Errorf("given up after %s", took)
		}
	})
}

// The last thing that came counts from about when it came, not from when it was noticed.
func TestASignBetweenTwoQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startAsking(t, nil)
		time.Sleep(beat / looks / 2)
		a.seen.Add(1)
		a.hangs.Store(true)
		if took := a.isLost(t, time.Now()); took > keepaliveMisses*beat+beat/looks {
			t.Errorf("given up after %s", took)
		}
	})
}

// Where others who share the connection have an answer, nobody else asks; when they have
// none any more, it is noticed as soon as ever.
func TestOneOfThoseWhoShareAConnectionAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last atomic.Pointer[time.Time]
		answered := func() { now := time.Now(); last.Store(&now) }
		time.Sleep(beat / looks / 10) // they ask at the moments of looks, and an answer takes a while
		answered()
		a := startAsking(t, func(a *asking) { a.others = func() time.Time { return *last.Load() } })
		for range 60 {
			time.Sleep(beat)
			answered()
		}
		if n := a.questions.Load(); n > 2 {
			t.Errorf("%d questions beside those of others", n)
		}
		a.hangs.Store(true)
		if took := a.isLost(t, *last.Load()); took > (keepaliveMisses+1)*beat {
			t.Errorf("given up after %s", took)
		}
	})
}
