package local

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nod-console/nod/backends"
)

func TestExactPathsHoldNoLinks(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "real/file"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"dir": "real", "real/link": "file"} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	files := open(t).files
	for path, want := range map[string]error{
		"real/file":       nil,
		"real/link":       backends.ErrChanged,
		"dir/file":        backends.ErrChanged,
		"real/none":       fs.ErrNotExist,
		"real":            backends.ErrIsDirectory,
		"real/./file":     errNotClean,
		"dir/../dir/file": errNotClean,
	} {
		f, err := files.OpenExact(t.Context(), base+"/"+path)
		if !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", path, err, want)
		}
		if err != nil {
			continue
		}
		if data, err := io.ReadAll(f); err != nil || string(data) != "content" {
			t.Errorf("open %s: %q, %v", path, data, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	for path, want := range map[string]error{
		"real/file":        nil,
		"real/new/a/b":     nil,
		"real/link":        backends.ErrChanged,
		"dir/file":         backends.ErrChanged,
		"dir/new/file":     backends.ErrChanged,
		"real":             backends.ErrIsDirectory,
		"real/../real/new": errNotClean,
	} {
		_, err := files.WriteExact(t.Context(), base+"/"+path, []byte("new"), backends.WriteOptions{MakeDirs: true})
		if !errors.Is(err, want) {
			t.Errorf("write %s: %v, want %v", path, err, want)
		}
		if data, rerr := os.ReadFile(base + "/" + path); err == nil && (rerr != nil || string(data) != "new") {
			t.Errorf("write %s: %q, %v", path, data, rerr)
		}
	}
	if _, err := files.OpenExact(t.Context(), "/"); err == nil {
		t.Error("the root was opened")
	}
}

// Somebody exchanges a folder for a link to a secret place all the time:
// neither a read nor a write ever gets there.
func TestExactPathsWithstandRaces(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	join := func(name string) string { return filepath.Join(base, name) }
	for _, d := range []string{"way", "secret"} {
		if err := os.Mkdir(join(d), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(join(d+"/file"), []byte(d), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(join("way"), join("aside")) // each may find the other state
			_ = os.Symlink("secret", join("way"))
			_ = os.Remove(join("way"))
			_ = os.Rename(join("aside"), join("way"))
		}
	}()
	files := open(t).files
	hits := 0
	for range 3000 {
		if f, err := files.OpenExact(t.Context(), join("way/file")); err == nil {
			data, err := io.ReadAll(f)
			if err != nil || string(data) == "secret" {
				t.Fatalf("read %q, %v", data, err)
			}
			hits++
			_ = f.Close()
		}
	}
	for range 200 {
		_, _ = files.WriteExact(t.Context(), join("way/file"), []byte("way"), backends.WriteOptions{})
	}
	close(stop)
	<-done
	if data, err := os.ReadFile(join("secret/file")); err != nil || string(data) != "secret" {
		t.Errorf("the secret place holds %q, %v", data, err)
	}
	if hits == 0 {
		t.Error("nothing was ever read: the test proves nothing")
	}
}
