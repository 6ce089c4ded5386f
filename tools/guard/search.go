package guard

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// Searched is what an action's Command says that is looked for below its Path,
// as JSON.
type Searched struct {
	Names   string `json:"names,omitempty"`   // see [backends.Query]
	Pattern string `json:"pattern,omitempty"` // see [backends.Query]
	Limit   int    `json:"limit"`             // the caller's to keep
}

// Search looks below the folder that a names for what a's Command says. See
// [backends.Searcher].
func (g *Guard) Search(ctx context.Context, a tools.Action, grant tools.Grant, found func(backends.Hit) bool) (backends.Survey, error) {
	p, err := g.admit(tools.Read, a, grant)
	if err != nil {
		return backends.Survey{}, err
	}
	var what Searched
	if err := json.Unmarshal([]byte(a.Command), &what); err != nil || a.Path == "" {
		return backends.Survey{}, fmt.Errorf("guard: %w: %q says nothing to look for", ErrMalformed, a.Command)
	}
	if err := leadsThere(ctx, p, a.Path); err != nil {
		return backends.Survey{}, err
	}
	s, ok := p.Target.Files().(backends.Searcher)
	if !ok {
		return backends.Survey{}, fmt.Errorf("guard: %s: %w", a.Target, backends.ErrNoSearch)
	}
	return s.Search(ctx, backends.Query{Root: a.Path, Names: what.Names, Pattern: what.Pattern}, found)
}
