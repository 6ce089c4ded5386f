package main

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/backends/confine"
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
