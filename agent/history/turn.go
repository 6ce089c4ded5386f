package history

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// turnWait bounds the wait for the other writers, which takes milliseconds; only a
// stopped process takes longer. SQLite's own wait comes after it.
const turnWait = 20 * time.Second

// turn has the writers of a database come one after the other, those of other
// processes too. SQLite has each that waits look again after ever longer pauses, so
// that on a busy machine one of many is never in luck, and fails.
type turn struct {
	mine chan struct{} // holds one while a goroutine of this process writes or waits
	path string
}

func newTurn(dir string) *turn {
	return &turn{mine: make(chan struct{}, 1), path: filepath.Join(dir, "turn")}
}

// take waits for the turn. Without a place for the lock, or after turnWait, writers go
// on as SQLite lets them. The error is the context's.
func (t *turn) take(ctx context.Context) (release func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	select {
	case t.mine <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return func() { <-t.mine }, nil //nolint:nilerr // see above
	}
	if lock(f, unix.LOCK_EX|unix.LOCK_NB) == nil {
		return func() { _ = f.Close(); <-t.mine }, nil // closing unlocks, and nothing was written
	}
	held := make(chan struct{})
	go func() {
		defer close(held)
		_ = lock(f, unix.LOCK_EX) // as above
	}()
	leave := func() { // the kernel's queue cannot be left
		go func() {
			<-held
			_ = f.Close()
		}()
	}
	late := time.NewTimer(turnWait)
	defer late.Stop()
	select {
	case <-held:
		return func() { _ = f.Close(); <-t.mine }, nil
	case <-late.C:
		leave()
		return func() { <-t.mine }, nil
	case <-ctx.Done():
		leave()
		<-t.mine
		return nil, ctx.Err()
	}
}
