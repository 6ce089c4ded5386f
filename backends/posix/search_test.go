package posix

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
)

// TestASearchWithoutItsToolsSaysSo: small images have no find, and nothing found
// would be a wrong answer.
func TestASearchWithoutItsToolsSaysSo(t *testing.T) {
	files, dir := here(t)
	for _, tool := range []string{"grep", "sort", "tr", "xargs", "head", "wc", "readlink"} {
		at, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	run := files.Exec
	files.Exec = func(ctx context.Context, c backends.Command) (backends.Process, error) {
		c.Env = append(c.Env, "PATH="+dir)
		return run(ctx, c)
	}
	_, err := files.Search(t.Context(), backends.Query{Root: dir, Pattern: "x"}, func(backends.Hit) bool { return true })
	if !errors.Is(err, backends.ErrNoSearch) || !strings.Contains(err.Error(), "no find") {
		t.Errorf("%v", err)
	}
}

// TestASearchByProgramsOfThisMachine: the script, without a target's way around it.
func TestASearchByProgramsOfThisMachine(t *testing.T) {
	files, dir := here(t)
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("a\nx y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var found []backends.Hit
	_, err := files.Search(t.Context(), backends.Query{Root: dir, Pattern: `\bx\s`}, func(h backends.Hit) bool { found = append(found, h); return true })
	if err != nil || len(found) != 1 || found[0] != (backends.Hit{Path: dir + "/f", Line: 2, Text: "x y"}) {
		t.Errorf("%+v, %v", found, err)
	}
}
