package docker_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

// exactFiles is what package guard wants of a target's files.
type exactFiles interface {
	Resolve(ctx context.Context, path string) (string, error)
	OpenExact(ctx context.Context, path string) (backends.File, error)
	WriteExact(ctx context.Context, path string, data []byte, opt backends.WriteOptions) (backends.Info, error)
}

func read(t *testing.T, f backends.File, err error) string {
	t.Helper()
	if err != nil {
		t.Error(err)
		return ""
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	return string(data)
}

// Files in memory, on a read-only root, mounted alone, and where nothing may be
// written at all.
func TestWritesWhereContainersAreSpecial(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, "--read-only", "--tmpfs", "/mem", enginetest.Busybox)
		files := target.Files()
		if _, err := files.Write(limited(t), "/mem/a", []byte("in memory"), backends.WriteOptions{}); err != nil {
			t.Error(err)
		}
		if out, _, _ := run(t, target, "cat", "/mem/a"); out != "in memory" {
			t.Errorf("in memory: %q", out)
		}
		for _, path := range []string{"/etc/new", "/etc/passwd"} {
			_, err := files.Write(limited(t), path, []byte("x"), backends.WriteOptions{})
			if !errors.Is(err, syscall.EROFS) && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("read-only %s: %v", path, err)
			}
		}
		if _, err := files.Write(limited(t), "/etc/new", []byte("x"), backends.WriteOptions{}); !errors.Is(err, docker.ErrReadOnly) {
			t.Errorf("read-only: %v", err)
		}
		if out, _, _ := run(t, target, "sh", "-c", "ls -A /etc | grep nod; ls -A /mem"); out != "a\n" {
			t.Errorf("left behind: %q", out)
		}

		target = open(t, e, enginetest.Busybox)
		if _, err := target.Files().Write(limited(t), "/etc/hosts", []byte("x"), backends.WriteOptions{}); !errors.Is(err, docker.ErrMounted) {
			t.Errorf("a mounted file: %v", err)
		}
		if out, _, _ := run(t, target, "sh", "-c", "ls -A /etc | grep nod; true"); out != "" {
			t.Errorf("left behind: %q", out)
		}

		target = open(t, e, "--read-only", "--user", "1000", enginetest.Busybox)
		facts, err := target.Facts(limited(t))
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == "docker" && slices.Contains(facts.Writable, "/tmp") {
			t.Errorf("writable: %q", facts.Writable)
		}
		if _, err := target.Files().Write(limited(t), "/etc/passwd", []byte("x"), backends.WriteOptions{}); !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
			t.Errorf("as another user: %v", err)
		}
	})
}

func TestResolveAndExact(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, enginetest.Debian)
		run(t, target, "sh", "-c", `mkdir -p /d/real/sub && cd /d && echo content >real/file && ln -s real dir && ln -s /d/real/file abs &&
			ln -s real/sub/../../dir/sub up && ln -s real/none/below dangling && ln -s loop loop && ln -s up chain && mkdir "$(printf 'a\nb')"`)
		files, ok := target.Files().(exactFiles)
		if !ok {
			t.Fatal("there is no exact way")
		}
		for path, want := range map[string]string{
			"/d/real/file":     "/d/real/file",
			"/d/dir/file":      "/d/real/file",
			"/d/abs":           "/d/real/file",
			"/d/up/x/y":        "/d/real/sub/x/y",
			"/d/chain":         "/d/real/sub",
			"/d/chain/../file": "/d/real/file",
			"/d/dangling":      "/d/real/none/below",
			"/d/none/below":    "/d/none/below",
			"/d/a\nb/c":        "/d/a\nb/c",
			"/":                "/",
		} {
			if got, err := files.Resolve(limited(t), path); err != nil || got != want {
				t.Errorf("%q: %q, %v; want %q", path, got, err, want)
			}
		}
		for path, want := range map[string]error{"/d/loop": syscall.ELOOP, "/d/real/file/x": syscall.ENOTDIR} {
			if got, err := files.Resolve(limited(t), path); !errors.Is(err, want) {
				t.Errorf("%q: %q, %v; want %v", path, got, err, want)
			}
		}
		f, err := files.OpenExact(limited(t), "/d/real/file")
		if got := read(t, f, err); got != "content\n" {
			t.Errorf("exact: %q", got)
		}
		for _, path := range []string{"/d/dir/file", "/d/abs"} {
			if _, err := files.OpenExact(limited(t), path); !errors.Is(err, backends.ErrChanged) {
				t.Errorf("open %s: %v", path, err)
			}
			if _, err := files.WriteExact(limited(t), path, []byte("x"), backends.WriteOptions{MakeDirs: true}); !errors.Is(err, backends.ErrChanged) {
				t.Errorf("write %s: %v", path, err)
			}
		}
		if _, err := files.WriteExact(limited(t), "/d/new/er/file", []byte("new"), backends.WriteOptions{MakeDirs: true, Expect: &backends.Version{}}); err != nil {
			t.Error(err)
		}
		if out, _, _ := run(t, target, "cat", "/d/new/er/file", "/d/real/file"); out != "newcontent\n" {
			t.Errorf("%q", out)
		}
	})
}

// warnings collects what the operator is told.
type warnings struct {
	mu  sync.Mutex
	all []string
}

func (w *warnings) add(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, s)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.all, "\n")
}

// Where there is no shell, or the container does not run, files go through the
// engine, and the operator is told so; writes only where that is allowed.
func TestFilesThroughTheEngine(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		stopped := e.Container(t, "--tmpfs", "/mem", enginetest.Busybox)
		e.Do(t, "exec", stopped, "sh", "-c", `mkdir /etc/sub; echo hello >/etc/motd; chmod 640 /etc/motd; chown 12:34 /etc/motd; ln -s motd /etc/link`)
		e.Do(t, "stop", "-t", "0", stopped)
		for name, container := range map[string]string{"stopped": stopped, "no shell": e.Container(t, enginetest.Bare)} {
			var told warnings
			target := openNamed(t, e, container, docker.Options{Warn: told.add})
			files := target.Files()
			f, err := files.Open(limited(t), "/etc/link")
			if got := read(t, f, err); got != "hello\n" {
				t.Errorf("%s: %q", name, got)
			}
			if !strings.Contains(told.String(), "/etc/link is read through the engine") {
				t.Errorf("%s: told %q", name, told.String())
			}
			info, err := files.Stat(limited(t), "/etc/motd")
			owner := "12"
			if e.Kind == "podman" {
				owner = "" // its archives do not tell
			}
			if err != nil || info.Size != 6 || info.Mode != 0o640 || info.Owner != owner {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
			list, err := files.List(limited(t), "/etc")
			if err != nil || !slices.ContainsFunc(list, func(i backends.Info) bool { return i.Path == "/etc/link" && i.Mode&fs.ModeSymlink != 0 }) {
				t.Errorf("%s: %+v, %v", name, list, err)
			}
			if got, err := files.(exactFiles).Resolve(limited(t), "/etc/link"); err != nil || got != "/etc/motd" {
				t.Errorf("%s: resolve: %q, %v", name, got, err)
			}
			if _, err := files.Open(limited(t), "/etc/none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: none: %v", name, err)
			}
			if _, err := files.Open(limited(t), "/etc"); !errors.Is(err, backends.ErrIsDirectory) {
				t.Errorf("%s: a folder: %v", name, err)
			}
			if _, err := files.Write(limited(t), "/etc/motd", []byte("new"), backends.WriteOptions{}); !errors.Is(err, docker.ErrStopped) && !errors.Is(err, docker.ErrNoShell) {
				t.Errorf("%s: a write that nobody allowed: %v", name, err)
			}

			target = openNamed(t, e, container, docker.Options{Warn: told.add, ArchiveWrites: true})
			files = target.Files()
			old := backends.VersionOf([]byte("hello\n"))
			info, err = files.Write(limited(t), "/etc/link", []byte("new"), backends.WriteOptions{Expect: &old})
			if e.Kind == "podman" {
				if err == nil {
					t.Errorf("%s: the owner was lost", name)
				}
				info, err = files.Write(limited(t), "/etc/fresh", []byte("new"), backends.WriteOptions{Mode: 0o600})
				if err != nil || info.Mode != 0o600 || info.Size != 3 {
					t.Errorf("%s: write: %+v, %v", name, info, err)
				}
				continue
			}
			if err != nil || info.Mode != 0o640 || info.Owner != "12" || info.Size != 3 {
				t.Errorf("%s: write: %+v, %v", name, info, err)
			}
			if !strings.Contains(told.String(), "not atomically") {
				t.Errorf("%s: told %q", name, told.String())
			}
			f, err = files.Open(limited(t), "/etc/motd")
			if got := read(t, f, err); got != "new" {
				t.Errorf("%s: then it holds %q", name, got)
			}
			if _, err := files.Write(limited(t), "/etc/motd", []byte("x"), backends.WriteOptions{Expect: &old}); !errors.Is(err, backends.ErrChanged) {
				t.Errorf("%s: against expectation: %v", name, err)
			}
			if _, err := files.Write(limited(t), "/etc/a/b/c", []byte("deep"), backends.WriteOptions{MakeDirs: true}); err != nil {
				t.Errorf("%s: folders: %v", name, err)
			}
			if name == "stopped" {
				if _, err := files.Write(limited(t), "/mem/x", []byte("x"), backends.WriteOptions{}); err == nil {
					t.Error("a write into memory that is not there")
				}
			}
		}
	})
}
