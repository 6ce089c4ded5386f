package controller

import (
	"context"
	"os"
	"path/filepath"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/filenames"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/completion"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/screen"
)

// files finds the files of this machine that a name behind "@" could become. What
// the tools for files leave out because it may hold secrets is left out here, too.
func (d *Controller) files(ctx context.Context, written string, quoted bool) (completion.Found, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return completion.Found{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return completion.Found{}, err
	}
	src := filenames.Source{
		Dir: dir, Home: d.Sys.Getenv("HOME"),
		Secret: func(path string) bool { return !risk.ReadFile(path).Auto || parts.core.Policy.Hides(local.Name, path) },
	}
	if d.currentTarget() != local.Name {
		src.Where = " on " + local.Name
	}
	return src.Find(ctx, written, quoted)
}

// replay finds a recording for the console.
func (d *Controller) replay(_ context.Context, what string) (console.Tape, error) {
	found, err := record.Find(d.Sys.Getenv, what)
	if err != nil {
		return console.Tape{}, err
	}
	rec, err := recording.Load(found.Path)
	if err != nil {
		return console.Tape{}, err
	}
	return console.Tape{Name: filepath.Base(found.Path), At: found.At, Recording: rec, Doubts: screen.CleanLines(record.Doubts(d.Sys.Getenv, found.Path))}, nil
}
