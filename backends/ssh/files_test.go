package ssh_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
)

// exactFiles is what package guard asks of a target's files.
type exactFiles interface {
	Resolve(ctx context.Context, path string) (string, error)
	OpenExact(ctx context.Context, path string) (backends.File, error)
	WriteExact(ctx context.Context, path string, data []byte, opt backends.WriteOptions) (backends.Info, error)
}

func exact(t backends.Target) exactFiles { return t.Files().(exactFiles) }

func (w *world) realDir() string {
	w.t.Helper()
	dir, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return dir
}

func TestTargetsHaveExactFiles(t *testing.T) {
	w := newWorld(t)
	target, err := ssh.Open(w.context(), ssh.Host{Name: "box"}, w.options())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close() }()
	if got, err := exact(target).Resolve(w.context(), "/nowhere"); got != "/nowhere" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestResolve(t *testing.T) {
	w := newWorld(t)
	base := w.realDir()
	for name, to := range map[string]string{"dir": "real", "real/up": "../real/x", "abs": base + "/real", "loop": "loop", "dots": "real/../real/./file"} {
		_ = os.Mkdir(base+"/real", 0o755)
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	files := exact(w.dial(w.options()))
	for path, want := range map[string]string{
		"real/none":      "real/none",
		"dir/none":       "real/none",
		"dir/../x":       "x",
		"abs//./a/b":     "real/a/b",
		"real/up/y":      "real/x/y",
		"dots":           "real/file",
		"none/../a":      "a",
		"dir/up/../../z": "z",
	} {
		if got, err := files.Resolve(w.context(), base+"/"+path); got != base+"/"+want || err != nil {
			t.Errorf("%s: %s, %v; want %s", path, got, err, want)
		}
	}
	if _, err := files.Resolve(w.context(), base+"/loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("loop: %v", err)
	}
	if got, err := files.Resolve(w.context(), "/"); got != "/" || err != nil {
		t.Errorf("root: %q, %v", got, err)
	}
}

func TestExactPathsHoldNoLinks(t *testing.T) {
	w := newWorld(t)
	base := w.realDir()
	if err := os.Mkdir(base+"/real", 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("real/file", "content")
	for name, to := range map[string]string{"dir": "real", "real/link": "file"} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	files := exact(w.dial(w.options()))
	anything := errors.New("any error")
	is := func(err, want error) bool {
		if errors.Is(want, anything) {
			return err != nil
		}
		return errors.Is(err, want)
	}
	for path, want := range map[string]error{
		"real/file":       nil,
		"real/link":       backends.ErrChanged,
		"dir/file":        backends.ErrChanged,
		"real/none":       fs.ErrNotExist,
		"real":            backends.ErrIsDirectory,
		"real/./file":     anything,
		"dir/../dir/file": anything,
	} {
		f, err := files.OpenExact(w.context(), base+"/"+path)
		if !is(err, want) {
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
		"real/../real/new": anything,
		"real/file/below":  syscall.ENOTDIR,
	} {
		_, err := files.WriteExact(w.context(), base+"/"+path, []byte("new"), backends.WriteOptions{MakeDirs: true})
		if !is(err, want) {
			t.Errorf("write %s: %v, want %v", path, err, want)
		}
		if err == nil && w.read(path) != "new" {
			t.Errorf("write %s: %q", path, w.read(path))
		}
	}
	if _, err := os.Stat(base + "/real/new/a"); err != nil {
		t.Error(err)
	}
	// A file is there whole, or its reader says that it is not.
	big := strings.Repeat("0123456789abcdef", 1<<17)
	w.write("real/big", big)
	f, err := files.OpenExact(w.context(), base+"/real/big")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); err != nil || string(data) != big || f.Info().Size != int64(len(big)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if f, err = files.OpenExact(w.context(), base+"/real/big"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil { // without reading it
		t.Error(err)
	}
}

// Somebody exchanges a folder for a link to a secret place all the time:
// neither a read nor a write ever gets there.
func TestExactPathsWithstandRaces(t *testing.T) {
	w := newWorld(t)
	base := w.realDir()
	for _, d := range []string{"way", "secret"} {
		if err := os.Mkdir(base+"/"+d, 0o755); err != nil {
			t.Fatal(err)
		}
		w.write(d+"/file", d)
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
			_ = os.Rename(base+"/way", base+"/aside") // each may find the other state
			_ = os.Symlink("secret", base+"/way")
			_ = os.Remove(base + "/way")
			_ = os.Rename(base+"/aside", base+"/way")
		}
	}()
	files := exact(w.dial(w.options()))
	hits := 0
	for try := 0; try < 60 || hits == 0 && try < 2000; try++ { // how often one comes between the others' steps is chance
		if f, err := files.OpenExact(w.context(), base+"/way/file"); err == nil {
			data, err := io.ReadAll(f)
			if err != nil || string(data) == "secret" {
				t.Fatalf("read %q, %v", data, err)
			}
			hits++
			_ = f.Close()
		}
	}
	for range 25 {
		_, _ = files.WriteExact(w.context(), base+"/way/file", []byte("way"), backends.WriteOptions{MakeDirs: true})
	}
	close(stop)
	<-done
	if got := w.read("secret/file"); got != "secret" {
		t.Errorf("the secret place holds %q", got)
	}
	if entries, err := os.ReadDir(base + "/secret"); err != nil || len(entries) != 1 {
		t.Errorf("the secret place holds %v, %v", entries, err)
	}
	if hits == 0 {
		t.Error("nothing was ever read: the test proves nothing")
	}
}

// A full disk leaves the old content, no other file, and says what it is.
func TestAFullDiskSaysSo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a small file system needs root")
	}
	w := newWorld(t)
	small := w.path("small")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "nod-test", small).CombinedOutput(); err != nil {
		t.Skipf("no small file system: %v: %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", "-l", small).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	}()
	w.write("small/file", "old")
	c := w.dial(w.options())
	_, err := c.Files().Write(w.context(), small+"/file", make([]byte, 1<<20), backends.WriteOptions{})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk there is full") {
		t.Errorf("%v", err)
	}
	entries, lsErr := os.ReadDir(small)
	if w.read("small/file") != "old" || lsErr != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, lsErr)
	}
}

// A connection that breaks in the middle of a write leaves the old content,
// since the part that arrived is not taken for the whole.
func TestABrokenWriteLeavesTheOldFile(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	c := w.dial(opt)
	w.write("file", "old")
	done := make(chan error, 1)
	go func() {
		_, err := c.Files().Write(w.context(), w.path("file"), make([]byte, 64<<20), backends.WriteOptions{})
		done <- err
	}()
	until(t, "the temporary file", func() bool {
		found, err := filepath.Glob(w.path(".nod-*.tmp"))
		if err != nil || len(found) == 0 {
			return false
		}
		if info, err := os.Stat(found[0]); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("others may read it meanwhile: %v", info.Mode())
		}
		return true
	})
	w.sshd.HangUp()
	if err := <-done; !errors.Is(err, ssh.ErrLost) {
		t.Errorf("%v", err)
	}
	until(t, "the end of the temporary file", func() bool {
		found, err := filepath.Glob(w.path(".nod-*.tmp"))
		return err == nil && len(found) == 0
	})
	if got := w.read("file"); got != "old" {
		t.Errorf("%d bytes", len(got))
	}
}

// Where sshd has no sftp subsystem its server is run as a command.
func TestNoSubsystem(t *testing.T) {
	w := newWorld(t)
	w.write("sshd_config", strings.Replace(w.read("sshd_config"), "Subsystem sftp internal-sftp", "", 1))
	c := w.dial(w.options())
	if _, err := os.Stat("/usr/lib/openssh/sftp-server"); err == nil {
		info, err := c.Files().Stat(w.context(), "/")
		if err != nil || !info.Mode.IsDir() {
			t.Errorf("%+v, %v", info, err)
		}
	}
	w.write("sshd_config", strings.Replace(w.read("sshd_config"), "AuthorizedKeysFile", "Subsystem sftp /bin/true\nAuthorizedKeysFile", 1))
	if _, err := w.dial(w.options()).Files().Stat(w.context(), "/"); !errors.Is(err, ssh.ErrNoSFTP) {
		t.Errorf("%v", err)
	}
}

func TestWritesKeepAttributes(t *testing.T) {
	w := newWorld(t)
	file := w.write("file", "old")
	if err := unix.Setxattr(file, "user.nod", []byte("kept"), 0); err != nil {
		t.Skipf("no extended attributes here: %v", err)
	}
	if _, err := w.dial(w.options()).Files().Write(w.context(), file, []byte("new"), backends.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 16)
	if n, err := unix.Getxattr(file, "user.nod", value); err != nil || string(value[:n]) != "kept" || w.read("file") != "new" {
		t.Errorf("%q, %v", value, err)
	}
}
