package process

import (
	"context"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestASignalAlwaysEndsNod proves that nod has ended three seconds after a signal that
// tells it to stop and one after a second one, while all that it does hangs, what gives
// the terminal back included.
func TestASignalAlwaysEndsNod(t *testing.T) {
	for _, c := range []struct {
		name    string
		at      map[time.Duration]syscall.Signal
		hangs   bool // what gives the terminal back
		within  time.Duration
		not     time.Duration // nor before that
		status  int
		restore bool
	}{
		{"one", map[time.Duration]syscall.Signal{0: syscall.SIGTERM}, false, 3 * time.Second, 2 * time.Second, 143, true},
		{"two", map[time.Duration]syscall.Signal{0: syscall.SIGHUP, time.Second: syscall.SIGTERM}, false, 2 * time.Second, 1200 * time.Millisecond, 129, true},
		{"two at once", map[time.Duration]syscall.Signal{0: syscall.SIGINT, time.Millisecond: syscall.SIGINT}, false, time.Second, 200 * time.Millisecond, 130, true},
		{"a late second", map[time.Duration]syscall.Signal{0: syscall.SIGTERM, 2500 * time.Millisecond: syscall.SIGTERM}, false, 3 * time.Second, 2 * time.Second, 143, true},
		{"and the terminal hangs", map[time.Duration]syscall.Signal{0: syscall.SIGTERM}, true, 3 * time.Second, 2 * time.Second, 143, true},
		{"two, and the terminal hangs", map[time.Duration]syscall.Signal{0: syscall.SIGTERM, 1: syscall.SIGTERM}, true, time.Second, 0, 143, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, status, over := time.Now(), make(chan int, 1), make(chan struct{})
				restored := make(chan struct{}, 1)
				s := &signals{exit: func(n int) { status <- n }}
				s.Restoring(func(time.Duration) {
					restored <- struct{}{}
					if c.hangs {
						<-over
					}
				})
				defer close(over)
				told, stopped := make(chan os.Signal), make(chan struct{})
				ctx, cancel := context.WithCancel(t.Context())
				go s.watch(told, stopped, func(syscall.Signal) { cancel() })
				for at, sig := range c.at {
					time.AfterFunc(at, func() { told <- sig })
				}
				got := <-status
				if took := time.Since(began); got != c.status || took > c.within || took < c.not {
					t.Errorf("status %d after %v, want %d after %v to %v", got, took, c.status, c.not, c.within)
				}
				if ctx.Err() == nil || len(restored) != 1 {
					t.Error("not told to stop, or the terminal was left as it was")
				}
			})
		})
	}
}

// TestAnEndInTimeIsNotCutShort proves that what ends by itself is left alone.
func TestAnEndInTimeIsNotCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &signals{exit: func(int) { t.Error("cut short") }}
		told, stopped := make(chan os.Signal), make(chan struct{})
		go s.watch(told, stopped, func(syscall.Signal) {})
		told <- syscall.SIGTERM
		time.Sleep(time.Second)
		close(stopped)
		time.Sleep(time.Minute)
	})
}

// TestAnInterruptThatHangsIsNotTheLast proves that nod can be ended by an interrupt
// while what an interrupt does instead hangs.
func TestAnInterruptThatHangsIsNotTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, ended := make(chan struct{}), make(chan struct{})
		s := &signals{}
		defer s.OnInterrupt(func() { <-over })()
		told, stopped := make(chan os.Signal), make(chan struct{})
		go s.watch(told, stopped, func(syscall.Signal) { close(ended) })
		told <- os.Interrupt
		time.Sleep(2 * time.Second)
		told <- os.Interrupt
		<-ended
		close(over)
		close(stopped)
	})
}
