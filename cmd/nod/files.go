package main

import (
	"context"
	"os"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/filenames"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/completion"
)

// files finds the files of this machine that a name behind "@" could become. What
// the tools for files leave out because it may hold secrets is left out here, too.
func (d *station) files(ctx context.Context, written string, quoted bool) (completion.Found, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return completion.Found{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return completion.Found{}, err
	}
	src := filenames.Source{
		Dir: dir, Home: d.app.getenv("HOME"),
		Secret: func(path string) bool { return !risk.ReadFile(path).Auto || parts.house.policy.Hides(local.Name, path) },
	}
	if d.currentTarget() != local.Name {
		src.Where = " on " + local.Name
	}
	return src.Find(ctx, written, quoted)
}
