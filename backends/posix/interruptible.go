package posix

import "context"

// Interruptible runs a call that cannot be interrupted, and waits for it until ctx
// ends; the error is ctx's cause then. A result that comes later is given to drop.
func Interruptible[T any](ctx context.Context, call func() (T, error), drop func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := call()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				drop(r.value)
			}
		}()
		var none T
		return none, context.Cause(ctx)
	}
}
