package app

import (
	"maps"
	"slices"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// OpenSecrets makes what keeps secrets from models, stores and recordings: of the
// kinds that nod knows, and those of the operator's own.
func OpenSecrets(c *config.Config) (*redact.Keeper, error) {
	var own []redact.Pattern
	for _, name := range slices.Sorted(maps.Keys(c.Redact)) {
		own = append(own, redact.Pattern{Name: name, Expr: c.Redact[name].Pattern})
	}
	detector, err := redact.NewDetector(own...)
	if err != nil {
		return nil, err
	}
	return redact.NewKeeper(detector), nil
}

// recordingFilter takes secrets out of a recording.
func recordingFilter(k *redact.Keeper) func() recording.Filter {
	return func() recording.Filter { return k.Stream() }
}
