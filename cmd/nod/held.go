package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
)

// hold puts the cage onto the target and says what holds there.
func (r *runner) hold(ctx context.Context) (confine.Wall, error) {
	cage, err := confine.Install(ctx, r.site.target)
	if err != nil {
		return confine.None, fmt.Errorf("run: --held: %w; without --held it asks as usual", err)
	}
	r.cage = cage
	return cage.Wall(), r.house.guard.Hold(r.site.name(), cage)
}

// letGo takes the cage from the target.
func (r *runner) letGo(ctx context.Context) {
	if r.cage == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	if err := r.cage.Remove(ctx, r.site.target); err != nil {
		r.out.complain("run: %v", err)
	}
}

// checkHeld says whether commands can be held on this machine.
func checkHeld(ctx context.Context) finding {
	f := finding{Check: "held", Optional: true, Fix: "nod run --held does not work on this machine; all else does"}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	here := local.New(os.Environ())
	cage, err := confine.Install(ctx, here)
	if err == nil {
		err = cage.Remove(ctx, here)
	}
	if err = errors.Join(err, here.Close()); err != nil {
		f.Detail = err.Error()
		return f
	}
	return finding{Check: "held", OK: true, Detail: "commands can be held by " + cage.Wall().String()}
}
