package guard

import (
	"fmt"

	"github.com/nod-console/nod/tools"
)

// Network lets one request to the network pass, which goes from nod's own machine
// to no target: the grant must be for a, and is good for one time.
func (g *Guard) Network(a tools.Action, grant tools.Grant) error {
	if err := g.verifier.Check(a, grant); err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	if a.Kind != tools.Fetch {
		return fmt.Errorf("guard: %w: kind %s where %s is done", ErrMalformed, a.Kind, tools.Fetch)
	}
	if err := wellFormed(a); err != nil {
		return fmt.Errorf("guard: %w: %w", ErrMalformed, err)
	}
	return g.redeem(a, grant)
}
