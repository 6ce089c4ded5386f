package posix

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nod-console/nod/backends"
)

func TestAStartThatIsGivenUpIsStillWaitedFor(t *testing.T) {
	failed, away := errors.New("failed"), errors.New("away")
	for name, c := range map[string]struct {
		takes time.Duration
		fails error
		want  error
	}{
		"in time":           {time.Second, nil, nil},
		"fails in time":     {time.Second, failed, failed},
		"a little late":     {12 * time.Second, nil, nil},
		"fails late":        {12 * time.Second, failed, away},
		"nobody knows when": {time.Hour, nil, backends.ErrUnsure},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, away)
				defer cancel()
				got, err := Start(ctx, "here", 5*time.Second, func() (int, error) {
					time.Sleep(c.takes)
					if c.fails != nil {
						return 0, c.fails
					}
					return 1, nil
				})
				if !errors.Is(err, c.want) || (err == nil) != (got == 1) {
					t.Errorf("%d, %v", got, err)
				}
				time.Sleep(2 * time.Hour) // what goes on
			})
		})
	}
}
