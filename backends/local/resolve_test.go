package local

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestResolveFollowsLinksAlsoToWhatIsNotThere(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(base, "real/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "real/file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"dir": "real", "abs": base + "/real/file", "up": "real/sub/../../dir/sub", "dangling": "real/none/below",
		"loop": "loop", "chain": "up",
	} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"real/file":     "real/file",
		"dir/file":      "real/file",
		"abs":           "real/file",
		"up/x/y":        "real/sub/x/y",
		"chain":         "real/sub",
		"chain/../file": "real/file", // as the kernel reads it: the parent of where the link leads
		"dangling":      "real/none/below",
		"none/below":    "none/below",
	} {
		got, err := New(nil).files.Resolve(t.Context(), base+"/"+path)
		if err != nil || got != filepath.Join(base, want) {
			t.Errorf("%s: %q, %v; want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]error{base + "/loop": syscall.ELOOP, base + "/real/file/x": syscall.ENOTDIR, "relative": errNotAbsolute} {
		if got, err := New(nil).files.Resolve(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("%s: %q, %v; want %v", path, got, err, want)
		}
	}
	if got, err := resolve("/proc/self/root" + base); err != nil || got != base {
		t.Errorf("through /proc: %q, %v", got, err)
	}
}
