package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
)

// heldNotice begins what "nod run --json" says of a command that the cage refused
// something. Without --json the helper's own line on standard error says it.
const heldNotice = "it ran held, where it can change nothing, and the cage refused: "

// hold says what holds a command on the target that the operator wants held.
func (r *runner) hold(ctx context.Context) (confine.Wall, error) {
	cage, err := r.target.Cage.Cage(ctx)
	if err != nil {
		return confine.None, fmt.Errorf("run: --held: %w; without --held it asks as usual", err)
	}
	return cage.Wall(), nil
}

// checkHeld says whether commands can be held on this machine.
func checkHeld(ctx context.Context) finding {
	f := finding{Check: "held", Optional: true, Fix: "looks run on this machine without the kernel holding them; what nod cannot read asks"}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	here := local.New(os.Environ())
	cage, err := confine.Install(ctx, here, "")
	if err == nil {
		err = cage.Remove(ctx, here)
	}
	if err = errors.Join(err, here.Close()); err != nil {
		f.Detail = err.Error()
		return f
	}
	return finding{Check: "held", OK: true, Detail: cage.Wall().Holds()}
}
