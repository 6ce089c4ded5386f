package mux

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestListen(t *testing.T) {
	dir := shortDir(t)
	path := filepath.Join(dir, "s")
	l, err := Listen(path)
	check(t, err)
	st, err := os.Lstat(path)
	check(t, err)
	if st.Mode() != os.ModeSocket|0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if _, err := Listen(path); !errors.Is(err, ErrLive) {
		t.Errorf("second master: %v", err)
	}
	names, err := os.ReadDir(dir)
	check(t, err)
	if len(names) != 1 {
		t.Errorf("left in the folder: %v", names)
	}
	check(t, l.Close())
	check(t, l.Close())
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("after Close: %v", err)
	}
}

// TestListenerLeavesOthers: a socket that took our name is not removed.
func TestListenerLeavesOthers(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := Listen(path)
	check(t, err)
	check(t, os.Remove(path))
	other, err := Listen(path)
	check(t, err)
	defer quietly(other)
	check(t, l.Close())
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the other master's socket: %v", err)
	} else {
		_ = c.Close()
	}
}

// TestBindDisplacesNobody: a master that came in between is not replaced.
func TestBindDisplacesNobody(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := Listen(path)
	check(t, err)
	defer quietly(l)
	dir, err := openFolder(filepath.Dir(path))
	check(t, err)
	defer quietly(dir)
	if _, err := bind(dir, path); !errors.Is(err, ErrLive) {
		t.Errorf("bind: %v", err)
	}
}

func TestListenReplacesStale(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	for range 50 {
		replaceStale(t, path)
	}
}

func replaceStale(t *testing.T, path string) {
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	check(t, err)
	dead.SetUnlinkOnClose(false)
	check(t, dead.Close())
	// Many at once: one wins, and the rest see it.
	const many = 10
	listeners, failures := make([]*Listener, many), make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { listeners[i], failures[i] = Listen(path) })
	}
	all.Wait()
	won := 0
	for i, l := range listeners {
		if l != nil {
			won++
			defer quietly(l)
		} else if !errors.Is(failures[i], ErrLive) {
			t.Error(failures[i])
		}
	}
	if won != 1 {
		t.Errorf("%d masters", won)
	}
}

func TestListenRefuses(t *testing.T) {
	dir := shortDir(t)
	file := filepath.Join(dir, "file")
	check(t, os.WriteFile(file, []byte("precious"), 0o600))
	if _, err := Listen(file); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("a file in the way: %v", err)
	}
	if b, _ := os.ReadFile(file); string(b) != "precious" {
		t.Error("the file was touched")
	}
	long := filepath.Join(dir, strings.Repeat("x", maxPath-len(dir)))
	if _, err := Listen(long); !errors.Is(err, ErrPathTooLong) {
		t.Errorf("108 bytes: %v", err)
	}
	l, err := Listen(long[:maxPath])
	if err != nil {
		t.Errorf("107 bytes: %v", err)
	} else {
		_ = l.Close()
	}
	open := filepath.Join(dir, "open")
	check(t, os.Mkdir(open, 0o700))
	check(t, os.Chmod(open, 0o777))
	if _, err := Listen(filepath.Join(open, "s")); !errors.Is(err, ErrForeign) {
		t.Errorf("a folder for everybody: %v", err)
	}
	check(t, os.Chmod(open, 0o777|os.ModeSticky))
	if l, err := Listen(filepath.Join(open, "s")); err != nil {
		t.Errorf("a folder like /tmp: %v", err)
	} else {
		_ = l.Close()
	}
	if _, err := Listen(filepath.Join(dir, "no", "s")); !os.IsNotExist(errors.Unwrap(err)) {
		t.Errorf("no folder: %v", err)
	}
}

// TestSecondMaster: a stock master and nod's respect each other.
func TestSecondMaster(t *testing.T) {
	s := startSSHD(t)
	stock := startStock(t, s)
	if _, err := Listen(stock.socket); !errors.Is(err, ErrLive) {
		t.Errorf("beside a stock master: %v", err)
	}
	nod := startNod(t, s)
	args := append(s.loginArgs(), "-M", "-S", nod.socket, "127.0.0.1", "echo by itself")
	r := nod.run("", nil, "ssh", args...)
	if r.stdout != "by itself\n" || !strings.Contains(r.stderr, "already exists") {
		t.Errorf("a stock master beside nod's: %v", r)
	}
	if r := nod.ssh("", "-O", "check", "host"); r.code != 0 {
		t.Errorf("nod's master: %v", r)
	}
}

// TestOtherUser: who the kernel says is another user gets nothing, even if the
// socket's mode let them in.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	const nobody = 65534
	s := startSSHD(t)
	asNobody := func(f *fixture, args ...string) result {
		var stderr strings.Builder
		cmd := exec.Command("ssh", f.args(args...)...)
		cmd.Stderr = &stderr
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		_ = cmd.Run()
		return result{stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
	}
	var got [2]result
	for i, start := range []func(testing.TB, *server) *fixture{startNod, startStock} {
		f := start(t, s)
		check(t, os.Chmod(f.dir, 0o755))
		check(t, os.Chmod(f.socket, 0o666))
		got[i] = asNobody(f, "-O", "check", "host")
		if got[i].code == 0 {
			t.Errorf("%s: another user was answered: %v", f.kind, got[i])
		}
	}
	// Which word a refused client has depends on whether the master has closed
	// the connection before or after the client's first message.
	if got[0].code != got[1].code {
		t.Errorf("nod %v\nstock %v", got[0], got[1])
	}

	// The other way: a client does not trust another user's master.
	dir := shortDir(t)
	check(t, os.Chmod(dir, 0o777))
	f := newFixture(t, "nobody's", s)
	check(t, os.Chown(f.dir, nobody, nobody))
	key := filepath.Join(f.dir, "id")
	b, err := os.ReadFile(s.key)
	check(t, err)
	check(t, os.WriteFile(key, b, 0o600))
	check(t, os.Chown(key, nobody, nobody))
	args := append(s.loginArgs(), "-i", key, "-M", "-N", "-S", f.socket, "127.0.0.1")
	cmd := exec.Command("ssh", args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	check(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	until(t, "nobody's master", func() bool { _, err := os.Stat(f.socket); return err == nil })
	if _, err := Dial(context.Background(), f.socket); !errors.Is(err, ErrForeign) {
		t.Errorf("another user's master: %v", err)
	}
	if _, err := Listen(f.socket); !errors.Is(err, ErrForeign) {
		t.Errorf("in another user's folder: %v", err)
	}
}
