package ssh

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nod-console/nod/backends"
)

// The output of a session on the operator's master that was given up is left as soon as it has
// been read to its end, and when nobody reads it any more: never while somebody reads,
// however slowly.
func TestAnOutputIsLeftWhenNobodyReadsIt(t *testing.T) {
	t.Parallel()
	const pause = unreadTime - time.Second // between two reads
	for name, c := range map[string]struct {
		reads int // of 4 bytes, a pause after each
		cut   int // this read finds the link ended; 0 for none
		after time.Duration
	}{
		"it is read to its end, slowly": {reads: 100, after: 100 * pause},
		"nobody has read it":            {reads: 0, after: unreadTime},
		"somebody stops reading":        {reads: 3, after: 4 * unreadTime},
		"the link has ended":            {reads: 1, cut: 1, after: pause + backends.DrainDelay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newMasterLink(nil)
				o := l.outlet(bytes.NewReader(make([]byte, 4*99)))
				began := time.Now()
				left := make(chan time.Duration)
				go func() {
					o.leave()
					left <- time.Since(began)
				}()
				go func() {
					for i := range c.reads {
						time.Sleep(pause)
						_, _ = io.ReadFull(o, make([]byte, 4))
						if i+1 == c.cut {
							l.finish(nil)
						}
					}
				}()
				if got := <-left; got != c.after {
					t.Errorf("it was left after %s, not %s", got, c.after)
				}
			})
		})
	}
}
