package vitals

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is a target in memory.
type host struct {
	backends.Target // what is not needed

	mu      sync.Mutex
	answer  func(look string) (text string, outcome backends.Outcome, takes time.Duration)
	running int
	most    int
	began   []time.Time
	looks   []string
}

func (h *host) Name() string { return "ssh:web-1" }

func (h *host) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running++
	h.most = max(h.most, h.running)
	h.began, h.looks = append(h.began, time.Now()), append(h.looks, c.Argv[2])
	return &looking{h, ctx, c}, nil
}

// counted is how many looks began so far, and how many run.
func (h *host) counted() (began, running int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.began), h.running
}

type looking struct {
	h   *host
	ctx context.Context
	c   backends.Command
}

func (l *looking) Signal(backends.Signal) error { return nil }

func (l *looking) Wait() (backends.Outcome, error) {
	text, outcome, takes := l.h.answer(l.c.Argv[2])
	defer func() {
		l.h.mu.Lock()
		defer l.h.mu.Unlock()
		l.h.running--
	}()
	select {
	case <-time.After(takes / 2):
	case <-l.ctx.Done():
	}
	if text != "" && l.ctx.Err() == nil {
		if _, err := l.c.Stdout.Write([]byte(text)); err != nil {
			return backends.Outcome{}, err
		}
	}
	select {
	case <-time.After(takes / 2):
		return outcome, nil
	case <-l.ctx.Done():
		time.Sleep(backends.KillDelay)
		return backends.EndedBy(backends.KILL), context.Cause(l.ctx)
	}
}

// link is a connection that comes and goes.
type link struct {
	mu      sync.Mutex
	ok      bool
	changed chan struct{}
}

func newLink() *link { return &link{ok: true, changed: make(chan struct{})} }

func (l *link) stands() (bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ok, l.changed
}

func (l *link) set(ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ok = ok
	close(l.changed)
	l.changed = make(chan struct{})
}

// watched runs a prober in a bubble until stop is called.
func watched(p *Prober) (readings func() []Reading, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var all []Reading
	var wg sync.WaitGroup
	wg.Go(func() {
		p.Run(ctx, func(r Reading) {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, r)
		})
	})
	return func() []Reading {
			mu.Lock()
			defer mu.Unlock()
			return all
		}, func() {
			cancel()
			wg.Wait()
		}
}

func well(takes time.Duration) func(string) (string, backends.Outcome, time.Duration) {
	return func(string) (string, backends.Outcome, time.Duration) {
		return debian, backends.ExitedWith(0), takes
	}
}

func TestOneLookInTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{answer: well(80 * time.Millisecond)}
		readings, stop := watched(&Prober{Target: h})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		began, _ := h.counted()
		stop()
		if began < 59 || began > 61 || h.most != 1 {
			t.Errorf("%d looks in ten minutes, %d at a time", began, h.most)
		}
		if r := readings()[0]; r.Err != nil || r.Figures != Parse([]byte(debian)) || r.Latency != 40*time.Millisecond {
			t.Errorf("%+v", r)
		}
		time.Sleep(time.Hour)
		if after, running := h.counted(); after != began || running != 0 {
			t.Errorf("after the end: %d looks more, %d run", after-began, running)
		}
	})
}

func TestALookThatTakesTooLongIsEndedAndTheNextComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{answer: well(time.Hour)}
		readings, stop := watched(&Prober{Target: h})
		defer stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		all := readings()
		if len(all) < 10 || len(all) > 20 || h.most != 1 {
			t.Fatalf("%d looks in an hour, %d at a time", len(all), h.most)
		}
		for _, r := range all {
			if !errors.Is(r.Err, errLimit) || (r.Figures != Figures{}) {
				t.Errorf("%+v", r)
			}
		}
		if gap := h.began[len(h.began)-1].Sub(h.began[len(h.began)-2]); gap < Slowest {
			t.Errorf("the last two looks are %s apart", gap)
		}
	})
}

func TestNoLookWhileTheLinkIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := &host{answer: well(4 * time.Second)}, newLink()
		readings, stop := watched(&Prober{Target: h, Stands: l.stands})
		defer stop()
		time.Sleep(time.Second) // in the middle of the first look
		l.set(false)
		time.Sleep(time.Hour)
		if began, running := h.counted(); began != 1 || running != 0 || len(readings()) != 0 {
			t.Fatalf("%d looks, %d run, %d told", began, running, len(readings()))
		}
		l.set(true)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if began, _ := h.counted(); began != 2 || len(readings()) != 1 {
			t.Fatalf("after the link came back: %d looks, %d told", began, len(readings()))
		}
		for range 100 { // it comes and goes
			l.set(false)
			l.set(true)
			time.Sleep(100 * time.Millisecond)
		}
		if began, _ := h.counted(); began > 4 {
			t.Errorf("%d looks while the link flickered for ten seconds", began)
		}
	})
}

func TestTheOtherLookWhereTheFirstDoesNotTellEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{answer: func(look string) (string, backends.Outcome, time.Duration) {
			if look == Looks[0] {
				return "0.20 0.18 0.12 1/80 11206\n", backends.ExitedWith(1), time.Second
			}
			return alpine, backends.ExitedWith(0), time.Second
		}}
		readings, stop := watched(&Prober{Target: h})
		time.Sleep(25 * time.Second)
		stop()
		all := readings()
		if len(all) < 2 || all[0].Disk.Path != "" || all[0].Err != nil || all[1].Disk.Path != "/" {
			t.Errorf("%+v", all)
		}
	})
}

func TestAHostThatSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{answer: func(string) (string, backends.Outcome, time.Duration) {
			return "", backends.ExitedWith(127), time.Millisecond
		}}
		readings, stop := watched(&Prober{Target: h})
		time.Sleep(time.Second)
		stop()
		var silent *LookError
		if all := readings(); len(all) != 1 || !errors.As(all[0].Err, &silent) || all[0].Err.Error() != "ssh:web-1 does not tell how it does: the look at it ended with exited 127 and no figures" {
			t.Errorf("%+v", readings())
		}
	})
}

func TestSlotsBoundTheLooksAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, slots := &host{answer: well(2 * time.Second)}, make(chan struct{}, 4)
		var stops []func()
		for range 100 {
			_, stop := watched(&Prober{Target: h, Slots: slots})
			stops = append(stops, stop)
		}
		time.Sleep(time.Minute)
		for _, stop := range stops {
			stop()
		}
		if began, _ := h.counted(); h.most != 4 || began < 100 {
			t.Errorf("%d looks, %d at a time", began, h.most)
		}
	})
}

// This machine answers for real.
func TestThisMachine(t *testing.T) {
	if _, err := os.Stat("/proc/loadavg"); err != nil {
		t.Skip("no /proc: ", err)
	}
	target := local.New(os.Environ())
	defer target.Close() //nolint:errcheck // nothing runs on it any more
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	(&Prober{Target: target}).Run(ctx, func(r Reading) {
		cancel()
		if r.Err != nil || !r.Load.Known || r.Load.Processors < 1 || r.Memory.Total == 0 || r.Disk.Path == "" || r.Latency <= 0 {
			t.Errorf("%+v", r)
		}
	})
}
