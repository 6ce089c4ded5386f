package docker

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/backends"
)

var _ backends.Searcher = (*files)(nil)

// Search implements [backends.Searcher]. Without a shell in the container it is
// backends.ErrNoSearch.
func (f *files) Search(ctx context.Context, q backends.Query, found func(backends.Hit) bool) (backends.Survey, error) {
	return by(ctx, f, "search", q.Root,
		func() (backends.Survey, error) { return f.programs().Search(ctx, q, found) },
		func(a archive) (backends.Survey, error) {
			return backends.Survey{}, fmt.Errorf("%w: %w", backends.ErrNoSearch, a.why)
		})
}
