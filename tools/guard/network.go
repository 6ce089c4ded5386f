package guard

import (
	"fmt"

	"github.com/nod-console/nod/tools"
)

// Network lets one request to the network pass, which goes from nod's own machine
// to no target: the grant must be for a, and is good for one time.
func (g *Guard) Network(a tools.Action, grant tools.Grant) error {
	return g.once(a, grant, tools.Fetch)
}

// Invoke lets one call to a server's tool pass: the grant must be for a, and is good
// for one time. It returns the action as it is carried out, secrets filled in.
func (g *Guard) Invoke(a tools.Action, grant tools.Grant) (tools.Action, error) {
	if err := g.once(a, grant, tools.Invoke); err != nil {
		return tools.Action{}, err
	}
	return g.filled(a)
}

// Connect lets one connection to a target that is not there yet be made: the grant must be
// for a, and is good for one time. Who makes it adds the target.
func (g *Guard) Connect(a tools.Action, grant tools.Grant) error {
	return g.once(a, grant, tools.Connect)
}

// once uses up the grant of an action of one kind that touches no target.
func (g *Guard) once(a tools.Action, grant tools.Grant, kind tools.Kind) error {
	if err := g.verifier.Check(a, grant); err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	if a.Kind != kind {
		return fmt.Errorf("guard: %w: kind %s where %s is done", ErrMalformed, a.Kind, kind)
	}
	if err := wellFormed(a); err != nil {
		return fmt.Errorf("guard: %w: %w", ErrMalformed, err)
	}
	return g.redeem(a, grant)
}
