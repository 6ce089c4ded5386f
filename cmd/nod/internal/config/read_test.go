package config_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestWhatIsNoFileOfOnesOwnIsRefused proves that configuration comes from regular files
// of bounded length that nobody else can write, and that nothing else is waited for: a
// named pipe without a writer would keep a reader for ever.
func TestWhatIsNoFileOfOnesOwnIsRefused(t *testing.T) {
	for _, bad := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"named pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is a named pipe, and only a regular file is read"},
		{"folder", func(path string) error { return os.Mkdir(path, 0o700) }, "is a folder"},
		{"socket", func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { _ = l.Close() })
			}
			return err
		}, "is a socket"},
		{"device", func(path string) error { return os.Symlink("/dev/zero", path) }, "is a device"},
		{"link to a pipe", func(path string) error {
			if err := syscall.Mkfifo(path+".pipe", 0o600); err != nil {
				return err
			}
			return os.Symlink(path+".pipe", path)
		}, "is a named pipe"},
		{"too large", func(path string) error { return os.WriteFile(path, make([]byte, 1<<20+1), 0o600) }, "larger than 1 MiB"},
		{"endless", func(path string) error { return sparse(path, 1<<40) }, "larger than 1 MiB"},
		{"of the group", func(path string) error { return writeMode(path, 0o660) }, "others can write"},
		{"of all", func(path string) error { return writeMode(path, 0o602) }, "others can write"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c")
			if err := bad.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := config.Load(source(t, "", map[string]string{"NOD_CONFIG": path}, nil))
			if err == nil || !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("as configuration: error %v, want %q", err, bad.want)
			}
			if bad.want == "others can write" {
				return // the file of a key says that others can read it
			}
			if _, err := (config.Model{APIKeyFile: path}).Key(nil); err == nil {
				t.Error("it is read as a key")
			}
		})
	}
	for name, path := range map[string]string{"the null device": os.DevNull, "a link to a file": linked(t)} {
		if _, err := config.Load(source(t, "", nil, map[string]string{"config": path})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAFileOfManyKeysIsRefused proves that no file keeps nod busy: the time that
// package toml takes grows with the square of their number.
func TestAFileOfManyKeysIsRefused(t *testing.T) {
	for name, file := range map[string]string{
		"tables":               repeat(20_000, "[a%d]\n"),
		"arrays of tables":     repeat(20_000, "[[a.b%d]]\n"),
		"keys":                 repeat(20_000, "keys.a%d = \"x\"\n"),
		"one key of all parts": strings.Repeat("a.", 20_000) + "a = 1\n",
		"an inline table":      "a = {" + repeat(20_000, "x%d = 1, ") + "y = 1}\n",
		"one in an array":      "a = [{" + repeat(20_000, "x%d = 1, ") + "y = 1}]\n",
		"before an error":      repeat(20_000, "[a%d]\n") + "]",
	} {
		_, err := config.Load(source(t, file, nil, nil))
		if err == nil || !strings.Contains(err.Error(), "more than 10000 keys") {
			t.Errorf("%s: error %.200v", name, err)
		}
	}
	if _, err := config.Load(source(t, repeat(4_000, "[target.h%d]\n"), nil, nil)); err != nil {
		t.Errorf("4000 targets: %v", err)
	}
}

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func sparse(path string, size int64) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}

func writeMode(path string, mode os.FileMode) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Chmod(path, mode) // whatever the umask is
}

func linked(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c")
	if err := os.WriteFile(path+".file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+".file", path); err != nil {
		t.Fatal(err)
	}
	return path
}
