package posix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOctal(t *testing.T) {
	if got := Octal("a\\\xff'ü!\n"); got != `a\0134\0377\0047\0303\0274\0041\0012` {
		t.Errorf("%q", got)
	}
}

// Whatever the other side describes its files as: no panic.
func FuzzParseInfo(f *testing.F) {
	f.Add("81a4 5 1000000000 0 root")
	f.Add("ffffffff -1 x 4294967296 UNKNOWN")
	f.Fuzz(func(t *testing.T, facts string) {
		info, err := ParseInfo("/x", facts)
		if err == nil && strings.TrimSpace(facts) == "" {
			t.Errorf("%q: %+v", facts, info)
		}
	})
}

// here are the files of this machine, by programs of this machine.
func here(t *testing.T) (Files, string) {
	t.Helper()
	target := local.New(os.Environ())
	t.Cleanup(func() { _ = target.Close() }) // gives no error
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Files{Shell: "/bin/sh", Exec: target.Exec}, dir
}

func TestWritesKeepWhatTheyReplace(t *testing.T) {
	files, dir := here(t)
	file, link := filepath.Join(dir, "a 'file'"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, drain := range []bool{false, true} {
		files.Drain = drain
		data := []byte(fmt.Sprint("new\x00\n", drain))
		info, err := files.Write(t.Context(), link, data, backends.WriteOptions{}, false)
		if err != nil || info.Mode != 0o640 || info.Size != int64(len(data)) {
			t.Fatalf("%+v, %v", info, err)
		}
		if to, err := os.Readlink(link); err != nil || to != file {
			t.Errorf("the link: %q, %v", to, err)
		}
		got, err := files.Open(t.Context(), link, false)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(got); err != nil || !bytes.Equal(content, data) || got.Info().Size != int64(len(data)) {
			t.Errorf("%q, %v, %+v", content, err, got.Info())
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".nod-*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestWhatIsNotWrittenSaysWhy(t *testing.T) {
	files, dir := here(t)
	if err := os.Symlink("/etc", filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opt   backends.WriteOptions
		exact bool
		want  error
	}{
		"none/below": {want: fs.ErrNotExist},
		"file/below": {want: syscall.ENOTDIR},
		"away/x":     {exact: true, want: backends.ErrChanged},
		"away":       {want: backends.ErrIsDirectory},
		"file":       {opt: backends.WriteOptions{Expect: &backends.Version{}}, want: backends.ErrChanged},
	} {
		if _, err := files.Write(t.Context(), filepath.Join(dir, name), []byte("y"), c.opt, c.exact); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for said, want := range map[string]error{
		"mv: cannot move: Device or resource busy": ErrMounted, "sh: can't create x: Read-only file system": ErrReadOnly,
		"cat: write error: No space left on device": syscall.ENOSPC, "sh: 1: cannot create x: Directory nonexistent": fs.ErrNotExist,
	} {
		if err := ToolError(said, backends.ExitedWith(1)); !errors.Is(err, want) {
			t.Errorf("%q: %v", said, err)
		}
	}
}

// What is found is what a shell would find, and becomes the program with its
// arguments and settings as they are.
func TestLaunching(t *testing.T) {
	_, dir := here(t)
	if err := os.WriteFile(filepath.Join(dir, "no-program"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command backends.Command
		want    string
	}{
		{backends.Command{Argv: []string{"printf", "<%s>", "a 'b'\n!", ""}}, "<a 'b'\n!><>"},
		{backends.Command{Argv: []string{"sh", "-c", `echo "$A" "$PWD"`}, Env: []string{"A=1", "A=2 3"}, Dir: dir}, "2 3 " + dir + "\n"},
		{backends.Command{Argv: []string{"nowhere"}}, "program none\n"},
		{backends.Command{Argv: []string{filepath.Join(dir, "no-program")}}, "program denied\n"},
		{backends.Command{Argv: []string{"true"}, Dir: dir + "/none"}, "dir none\n"},
		{backends.Command{Argv: []string{"true"}, Dir: dir + "/no-program"}, "dir notdir\n"},
	} {
		out, err := exec.Command("/bin/sh", "-c", "nod_say() { echo \"$*\"; }\n"+Find(c.command)+Become("/bin/sh", c.command)).CombinedOutput()
		if string(out) != c.want || err != nil {
			t.Errorf("%q: %q, %v", c.command.Argv, out, err)
		}
	}
}

func TestCommandsThatMakeNoSense(t *testing.T) {
	for _, c := range []backends.Command{
		{}, {Argv: []string{""}}, {Argv: []string{"a", "b\x00"}}, {Argv: []string{"a"}, Dir: "x"}, {Argv: []string{"a"}, Env: []string{"=x"}},
	} {
		if Check(c) == nil {
			t.Errorf("%+v passes", c)
		}
	}
	if Check(backends.Command{Argv: []string{"a"}, Dir: "/", Env: []string{"A="}}) != nil {
		t.Error("a good one does not pass")
	}
}
