package enginetest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The images that containers can be made of.
const (
	// Busybox is nothing but busybox, with all its programs in /bin.
	Busybox = "nod.test/busybox"
	// Debian is a minimal Debian with tmux and bash.
	Debian = "nod.test/debian"
	// Bare has one program and no shell: /pause, which is busybox under a name
	// that sleeps for as long as it is told.
	Bare = "nod.test/bare"
)

// image imports an image if the engine does not have it.
func (e *Engine) image(t testing.TB, name string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.images[name] {
		return
	}
	change := []string{"-c", `CMD ["sleep","1000000"]`}
	var content io.Reader
	switch name {
	case Busybox:
		content = bytes.NewReader(busybox(t))
		change = append(change, "-c", "ENV PATH=/bin")
	case Bare:
		content = bytes.NewReader(bare(t))
		change = []string{"-c", `ENTRYPOINT ["/sleep","1000000"]`, "-c", "ENV PATH=/"}
	case Debian:
		file, err := os.Open(debian(t))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }() // opened for reading
		content = file
	}
	cmd := e.Command(t, append(append([]string{"import"}, change...), "-", name)...)
	cmd.Stdin = content
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("import %s: %v: %s", name, err, out)
	}
	e.images[name] = true
}

// program is busybox itself, which must need no library.
func program(t testing.TB) []byte {
	t.Helper()
	path, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal("there is no busybox: run make deps")
	}
	if out, err := exec.Command("ldd", path).CombinedOutput(); err == nil {
		t.Fatalf("%s needs libraries (%s): install busybox-static in its place", path, bytes.TrimSpace(out))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type tree struct {
	*tar.Writer
	t testing.TB
}

func (w tree) add(h tar.Header, data []byte) {
	h.Size = int64(len(data))
	err := w.WriteHeader(&h)
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func busybox(t testing.TB) []byte {
	t.Helper()
	out, err := exec.Command("busybox", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := tree{tar.NewWriter(&b), t}
	for _, d := range []string{"bin/", "root/", "etc/", "proc/", "sys/", "dev/", "var/"} {
		w.add(tar.Header{Name: d, Typeflag: tar.TypeDir, Mode: 0o755}, nil)
	}
	w.add(tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777}, nil)
	w.add(tar.Header{Name: "bin/busybox", Typeflag: tar.TypeReg, Mode: 0o755}, program(t))
	for name := range strings.FieldsSeq(string(out)) {
		if name != "busybox" {
			w.add(tar.Header{Name: "bin/" + name, Typeflag: tar.TypeSymlink, Linkname: "busybox"}, nil)
		}
	}
	w.add(tar.Header{Name: "etc/passwd", Typeflag: tar.TypeReg, Mode: 0o644}, []byte("root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/tmp:/bin/sh\n"))
	w.add(tar.Header{Name: "etc/group", Typeflag: tar.TypeReg, Mode: 0o644}, []byte("root:x:0:\nuser:x:1000:\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bare has busybox under names that are no shells.
func bare(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tree{tar.NewWriter(&b), t}
	w.add(tar.Header{Name: "sleep", Typeflag: tar.TypeReg, Mode: 0o755}, program(t))
	for _, name := range []string{"cat", "false", "echo", "env", "pwd"} {
		w.add(tar.Header{Name: name, Typeflag: tar.TypeLink, Linkname: "sleep", Mode: 0o755}, nil)
	}
	w.add(tar.Header{Name: "etc/", Typeflag: tar.TypeDir, Mode: 0o755}, nil)
	w.add(tar.Header{Name: "etc/motd", Typeflag: tar.TypeReg, Mode: 0o640, Uid: 12, Gid: 34}, []byte("hello\n"))
	w.add(tar.Header{Name: "etc/link", Typeflag: tar.TypeSymlink, Linkname: "motd"}, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// debian returns the file with the tree, which is made once for all runs.
func debian(t testing.TB) string {
	t.Helper()
	suite := release(t)
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = "/root/.cache" // whatever home a test has: an engine needs root
	}
	cache = filepath.Join(cache, "nod-test")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(cache, fmt.Sprintf("debian-%s-%s-1.tar", suite, runtime.GOARCH))
	lock, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }() // with which the lock goes
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		t.Fatal("there is no debootstrap: run make deps")
	}
	dir, err := os.MkdirTemp("/tmp", "nod-debian-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remove(dir) }() // what remains is in /tmp
	run := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil { //nolint:gosec // two programs, named below
			t.Fatalf("%s %q: %v: %.2000s", name, args, err, out[max(0, len(out)-2000):])
		}
	}
	run("debootstrap", "--variant=minbase", "--include=tmux,procps", suite, dir, mirror())
	for _, unneeded := range []string{"usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "var/cache/apt", "var/lib/apt/lists"} {
		if err := os.RemoveAll(filepath.Join(dir, unneeded)); err != nil {
			t.Fatal(err)
		}
	}
	run("tar", "-C", dir, "--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "-cf", file+".new", ".")
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	return file
}

// release is the name of this machine's Debian.
func release(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("/etc/os-release")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return strings.Trim(name, `"`)
		}
	}
	return "stable"
}

// mirror is where apt gets this machine's Debian from.
func mirror() string {
	out, err := exec.Command("apt-get", "indextargets", "--format", "$(ORIGIN) $(SITE)", "Created-By: Packages").Output()
	if err == nil {
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == "Debian" && !strings.Contains(f[1], "security") {
				return strings.TrimSuffix(f[1], "/")
			}
		}
	}
	return "http://deb.debian.org/debian"
}
