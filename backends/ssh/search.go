package ssh

import (
	"context"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

var _ backends.Searcher = (*files)(nil)

// Search implements [backends.Searcher].
func (f *files) Search(ctx context.Context, q backends.Query, found func(backends.Hit) bool) (backends.Survey, error) {
	err := posix.CheckPath(ctx, q.Root)
	if err == nil {
		var survey backends.Survey
		if survey, err = f.programs().Search(ctx, q, found); err == nil {
			return survey, nil
		}
	}
	return backends.Survey{}, posix.PathError("search", q.Root, err)
}
