package posix

import (
	"context"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends"
)

// Start has begin start something that cannot be taken back once it was asked
// for, and waits for it: until ctx ends, and then for grace, so that what was
// started all the same is returned, to be ended. begin is not told of ctx's end.
// The error is begin's, or the cause of ctx's end where begin has failed by then,
// or [backends.ErrUnsure] where it goes on: then it has to see to what it
// starts. where names the place in the last two.
func Start[P any](ctx context.Context, where string, grace time.Duration, begin func() (P, error)) (P, error) {
	type result struct {
		started P
		err     error
	}
	var none P
	word := make(chan result, 1)
	go func() {
		p, err := begin()
		word <- result{p, err}
	}()
	select {
	case r := <-word:
		return r.started, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-word:
		if r.err != nil {
			return none, fmt.Errorf("%s: not started: %w", where, context.Cause(ctx))
		}
		return r.started, nil
	case <-time.After(grace):
		return none, fmt.Errorf("%s: %w: %w", where, backends.ErrUnsure, context.Cause(ctx))
	}
}
