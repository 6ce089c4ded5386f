package enginetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long an engine may take to start or to end.
const patience = 60 * time.Second

// prefix begins the names of the folders of engines. Their sockets' paths must
// stay below 108 bytes.
const prefix = "/tmp/nod-engine-"

// Engine is a running engine.
type Engine struct {
	Kind   string // "docker" or "podman"
	Socket string
	dir    string
	lock   *os.File
	cmd    *exec.Cmd
	ended  chan struct{}
	log    string

	mu     sync.Mutex
	images map[string]bool
	frozen sync.Map // the containers that were to be frozen: their ids by their names
}

var (
	starting sync.Mutex
	engines  = map[string]*Engine{}
)

// Docker returns this process's Docker engine, and starts it the first time.
func Docker(t testing.TB) *Engine { return get(t, "docker", "dockerd", "docker") }

// Podman returns this process's podman, and starts it the first time. Where
// podman is not installed, the test is skipped.
func Podman(t testing.TB) *Engine { return get(t, "podman", "podman") }

// Stop ends the engines of this process. Call it at the end of TestMain.
func Stop() error {
	starting.Lock()
	defer starting.Unlock()
	var failed error
	for kind, e := range engines {
		if err := e.stop(); err != nil {
			failed = err
		}
		delete(engines, kind)
	}
	return failed
}

// OwnDocker starts a Docker engine for one test, which ends with it.
func OwnDocker(t testing.TB) *Engine {
	t.Helper()
	need(t, "dockerd", "docker")
	e, err := start("docker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.stop(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func get(t testing.TB, kind string, programs ...string) *Engine {
	t.Helper()
	starting.Lock()
	defer starting.Unlock()
	if e := engines[kind]; e != nil {
		return e
	}
	need(t, programs...)
	e, err := start(kind)
	if err != nil {
		t.Fatal(err)
	}
	engines[kind] = e
	return e
}

// need skips a test that cannot have an engine; it fails where all tests are promised.
func need(t testing.TB, programs ...string) {
	t.Helper()
	missing := ""
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = "there is no " + p + ": run make deps"
		}
	}
	if os.Geteuid() != 0 {
		missing = "an engine of the test's own needs root"
	}
	if runtime.GOOS != "linux" {
		missing = "an engine of the test's own needs Linux"
	}
	if missing != "" {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
}

func start(kind string) (*Engine, error) {
	removeStale()
	dir, err := os.MkdirTemp(filepath.Dir(prefix), filepath.Base(prefix))
	if err != nil {
		return nil, err
	}
	e := &Engine{Kind: kind, dir: dir, Socket: dir + "/s", log: dir + "/log", images: map[string]bool{}}
	if e.lock, err = hold(dir); err != nil {
		return nil, err
	}
	if err := e.begin(); err != nil {
		return nil, err
	}
	return e, nil
}

// begin starts the engine in its folder and waits until it answers.
func (e *Engine) begin() error {
	log, err := os.OpenFile(e.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the engine has its own copy
	e.ended = make(chan struct{})
	dir := e.dir
	switch e.Kind {
	case "docker":
		e.cmd = exec.Command("dockerd", "--data-root", dir+"/data", "--exec-root", dir+"/exec", "--pidfile", dir+"/pid",
			"-H", "unix://"+e.Socket, "--bridge=none", "--iptables=false", "--ip-forward=false", "--log-level=warn")
	case "podman":
		e.cmd = exec.Command("podman", append(e.podman(), "system", "service", "--time=0", "unix://"+e.Socket)...)
	}
	e.cmd.Stdout, e.cmd.Stderr = log, log
	e.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "XDG_RUNTIME_DIR=" + dir}
	if e.cmd.SysProcAttr, err = apart(); err != nil {
		return err
	}
	if err := e.launch(); err != nil {
		return err
	}
	limit := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := e.command(ctx, "version").Run()
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-e.ended:
			limit = time.Time{}
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(limit) {
			said, _ := os.ReadFile(e.log)
			_ = e.stop()
			return fmt.Errorf("%s does not start: %s", e.Kind, said)
		}
	}
}

// Kill ends the engine as a crash does: its containers are not told.
func (e *Engine) Kill() {
	_ = e.cmd.Process.Kill() // may have ended
	<-e.ended
	// What it has started for itself ends with it. Its number may be another process's by
	// then, which the next engine would take for it.
	_ = os.Remove(e.dir + "/exec/containerd/containerd.pid")
}

// Restart starts an engine again that was killed.
func (e *Engine) Restart(t testing.TB) {
	t.Helper()
	if err := e.begin(); err != nil {
		t.Fatal(err)
	}
}

// launch starts the engine from a thread that lasts as long as it does: its end
// would be taken for the process's.
func (e *Engine) launch() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := e.cmd.Start()
		started <- err
		if err == nil {
			_ = e.cmd.Wait() // ends by a signal
			close(e.ended)
		}
	}()
	return <-started
}

func (e *Engine) podman() []string {
	return []string{"--runtime", "runc", "--root", e.dir + "/root", "--runroot", e.dir + "/run", "--cgroup-manager", "cgroupfs", "--events-backend", "file",
		"--tmpdir", e.dir + "/tmp", "--log-level", "error", "--network-config-dir", e.dir + "/net"}
}

// command is a call of the engine's own command line.
func (e *Engine) command(ctx context.Context, args ...string) *exec.Cmd {
	var cmd *exec.Cmd
	if e.Kind == "podman" {
		cmd = exec.CommandContext(ctx, "podman", append([]string{"--remote", "--url", "unix://" + e.Socket}, args...)...)
	} else {
		cmd = exec.CommandContext(ctx, "docker", append([]string{"-H", "unix://" + e.Socket}, args...)...)
	}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + e.dir, "XDG_RUNTIME_DIR=" + e.dir}
	return cmd
}

// Command is a call of the engine's own command line.
func (e *Engine) Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	e.notes(t, args)
	return e.command(context.WithoutCancel(t.Context()), args...)
}

// notes notes which container a command is to freeze.
func (e *Engine) notes(t testing.TB, args []string) {
	t.Helper()
	if len(args) == 2 && args[0] == "pause" {
		e.frozen.Store(args[1], e.Do(t, "inspect", "--format", "{{.Id}}", args[1]))
	}
}

var errNoAnswer = errors.New("the engine does not answer")

// Do calls the engine's own command line and returns what it says.
func (e *Engine) Do(t testing.TB, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(t.Context()), 2*patience, errNoAnswer)
	defer cancel()
	cmd := e.command(ctx, args...)
	e.notes(t, args)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.WaitDelay = time.Second // what it has started may hold its output
	if err := e.thawing(args[len(args)-1], cmd.Run); err != nil {
		t.Fatalf("%s %q: %v: %s", e.Kind, args, cmp.Or(context.Cause(ctx), err), complaint.String())
	}
	return strings.TrimSpace(out.String())
}

// thawing does what is asked of a container. One that is frozen may hang the engine (see
// thaw), so it is thawed in between, again and again.
func (e *Engine) thawing(container string, do func() error) error {
	if _, frozen := e.frozen.Load(container); !frozen {
		return do()
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(thawAfter):
				e.thaw(container)
			}
		}
	}()
	return do()
}

// thawAfter is how long an engine may take with a container that is frozen.
const thawAfter = 10 * time.Second

// thaw thaws a container in the engine's place: one that was frozen while a
// program was on its way into it waits for that program, which waits to be
// thawed (20.10, cgroup v1). The engine answers no question about it meanwhile.
func (e *Engine) thaw(container string) {
	id, _ := e.frozen.Load(container)
	states, err := filepath.Glob(fmt.Sprintf("/sys/fs/cgroup/freezer/*/%s/freezer.state", id))
	if err != nil {
		return
	}
	for _, file := range states {
		_ = os.WriteFile(file, []byte("THAWED"), 0o600) // or it has been thawed meanwhile
	}
}

// Container starts a container and returns its name. It is removed after the
// test. args are those of "run" behind its options; the image comes first:
// [Busybox] or [Debian], with its options in front.
func (e *Engine) Container(t testing.TB, args ...string) string {
	t.Helper()
	for _, image := range []string{Busybox, Debian, Bare} {
		for _, a := range args {
			if a == image {
				e.image(t, image)
			}
		}
	}
	name := strings.ToLower(fmt.Sprintf("t-%d-%d", os.Getpid(), serial()))
	options := []string{"run", "--detach", "--name", name, "--network", "none", "--stop-timeout", "0"}
	if e.Kind == "podman" { // its own limits are above what this process may set, where that is in a container itself
		options = append(options, "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096")
	}
	e.Do(t, append(options, args...)...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = e.thawing(name, e.command(ctx, "rm", "-f", name).Run) // a test may have removed it; what is left ends with the engine
	})
	return name
}

var (
	serialMu   sync.Mutex
	lastSerial int
)

func serial() int {
	serialMu.Lock()
	defer serialMu.Unlock()
	lastSerial++
	return lastSerial
}

// stop ends the engine with its containers and removes all that it had.
func (e *Engine) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if ids, err := e.command(ctx, "ps", "-aq").Output(); err == nil && len(ids) > 0 {
		_ = e.command(ctx, append([]string{"rm", "-f"}, strings.Fields(string(ids))...)...).Run() // what is left ends with the engine
	}
	_ = e.cmd.Process.Signal(syscall.SIGTERM) // may have ended
	select {
	case <-e.ended:
	case <-ctx.Done():
		_ = e.cmd.Process.Kill() // may have ended
		<-e.ended
	}
	err := remove(e.dir)
	for limit := time.Now().Add(patience); err != nil && time.Now().Before(limit); err = remove(e.dir) {
		time.Sleep(50 * time.Millisecond) // podman tidies up after its containers behind our back
	}
	_ = e.lock.Close() // the folder is gone
	return err
}

// hold locks a folder for as long as this process lives.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir+"/lock", os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close() // somebody else has it
		return nil, err
	}
	return f, nil
}

// removeStale removes what engines of killed processes have left.
func removeStale() {
	dirs, _ := filepath.Glob(prefix + "*") // the pattern is good
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil || time.Since(info.ModTime()) < patience {
			continue // may be on its way to its lock
		}
		if f, err := hold(dir); err == nil {
			_ = remove(dir) // the next one tries again
			_ = f.Close()
		}
	}
}

// endMonitors ends what an engine has left running for its containers. Those of podman
// wait for five minutes after each program, tidy up then, and make the folder anew for it;
// those of a Docker engine that was killed go on. They are known by the folder in their
// command lines.
func endMonitors(dir string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is good
	for _, file := range all {
		line, err := os.ReadFile(file)
		name, _, _ := bytes.Cut(line, []byte{0})
		if err != nil || !bytes.Contains(line, []byte(dir+"/")) || !slices.Contains([]string{"conmon", "podman", "containerd-shim-runc-v2"}, filepath.Base(string(name))) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(file, "/proc/%d/cmdline", &pid); err == nil && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // may have ended
		}
	}
}

// remove ends and unmounts what an engine has left below its folder, and removes
// it.
func remove(dir string) error {
	endMonitors(dir)
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return err
	}
	lines := strings.Split(string(mounts), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		f := strings.Fields(lines[i])
		if len(f) > 1 && strings.HasPrefix(f[1], dir+"/") {
			_ = detach(f[1]) // else the removal fails and says so
		}
	}
	return os.RemoveAll(dir)
}

// Pause freezes a container. It waits until no program is on its way into it: an
// engine (20.10) that is asked to freeze a container in that moment never thaws it.
func (e *Engine) Pause(t testing.TB, container string) {
	t.Helper()
	id := e.Do(t, "inspect", "--format", "{{.Id}}", container)
	for calm := 0; calm < 5; {
		calm++
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			data, _ := os.ReadFile(l) //nolint:gosec // one that has ended is none
			if words := strings.Split(string(data), "\x00"); filepath.Base(words[0]) == "runc" && slices.Contains(words, id) {
				calm = 0
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	e.Do(t, "pause", container)
}
