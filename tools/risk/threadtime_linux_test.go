package risk

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor's time of the calling thread so far. What getrusage says of
// it is in microseconds, and may be that of the last tick; the clock is exact.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
