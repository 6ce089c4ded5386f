package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/search"
)

// TestASearchEntersNoLinkThatWasAFolder: what was a folder when its name was read,
// and is a link by the time it is entered, is passed over.
func TestASearchEntersNoLinkThatWasAFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside := dir+"/root", dir+"/outside"
	for _, name := range []string{root, root + "/sub", outside} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside+"/secret", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := os.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }() // opened for reading
	entries, err := folder.ReadDir(-1)
	if err != nil || len(entries) != 1 || !entries[0].IsDir() {
		t.Fatalf("%v, %v", entries, err)
	}
	if err := errors.Join(os.Remove(root+"/sub"), os.Symlink(outside, root+"/sub")); err != nil {
		t.Fatal(err)
	}
	plan, err := search.Compile(backends.Query{Root: root, Names: "**"})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	s := seeker{ctx: t.Context(), plan: plan, found: func(h backends.Hit) bool { found = append(found, h.Path); return true }}
	if err := s.entry(folder, entries[0], "sub", 1); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0] != root+"/sub" {
		t.Errorf("found %q", found)
	}
	if f, err := openFolderAt(root + "/sub"); !errors.Is(err, backends.ErrChanged) {
		t.Errorf("a link is a root: %v, %v", f, err)
	}
}
