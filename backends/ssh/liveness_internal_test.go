package ssh

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// still is a connection of which nothing is seen but what a test says.
type still struct {
	seen, sent atomic.Int64
}

func (s *still) signs() int64    { return s.seen.Load() }
func (s *still) underway() int64 { return s.sent.Load() }

const beat = 5 * time.Second

// beats runs a pulse on a peer that never answers, and returns after how long it
// was given up; 0 if it was not before the end.
func beats(t *testing.T, s *still, end time.Duration) time.Duration {
	t.Helper()
	gone, hung := make(chan struct{}), make(chan struct{})
	defer close(hung)
	defer time.AfterFunc(end, func() { close(gone) }).Stop()
	begun := time.Now()
	p := pulse{
		every: beat, gone: gone, vitals: s,
		ping: func() error { <-hung; return nil },
		took: func(time.Duration) { t.Error("nobody answered") },
	}
	err := p.run()
	if err == nil {
		return 0
	}
	return time.Since(begun)
}

// often does something a few times between two looks, until the function that it
// returns is called.
func often(do func()) (stop func()) {
	ticker := time.NewTicker(beat / looks / 3)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				do()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// Silence is the end of a connection; anything else is a sign of life, also where
// the answer does not come.
func TestOnlySilenceIsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if took := beats(t, &still{}, time.Hour); took != keepaliveMisses*beat {
			t.Errorf("given up after %s", took)
		}
		s := &still{}
		defer often(func() { s.seen.Add(1) })()
		if took := beats(t, s, time.Hour); took != 0 {
			t.Errorf("given up after %s, while something came", took)
		}
	})
}

// What was sent is given time to get there, but not for ever.
func TestWhatIsUnderwayIsGivenTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &still{}
		defer often(func() { s.sent.Add(1 << 20) })() // it goes on and on
		if took := beats(t, s, time.Hour); took != mostSilent*beat/looks {
			t.Errorf("given up after %s", took)
		}
		short := &still{}
		time.AfterFunc(2*beat+beat/looks/2, func() { short.sent.Add(crawl * 11 / 2) }) // seen after 11 s, there after 16.5
		if took := beats(t, short, time.Hour); took != 16*time.Second {
			t.Errorf("given up after %s", took)
		}
	})
}

// slowLink answers each ping after a while.
type slowLink struct {
	still
	after   time.Duration
	answers chan error
}

func (l *slowLink) ping() (all bool, err error) {
	time.Sleep(l.after)
	return true, <-l.answers
}

// answering is a link whose other side is so far away.
func answering(after time.Duration) *slowLink {
	l := &slowLink{after: after, answers: make(chan error)}
	close(l.answers)
	return l
}

// An answer is overdue when the other side has had its time, not when the way is
// long; and when nothing at all comes any more.
func TestWhenAnAnswerIsOverdue(t *testing.T) {
	const limit = 10 * time.Second
	synctest.Test(t, func(t *testing.T) {
		within := func(l *slowLink, limit time.Duration) time.Duration {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			select {
			case <-overdue(ctx, l, limit):
			case <-ctx.Done():
				t.Fatal("never")
			}
			return time.Since(begun)
		}
		took := func(l *slowLink) time.Duration { return within(l, limit) }
		if d := took(answering(0)); d != limit {
			t.Errorf("near: %s", d)
		}
		if d := took(answering(limit / 2)); d < 2*limit || d > 3*limit {
			t.Errorf("far: %s", d)
		}
		dead := &slowLink{answers: make(chan error)}
		if d := took(dead); d < limit || d > 3*limit {
			t.Errorf("dead: %s", d)
		}
		if d := within(dead, shellTime); d > openTime+lazyTime {
			t.Errorf("dead, where a shell may take long: %s", d)
		}
		close(dead.answers)
		broken := &slowLink{answers: make(chan error, 1)}
		broken.answers <- io.EOF
		if d := took(broken); d > limit {
			t.Errorf("broken: %s", d)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("not wanted any more")
		cancel(why)
		limited, end := limited(ctx, answering(0), time.Hour)
		defer end()
		if <-limited.Done(); !errors.Is(context.Cause(limited), why) {
			t.Error(context.Cause(limited))
		}
	})
}

// Who sends a little from time to time to keep others waiting is not waited for;
// a slow link is.
func TestPatienceIsForWhatComes(t *testing.T) {
	const limit = 20 * time.Second
	for _, c := range []struct {
		came int64
		more time.Duration
	}{{0, 0}, {slowest / 2, 0}, {2 * slowest, 2 * time.Second}, {1000 * slowest, limit}} {
		synctest.Test(t, func(t *testing.T) {
			var moved atomic.Int64
			moved.Store(5)
			ended := make(chan struct{})
			begun := time.Now()
			p := newPatience(limit, moved.Load, func() { close(ended) })
			moved.Add(c.came)
			<-ended
			if took := time.Since(begun); took != limit+c.more || !p.ranOut() {
				t.Errorf("%d bytes: %s, ran out %t", c.came, took, p.ranOut())
			}
		})
	}
}

// The meter of a connection counts what comes, and what is taken out of a queue.
func TestTheMeterCounts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = near.Close(), far.Close() }()
	m := &meter{Conn: near}
	idle := m.signs()
	if _, err := m.Write([]byte("question")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); m.underway() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never taken")
		}
	}
	if m.underway() != 8 || m.signs() != idle {
		t.Errorf("a few bytes that the kernel took: %d under way, signs %d", m.underway(), m.signs()-idle)
	}
	// More than the kernels hold: a queue, which moves when somebody reads.
	go func() { _, _ = m.Write(make([]byte, 32<<20)) }()
	full := func() bool { _, queued := m.sent(); return queued }
	for deadline := time.Now().Add(time.Minute); !full(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no queue")
		}
	}
	for deadline := time.Now().Add(time.Minute); m.underway() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what waits in our own kernel is under way")
		}
	}
	before := m.signs()
	if _, err := io.CopyN(io.Discard, far, 16<<20); err != nil {
		t.Fatal(err)
	}
	if m.signs() <= before {
		t.Error("no sign of life in what was read")
	}
	_, _ = near.Close(), far.Close()
	if n := (&meter{Conn: near}).signs(); n != 0 {
		t.Errorf("%d signs of a closed connection", n)
	}
}
