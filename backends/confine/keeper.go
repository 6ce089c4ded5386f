package confine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
)

// Keeper has a cage on one target for as long as the target is open: it installs the
// helper when it is first asked, once more where it was lost, and removes it in the end.
// It is safe for concurrent use.
type Keeper struct {
	target  backends.Target
	secrets string

	mu      sync.Mutex
	trying  chan struct{} // closed when the attempt in progress is over; nil: there is none
	tried   bool
	cage    *Cage
	err     error
	doubted bool // the last use found no helper
	noRoot  bool // sudo there does not run the helper
}

// sending bounds the installation: over a slower link, nothing is held.
const sending = 15 * time.Second

// NewKeeper returns a keeper for t. secrets are those of [Install].
func NewKeeper(t backends.Target, secrets string) *Keeper {
	return &Keeper{target: t, secrets: secrets}
}

// Start begins to install the helper, so that the first command need not wait for it.
// ctx bounds the attempt.
func (k *Keeper) Start(ctx context.Context) {
	go func() { _, _ = k.Cage(ctx) }() // whoever needs it asks again
}

// Cage is the cage on the target. Concurrent callers wait for the attempt in progress. The
// error is a [*NotHeldError] where commands cannot be held there, and stays; any other
// failure is tried again at the next call.
func (k *Keeper) Cage(ctx context.Context) (*Cage, error) {
	k.mu.Lock()
	for k.trying != nil {
		trying := k.trying
		k.mu.Unlock()
		select {
		case <-trying:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		k.mu.Lock()
	}
	if k.tried && (k.err != nil || !k.doubted && !k.cage.over() && k.cage.Check() == nil) {
		defer k.mu.Unlock()
		return k.cage, k.err
	}
	k.trying = make(chan struct{})
	k.mu.Unlock()
	bounded, cancel := context.WithTimeoutCause(ctx, sending, &NotHeldError{"sending the helper took longer than " + sending.String()})
	defer cancel()
	cage, err := Install(bounded, k.target, k.secrets)
	if bounded.Err() != nil && ctx.Err() == nil {
		err = context.Cause(bounded)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.trying)
	k.trying = nil
	var none *NotHeldError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	k.cage, k.err, k.tried, k.doubted = cage, err, true, false
	if cage != nil && k.noRoot {
		cage.noRoot.Store(true)
	}
	return cage, err
}

// Verify checks the helper on the target, and installs it anew if it is not what it was.
// Afterwards it can be called by the names that [Cage.Prefix] has.
func (k *Keeper) Verify(ctx context.Context) error {
	c, err := k.Cage(ctx)
	if err != nil || c.inMemory() {
		return err
	}
	if c.name(ctx, k.target) == nil {
		return nil
	}
	k.Doubt()
	if c, err = k.Cage(ctx); err != nil || c.inMemory() {
		return err
	}
	return c.name(ctx, k.target)
}

// Known is what holds commands there as far as it is known, without asking the target;
// ok is false while nothing is known. The error says why nothing does.
func (k *Keeper) Known() (w Wall, ok bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.tried {
		return None, false, nil
	}
	if k.err != nil {
		return None, true, k.err
	}
	return k.cage.wall, true, nil
}

// Doubt has the helper installed anew before its next use: the last one was not run.
func (k *Keeper) Doubt() {
	k.mu.Lock()
	k.doubted = true
	k.mu.Unlock()
}

// ForgoRoot has nothing held within sudo on the target any more: sudo there does not run
// the helper.
func (k *Keeper) ForgoRoot() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.noRoot = true
	if k.cage != nil {
		k.cage.noRoot.Store(true)
	}
}

// Close removes the helper from the target. Where the target cannot be reached, or does
// not answer before ctx ends, the helper stays: the next installation there removes it.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	trying := k.trying
	k.mu.Unlock()
	if trying != nil {
		select {
		case <-trying:
		case <-ctx.Done():
			return nil
		}
	}
	k.mu.Lock()
	cage := k.cage
	k.cage, k.err, k.tried = nil, &NotHeldError{"the target is being closed"}, true
	k.mu.Unlock()
	if cage == nil {
		return nil
	}
	err := cage.Remove(ctx, k.target)
	if errors.Is(err, backends.ErrUnreachable) || errors.Is(err, backends.ErrEnded) || ctx.Err() != nil {
		return nil
	}
	return err
}
