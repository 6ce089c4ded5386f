package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
)

const testSecrets = "*.key\n/etc/shadow\n**/.ssh/*\n!**/.ssh/config\n"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// somebody is this machine as an ordinary user sees it.
type somebody struct{ backends.Target }

const userID = "65534"

func (s somebody) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	c.Argv = append([]string{"setpriv", "--reuid=" + userID, "--regid=" + userID, "--clear-groups", "--"}, c.Argv...)
	return s.Target.Exec(ctx, c)
}

// scene is a target, a folder that its user can write, and a cage with one wall.
type scene struct {
	target backends.Target
	dir    string
	cage   *Cage
	root   bool
}

// eachScene runs f behind Landlock and read-only mounts as root, and behind system calls and
// read-only mounts as an ordinary user; with NOD_E2E=1 the others the other way round, too.
func eachScene(t *testing.T, f func(t *testing.T, s scene)) {
	for _, user := range []string{"root", "user"} {
		if user == "root" && os.Getuid() != 0 {
			continue
		}
		for _, wall := range []Wall{Landlock, SystemCalls, ReadOnlyMounts} {
			if (user == "root") == (wall == SystemCalls) && wall != ReadOnlyMounts && os.Getuid() == 0 && os.Getenv("NOD_E2E") == "" {
				continue
			}
			t.Run(user+", "+wall.String(), func(t *testing.T) {
				s := newScene(t, user == "root")
				if s.cage.wall == SystemCalls && wall == Landlock {
					t.Skip("this kernel has no Landlock")
				}
				s.cage.wall = wall
				f(t, s)
			})
		}
	}
}

func newScene(t *testing.T, root bool) scene {
	t.Helper()
	home, err := os.MkdirTemp("/tmp", "nod-confine")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	s := scene{dir: filepath.Join(home, "d"), root: root}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.target = local.New([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir})
	if !root && os.Getuid() == 0 {
		id, _ := strconv.Atoi(userID)
		for _, d := range []string{home, s.dir} {
			if err := os.Chown(d, id, id); err != nil {
				t.Fatal(err)
			}
		}
		s.target = somebody{s.target}
	}
	if s.cage, err = Install(t.Context(), s.target, testSecrets); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.cage.Remove(context.Background(), s.target); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Dir(s.cage.run[0])); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind", s.cage.run[0])
		}
	})
	return s
}

type result struct {
	out, complaints string
	outcome         backends.Outcome
}

func (s scene) run(t *testing.T, argv ...string) result {
	t.Helper()
	var out, complaints bytes.Buffer
	p, err := s.target.Exec(t.Context(), backends.Command{Argv: argv, Dir: s.dir, Stdin: strings.NewReader("one\ntwo\n"), Stdout: &out, Stderr: &complaints})
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return result{out.String(), complaints.String(), o}
}

func (s scene) plain(t *testing.T, line string) result {
	t.Helper()
	return s.run(t, "sh", "-c", line)
}

func (s scene) held(t *testing.T, line string) result {
	t.Helper()
	return s.run(t, s.cage.Wrap([]string{"sh", "-c", line}, Hold{Wall: s.cage.wall, Grants: "", Limits: Modest})...)
}

// deed is something that changes the world, and how that is seen. In both, $T is the
// port of a listener, $V the id of a process of the same user, $W another terminal of theirs.
type deed struct {
	name     string
	do       string
	seen     string // succeeds if it was done; empty: the deed prints DONE itself
	onlyRoot bool
}

var deeds = []deed{
	{name: "make a file", do: "echo x > new", seen: "test -e new"},
	{name: "append", do: "echo x >> old", seen: "test $(wc -c < old) -gt 4"},
	{name: "truncate", do: ": > old", seen: "test ! -s old"},
	{name: "truncate by name", do: "truncate -s 0 old", seen: "test ! -s old"},
	{name: "truncate while reading", do: `perl -MFcntl -e 'sysopen F, "old", O_RDONLY|O_TRUNC'`, seen: "test ! -s old"},
	{name: "overwrite in place", do: "dd if=/dev/zero of=old bs=1 count=2 conv=notrunc", seen: "test \"$(cat old)\" != old"},
	{name: "write through a map", do: `python3 -c 'import mmap;f=open("old","r+b");m=mmap.mmap(f.fileno(),3);m[0]=65'`, seen: "test \"$(cat old)\" != old"},
	{name: "remove", do: "rm -f old", seen: "test ! -e old"},
	{name: "rename", do: "mv old other", seen: "test -e other"},
	{name: "link", do: "ln old other", seen: "test -e other"},
	{name: "symbolic link", do: "ln -s old other", seen: "test -L other"},
	{name: "folder", do: "mkdir new", seen: "test -d new"},
	{name: "remove a folder", do: "rmdir folder", seen: "test ! -d folder"},
	{name: "pipe with a name", do: "mkfifo new", seen: "test -p new"},
	{name: "socket with a name", do: `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0);bind(S,sockaddr_un("new"))'`, seen: "test -S new"},
	{name: "mode", do: "chmod 777 old", seen: "test $(stat -c %a old) = 777"},
	{name: "times", do: "touch -d 2001-01-01 old", seen: "test $(stat -c %Y old) -lt 1000000000"},
	{name: "owner", do: "chown 1 old", seen: "test $(stat -c %u old) = 1", onlyRoot: true},
	{name: "extended attribute", do: `python3 -c 'import os;os.setxattr("old","user.x",b"1")'`, seen: `python3 -c 'import os;os.getxattr("old","user.x")'`},
	{name: "by a descriptor of /proc", do: "exec 4<old; echo x >> /proc/self/fd/4", seen: "test $(wc -c < old) -gt 4"},
	{name: "unnamed file with a name later", do: `python3 -c 'import os,subprocess as s;f=os.open(".",os.O_TMPFILE|os.O_RDWR);s.run(["ln","-L","/proc/self/fd/%d"%f,"new"],pass_fds=[f])'`, seen: "test -e new"},
	{name: "connect", do: `bash -c 'exec 3<>/dev/tcp/127.0.0.1/$T && echo DONE'`},
	{name: "listen", do: `python3 -c 'import socket;s=socket.socket();s.bind(("127.0.0.1",0));s.listen();print("DONE")'`},
	{name: "send a datagram", do: `python3 -c 'import socket;s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);s.sendto(b"x",("127.0.0.1",9));print("DONE")'`},
	{name: "unix socket", do: `python3 -c 'import socket;s=socket.socket(socket.AF_UNIX);print("DONE")'`},
	{name: "end of a datagram pair", do: `python3 -c 'import socket;socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM);print("DONE")'`},
	{name: "end another process", do: "kill -KILL $V && echo DONE"},
	{name: "stop another process", do: `python3 -c 'import os,signal;os.kill(int(os.environ["V"]),signal.SIGSTOP);print("DONE")'`},
	{name: "signal by a pidfd", do: `python3 -c 'import os,signal;signal.pidfd_send_signal(os.pidfd_open(int(os.environ["V"])),signal.SIGCONT);print("DONE")'`},
	{name: "limits of another process", do: `prlimit --pid $V --nofile=100:100 && echo DONE`},
	{name: "priority of another process", do: "renice 5 $V && echo DONE"},
	{name: "affinity of another process", do: "taskset -p 1 $V && echo DONE"},
	{name: "memory of another process", do: `python3 -c 'import os;open("/proc/%s/mem"%os.environ["V"],"r+b");print("DONE")'`},
	{name: "trace another process", do: `python3 -c 'import ctypes,os;ctypes.CDLL(None).ptrace(16,int(os.environ["V"]),0,0) or print("DONE")'`},
	{name: "a setting of another process", do: "echo 500 > /proc/$V/oom_score_adj && echo DONE"},
	{name: "another terminal", do: "echo x > $W && echo DONE"},
	{name: "shared memory", do: "ipcmk -M 4096 && echo DONE"},
	{name: "message queue", do: "ipcmk -Q && echo DONE"},
	{name: "exclusive lock", do: "flock -n old echo DONE"},
	{name: "a name space", do: "unshare -Ur echo DONE"},
	{name: "a mount", do: "mount -t tmpfs none folder && umount folder && echo DONE", onlyRoot: true},
	{name: "a device", do: "mknod new c 1 3", seen: "test -c new", onlyRoot: true},
	{name: "a kernel setting", do: "echo $(cat /proc/sys/vm/swappiness) > /proc/sys/vm/swappiness && echo DONE", onlyRoot: true},
	{name: "the name of the host", do: "hostname $(hostname) && echo DONE", onlyRoot: true},
	{name: "another root", do: "chroot / echo DONE", onlyRoot: true},
	{name: "another user", do: "setpriv --reuid=1 --clear-groups echo DONE", onlyRoot: true},
}

// Everything that changes something works plain, and not held.
func TestNothingHeldChangesAnything(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	eachScene(t, func(t *testing.T, s scene) {
		other := s.terminal(t)
		world := func(victim int) string { return fmt.Sprintf("export T=%s V=%d W=%s; ", port, victim, other) }
		for _, d := range deeds {
			if d.onlyRoot && !s.root {
				continue
			}
			t.Run(d.name, func(t *testing.T) {
				reset := "rm -rf * && echo old > old && chmod 644 old && mkdir folder"
				victim := s.victim(t)
				set := world(victim)
				done := func(run func(*testing.T, string) result) (bool, result) {
					s.plain(t, reset)
					got := run(t, set+d.do)
					if d.seen == "" {
						return strings.Contains(got.out, "DONE"), got
					}
					return s.plain(t, set+d.seen).outcome.OK(), got
				}
				if ok, got := done(s.plain); !ok {
					t.Fatalf("it does not work plain: %+v", got)
				}
				if d.do == "kill -KILL $V && echo DONE" {
					victim = s.victim(t)
					set = world(victim)
				}
				if ok, got := done(s.held); ok {
					t.Errorf("it works held: %+v", got)
				}
			})
		}
	})
}

// terminal opens a terminal of the scene's user.
func (s scene) terminal(t *testing.T) string {
	t.Helper()
	reads, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(terminal.Close(), reads.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, user := s.target.(somebody); user {
		id, _ := strconv.Atoi(userID)
		if err := os.Chown(terminal.Name(), id, -1); err != nil {
			t.Fatal(err)
		}
	}
	return terminal.Name()
}

// victim starts a process of the scene's user that does nothing.
func (s scene) victim(t *testing.T) int {
	t.Helper()
	argv := []string{"sleep", "600"}
	if _, user := s.target.(somebody); user {
		argv = append([]string{"setpriv", "--reuid=" + userID, "--regid=" + userID, "--clear-groups", "--"}, argv...)
	}
	c := exec.Command(argv[0], argv[1:]...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()         // with an error, as it was killed
	})
	name := filepath.Join("/proc", strconv.Itoa(c.Process.Pid), "comm")
	until(t, "the process is there", func() bool {
		comm, err := os.ReadFile(name)
		return err == nil && string(comm) == "sleep\n"
	})
	return c.Process.Pid
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// killsItself is a look that works behind Landlock alone: a filter cannot tell whom a
// signal is for.
const killsItself = "kill -TERM $$"

// Looks print the same and end the same, held and not.
func TestLooksAreTheSame(t *testing.T) {
	looks := []string{
		"id", "uname -a", "cat /etc/os-release", "ls -la / | wc -l", "df -P / | wc -l", "env | sort | grep -v '^_='", "pwd", "umask",
		"head -c 300000 /dev/zero | tr '\\0' x", "cat; exit 3", "sort -r", "echo out; echo err >&2; exit 255", "ls /nonexistent 2>/dev/null",
		"echo x > /dev/null && echo y", "grep -r root /etc/passwd | sort | head -n 3", "find /etc -maxdepth 1 -name 'host*' | sort",
		"awk 'BEGIN { while (i < 3) print ++i }'", "python3 -c 'print(sum(range(10)))'", "perl -e 'print 1+1'", "f() { echo $1; }; f a",
		killsItself, "nosuchprogram", "/etc/passwd", "sleep 0 & wait; echo $?", "x=$(date +%Y); echo ${#x}",
		"timeout 5 echo in time", "echo out > /dev/stdout; echo err > /dev/stderr", "(echo a > /dev/stderr) 2>&1 | cat", "echo a > /proc/self/fd/1", "echo b | cat > /dev/fd/1", "ulimit -c", "cat /proc/meminfo | wc -l", "stat -c %a /tmp", "printf '%s\\n' a b | xargs -n 1 echo",
	}
	eachScene(t, func(t *testing.T, s scene) {
		for _, line := range looks {
			if line == killsItself && s.cage.wall != Landlock {
				continue
			}
			t.Run(line, func(t *testing.T) {
				plain, held := s.plain(t, "ulimit -c 0; "+line), s.held(t, line)
				if plain != held {
					t.Errorf("plain %+v\nheld  %+v", plain, held)
				}
			})
		}
	})
}

// The helper says what it refused: of files always, anything else if the command failed.
func TestRefusalsAreTold(t *testing.T) {
	eachScene(t, func(t *testing.T, s scene) {
		for line, want := range map[string]string{
			"echo x > new; true":                          "write new",
			"mkdir new; true":                             "make the folder new",
			"rm old; mkdir new; exit 3":                   "remove old (and 1 more about files)",
			"chmod 600 old || true":                       "change the mode of old",
			"printf x > $(printf 'a\\033[2Jb'); true":     "write a?[2Jb",
			"bash -c 'echo > /dev/tcp/127.0.0.1/9'":       "use the network",
			"bash -c 'echo > /dev/tcp/127.0.0.1/9'; true": "",
			"kill -9 1":                           "",
			"echo x > /dev/null; cat old; exit 4": "",
			"cat nothere":                         "",
		} {
			s.plain(t, "rm -rf * && echo old > old")
			got := s.held(t, line)
			if line == "kill -9 1" && s.cage.wall != Landlock {
				want = "signal a process"
			}
			if told := Refusals(got.complaints); told != want {
				t.Errorf("%s: %q, want %q: %+v", line, told, want, got)
			}
		}
		closed := s.run(t, s.cage.Wrap([]string{"sh", "-c", "echo hidden > /dev/null; cat the.key; true"}, Hold{Wall: s.cage.wall, Grants: Closed, Limits: Modest})...)
		if told := Refusals(closed.complaints); told != "" {
			t.Errorf("a file that is not there: %q", told)
		}
		s.plain(t, "echo hidden > the.key")
		closed = s.run(t, s.cage.Wrap([]string{"sh", "-c", "cat the.key; true"}, Hold{Wall: s.cage.wall, Grants: Closed, Limits: Modest})...)
		if told := Refusals(closed.complaints); told != "read the.key" {
			t.Errorf("a hidden file: %q", told)
		}
	})
	if what := Refusals("x\n" + Refused + "write a\r\n"); what != "write a" {
		t.Errorf("%q", what)
	}
	for _, output := range []string{"", "x", Refused + "write a\nmore\n", "x " + Refused + "y"} {
		if what := Refusals(output); what != "" {
			t.Errorf("%q: %q", output, what)
		}
	}
}

// What the command leaves behind ends with it, whatever session it is in.
func TestNothingIsLeftBehind(t *testing.T) {
	eachScene(t, func(t *testing.T, s scene) {
		got := s.held(t, `sleep 600 & echo $!; setsid sh -c 'sleep 601 & echo $!; wait' & sleep 0; (setsid setsid sleep 602 & echo $!) ; echo done`)
		if !strings.Contains(got.out, "done") {
			t.Fatalf("%+v", got)
		}
		for _, pid := range strings.Fields(strings.ReplaceAll(got.out, "done", "")) {
			until(t, "process "+pid+" has ended", func() bool {
				comm, err := os.ReadFile("/proc/" + pid + "/comm")
				return err != nil || string(comm) != "sleep\n"
			})
		}
	})
}

// A cancelled call ends the held command, too.
func TestACancelledCommandEnds(t *testing.T) {
	eachScene(t, func(t *testing.T, s scene) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.target.Exec(ctx, backends.Command{Argv: s.cage.Wrap([]string{"sh", "-c", "trap 'echo told; exit 9' TERM; echo up; while :; do sleep 0.01; done"}, Hold{Wall: s.cage.wall, Grants: "", Limits: Modest}), Stdout: w})
		if err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 3)
		if _, err := r.Read(line); err != nil || string(line) != "up\n" {
			t.Fatalf("%q, %v", line, err)
		}
		cancel()
		if o, err := p.Wait(); !errors.Is(err, context.Canceled) || o != backends.ExitedWith(9) {
			t.Errorf("%v, %v", o, err)
		}
		for _, f := range []*os.File{r, w} {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// The limits hold.
func TestLimits(t *testing.T) {
	s := newScene(t, os.Getuid() == 0)
	got := s.run(t, s.cage.Wrap([]string{"python3", "-c", "x = bytearray(1 << 29)"}, Hold{Wall: s.cage.wall, Grants: "", Limits: Limits{Memory: 200}})...)
	if !strings.Contains(got.complaints, "MemoryError") {
		t.Errorf("memory: %+v", got)
	}
	got = s.run(t, s.cage.Wrap([]string{"sh", "-c", "while :; do :; done"}, Hold{Wall: s.cage.wall, Grants: "", Limits: Limits{CPU: 1}})...)
	if got.outcome != backends.EndedBy("XCPU") && got.outcome != backends.EndedBy(backends.KILL) {
		t.Errorf("processor time: %+v", got)
	}
}

// A wall that cannot stand is told, and nothing has run.
func TestItFailsClosed(t *testing.T) {
	s := newScene(t, os.Getuid() == 0)
	for _, argv := range [][]string{
		{s.cage.run[0], "X", "-", "-", "echo", "ran"},
		{s.cage.run[0], "L", "-", "z9", "echo", "ran"},
		{s.cage.run[0], "L", "-", "echo"},
	} {
		if got := s.run(t, argv...); got.out != "" || got.outcome != backends.ExitedWith(Failed) || !strings.HasPrefix(got.complaints, Complaint) {
			t.Errorf("%q: %+v", argv, got)
		}
	}
}

func TestWhatTheScriptSays(t *testing.T) {
	for says, wall := range map[string]Wall{
		"landlock=7 seccomp=1 asking=1 uid=0":             Landlock,
		"landlock=0 seccomp=1 asking=1 uid=0":             SystemCalls,
		"landlock=0 seccomp=1 asking=0 uid=0":             None,
		"landlock=0 seccomp=1 asking=0 mounts=1 uid=0":    ReadOnlyMounts,
		"landlock=0 seccomp=1 asking=0 mounts=1 uid=1000": None,
		"landlock=0 seccomp=0 asking=0 mounts=1 uid=0":    None,
		"landlock=5 seccomp=0 asking=0 uid=0":             None,
		"landlock=many":                                   None,
	} {
		for _, held := range []string{"", "\t/proc/7/fd/8"} {
			if at, can, opened, err := parse("/tmp/x/cage\t" + says + held); err != nil || at != "/tmp/x/cage" || can != says || opened != strings.TrimSpace(held) {
				t.Errorf("%q: %q, %q, %q, %v", says, at, can, opened, err)
			}
		}
		var c Cage
		if err := c.read(says, (&installation{}).sent); c.wall != wall || (err == nil) != (wall != None) {
			t.Errorf("%q: %q, %v", says, c.wall, err)
		}
	}
	for _, line := range []string{"", "held", "held\tlandlock=1", "/held landlock=1"} {
		if at, _, _, err := parse(line); err == nil {
			t.Errorf("%q: %q", line, at)
		}
	}
	var none *NotHeldError
	if _, _, _, err := parse("none it is too old"); !errors.As(err, &none) || none.Why != "it is too old" {
		t.Errorf("%v", err)
	}
}

// Where no folder lets programs run, an interpreter runs the helper from memory.
func TestNoFolderToRunIn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	target := inNamespace{local.New(os.Environ())}
	cage, err := Install(t.Context(), target, "")
	if err != nil {
		t.Fatal(err)
	}
	if cage.run[0] != "python3" {
		t.Errorf("it is run by %q", cage.run[0])
	}
	for _, interpreter := range []string{"python3", "perl"} {
		if cage.run, err = fromMemory(interpreter, runtime.GOARCH); err != nil {
			t.Fatal(err)
		}
		s := scene{target: target, dir: "/", cage: cage}
		got := s.held(t, "cat; echo x > /tmp/new || exit 9")
		if got.out != "one\ntwo\n" || got.outcome != backends.ExitedWith(9) && got.outcome != backends.ExitedWith(2) {
			t.Errorf("%s: %+v", interpreter, got)
		}
	}
	if err := cage.Remove(t.Context(), target); err != nil {
		t.Error(err)
	}
}

// inNamespace has every folder that may be written mounted so that nothing can be
// executed there.
type inNamespace struct{ backends.Target }

func (n inNamespace) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	c.Argv = append([]string{"unshare", "-m", "--", "sh", "-c",
		`for d in /dev/shm /tmp /var/tmp "$HOME" "$XDG_RUNTIME_DIR"; do test -d "$d" && mount -t tmpfs -o noexec none "$d"; done; exec "$@"`, "sh"}, c.Argv...)
	return n.Target.Exec(ctx, c)
}

// The built helpers are what their source says: the digests of the sources that they were
// built from are noted, and the compiler that built them makes them again, byte by byte.
// Another compiler must be able to build them, too.
func TestTheHelpersAreFresh(t *testing.T) {
	noted := func(dir, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // the repository's or the test's own
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, program := range []string{"gcc", "aarch64-linux-gnu-gcc"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program)
		}
	}
	dir := t.TempDir()
	if out, err := exec.Command("helper/build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if noted(dir, "sources") != noted("helper", "sources") {
		t.Error("the sources are not those that the helpers were built from: run make generate")
	}
	if now, then := noted(dir, "compiler"), noted("helper", "compiler"); now != then {
		t.Logf("they were built by %s, here is %s: their bytes are not compared", strings.TrimSpace(then), strings.TrimSpace(now))
		return
	}
	for name, built := range map[string][]byte{"cage-amd64": forAMD64, "cage-arm64": forARM64} {
		if noted(dir, name) != string(built) {
			t.Errorf("%s is not what its source makes: run make generate", name)
		}
	}
}

// missing skips a test, or fails it where nothing may be missing.
func missing(t *testing.T, program string) {
	t.Helper()
	if os.Getenv("CI") != "" || os.Getenv("NOD_TEST_ALL") != "" {
		t.Fatalf("%s is missing", program)
	}
	t.Skipf("%s is missing", program)
}

// In a closed cage the files that hold secrets cannot be opened, by whatever name, nor
// devices other than the harmless ones; everything else can, as without it.
func TestAClosedCageHidesSecrets(t *testing.T) {
	eachScene(t, func(t *testing.T, s scene) {
		s.plain(t, "mkdir -p .ssh && echo hidden > the.key && echo hidden > .ssh/id && echo seen > .ssh/config && echo seen > plain && ln -s the.key link && ln -s .ssh folder")
		closed := func(line string) result {
			return s.run(t, s.cage.Wrap([]string{"bash", "-c", line}, Hold{Wall: s.cage.wall, Grants: Closed, Limits: Modest})...)
		}
		for _, line := range []string{
			"cat the.key", "cat THE.KEY", "cat ./the.key", "cat < the.key", "cat link", "cat .ssh/id", "cat folder/id", "cd .ssh && cat id", "cat ~/the.key",
			"cat /proc/self/cwd/the.key", "cat /proc/$PPID/cwd/the.key", "cat /proc/$$/root/$PWD/the.key", "exec 5<.ssh; cat /proc/self/fd/5/id", "exec 5<.ssh; cat /dev/fd/5/id",
			"grep -r hidden .", "head -c 9 the.key | cat", "cp the.key /dev/stdout", `python3 -c 'print(open("the.key").read())'`,
			`python3 -c 'import os;d=os.open(".ssh",os.O_RDONLY);print(os.read(os.open("id",os.O_RDONLY,dir_fd=d),9))'`,
			`python3 -c 'import os;f=os.open("the.key",os.O_PATH);print(os.read(os.open("/proc/self/fd/%d"%f,os.O_RDONLY),9))'`,
			"cat /etc/shadow | sed s/^/hidden/", "echo x > the.key && echo hidden", "rm the.key && echo hidden", "mv the.key other && cat other", "ln the.key other && cat other",
			"cat /proc/1/environ && echo hidden", "cat /proc/$PPID/environ && echo hidden", "cat /proc/kmsg & sleep 0; head -c 1 /dev/kmsg && echo hidden",
		} {
			if got := closed(line); strings.Contains(got.out, "hidden") {
				t.Errorf("%s: %+v", line, got)
			}
		}
		if got := s.plain(t, "cat the.key"); got.out != "hidden\n" {
			t.Errorf("afterwards: %+v", got)
		}
		for line, want := range map[string]string{
			"cat plain folder/config": "seen\nseen\n", "cat /dev/stdin": "one\ntwo\n", "cat <(echo seen)": "seen\n", "cat < plain": "seen\n", "cat /proc/self/fd/0": "one\ntwo\n",
			"exec 5<plain; cat /dev/fd/5; cat /proc/self/fd/5": "seen\nseen\n", "echo lost > /dev/null && echo seen": "seen\n", "echo seen > /dev/stdout; echo x > /dev/stderr": "seen\n", "head -c 3 /dev/zero | wc -c": "3\n",
			"ls .ssh": "config\nid\n", "cd .ssh && cat config": "seen\n", "cat ../d/plain": "seen\n", "cat nothere || echo $?": "1\n", "f=plain; while read l; do echo $l; done <$f": "seen\n",
			"awk '{ print }' plain": "seen\n", `python3 -c 'import json; print(json.dumps([1]))'`: "[1]\n", "find . -name '*.key'": "./the.key\n", "cat /proc/self/status | grep -c ^Name": "1\n",
			"for i in 1 2 3 4 5 6 7 8; do cat plain & done | sort | uniq -c | awk '{ print $1 }'": "8\n",
		} {
			if s.run(t, "bash", "-c", line).out != want {
				continue // the pipe on standard input is another user's
			}
			if got := closed(line); got.out != want {
				t.Errorf("%s: %+v, want %q", line, got, want)
			}
		}
	})
}

// In a pane the helper is called by a short name, with the wall of this kernel.
func TestTheLineOfAPane(t *testing.T) {
	s := newScene(t, os.Getuid() == 0)
	if err := s.cage.name(t.Context(), s.target); err != nil {
		t.Fatal(err)
	}
	s.plain(t, "echo hidden > the.key; echo seen > plain")
	for _, c := range []struct {
		grants, line, out string
		ok                bool
	}{
		{"", "cat plain the.key", "seen\nhidden\n", true},
		{"", "touch new", "", false},
		{"UI", "cat plain", "seen\n", true},
		{Closed, "cat plain", "seen\n", true},
		{Closed, "cat the.key", "", false},
	} {
		got := s.plain(t, s.cage.Prefix(c.grants)+c.line)
		if got.out != c.out || got.outcome.OK() != c.ok {
			t.Errorf("%s%s: %+v", s.cage.Prefix(c.grants), c.line, got)
		}
	}
}

// A helper that was changed or is gone is not run; the keeper installs another one.
func TestAChangedHelperIsNotRun(t *testing.T) {
	for _, remote := range []bool{false, true} {
		t.Run(fmt.Sprintf("remote %v", remote), func(t *testing.T) {
			target := backends.Target(local.New(os.Environ()))
			if remote {
				target = elsewhere{target}
			}
			k := NewKeeper(target, testSecrets)
			cage, err := k.Cage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Dir(strings.Fields(cage.Prefix(""))[0])
			fake := "#!/bin/sh\necho fake\n"
			for _, name := range []string{"cage", "ro", "held"} {
				if err := errors.Join(os.Remove(filepath.Join(dir, name)), os.WriteFile(filepath.Join(dir, name), []byte(fake), 0o700)); err != nil {
					t.Fatal(err)
				}
			}
			s := scene{target: target, dir: "/", cage: cage}
			if got := s.held(t, "echo ran"); remote && (got.outcome != backends.ExitedWith(Failed) || !strings.HasPrefix(got.complaints, Complaint) || got.out != "") {
				t.Errorf("%+v", got)
			}
			if err := k.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s.cage, err = k.Cage(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.held(t, "echo ran"); got.out != "ran\n" {
				t.Errorf("after another installation: %+v", got)
			}
			ro := s.cage.Prefix("")
			if got := s.plain(t, ro+"echo named"); got.out != "named\n" {
				t.Errorf("by its name: %+v", got)
			}
			if err := errors.Join(os.Remove(strings.TrimSpace(ro)), os.WriteFile(strings.TrimSpace(ro), []byte(fake), 0o700)); err != nil { //nolint:gosec // it is to be run
				t.Fatal(err)
			}
			if err := k.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.plain(t, ro+"echo named"); got.out != "named\n" {
				t.Errorf("by a name that was changed: %+v", got)
			}
			if err := errors.Join(k.Close(context.Background()), os.RemoveAll(dir)); err != nil {
				t.Error(err)
			}
			if _, err := k.Cage(t.Context()); err == nil {
				t.Error("it installs again after its end")
			}
		})
	}
}

// elsewhere is this machine by another name.
type elsewhere struct{ backends.Target }

func (elsewhere) Name() string { return "ssh:elsewhere" }

// A target that cannot be reached any more does not fail the end.
func TestTheEndDoesNotNeedTheTarget(t *testing.T) {
	for _, lost := range []error{backends.ErrUnreachable, backends.ErrEnded, nil} {
		there := &losable{Target: local.New(os.Environ())}
		k := NewKeeper(there, testSecrets)
		cage, err := k.Cage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(cage.run[0])) })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		there.lost.Store(&lost)
		if err := k.Close(ctx); err != nil {
			t.Errorf("lost by %v: %v", lost, err)
		}
		cancel()
	}
}

// losable is this machine until it is lost: with an error, or (nil) by not answering any more.
type losable struct {
	backends.Target
	lost atomic.Pointer[error]
}

func (l *losable) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	lost := l.lost.Load()
	switch {
	case lost == nil:
		return l.Target.Exec(ctx, c)
	case *lost == nil:
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return nil, *lost
}

// What a connection that has ended left behind is swept by the next one.
func TestTheNextConnectionSweeps(t *testing.T) {
	target := local.New(os.Environ())
	ended, err := Install(t.Context(), target, "")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, owner := range []string{"1.1.", "0.0.", fmt.Sprintf("%d.", 1<<30)} { // a number given again, and numbers of nobody
		dir := filepath.Join(filepath.Dir(filepath.Dir(ended.run[0])), ".nod-ro."+owner+"test")
		if err := os.CopyFS(dir, os.DirFS(filepath.Dir(ended.run[0]))); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	living, err := Install(t.Context(), target, "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := Install(t.Context(), target, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind: %v", dir, err)
		}
	}
	if err := errors.Join(ended.Check(), living.Check()); err != nil {
		t.Errorf("that of a connection that lives is swept, too: %v", err)
	}
	if err := errors.Join(ended.Remove(t.Context(), target), living.Remove(t.Context(), target), other.Remove(t.Context(), target)); err != nil {
		t.Error(err)
	}
}

// Where the connection stays after nod's end, the helper does, too, until whoever holds the
// connection removes it; the next start there uses it if it is what it was.
func TestTheHelperStaysWithTheConnection(t *testing.T) {
	there := &lasting{Target: elsewhere{local.New(os.Environ())}}
	first, err := Install(t.Context(), there, testSecrets)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(first.run[0])
	if name := filepath.Base(dir); !strings.HasPrefix(name, fmt.Sprintf(".nod-ro.%d.", os.Getpid())) || !strings.Contains(name, ".kept.") {
		t.Errorf("it lies in %s", dir)
	}
	if err := first.Remove(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	next, err := Install(t.Context(), there, testSecrets)
	if err != nil {
		t.Fatal(err)
	}
	s := scene{target: there, dir: "/", cage: next}
	if got := s.held(t, "echo ran"); got.out != "ran\n" || next.run[0] != first.run[0] || there.sent.Load() != 1 {
		t.Errorf("%+v by %s, after %s; sent %d times", got, next.run[0], first.run[0], there.sent.Load())
	}
	for what, change := range map[string]func() *Cage{
		"other secrets": func() *Cage {
			c, err := Install(t.Context(), there, "*.pem\n")
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		"a helper that was changed": func() *Cage {
			if err := errors.Join(os.Remove(first.run[0]), os.WriteFile(first.run[0], []byte("#!/bin/sh\necho fake\n"), 0o700)); err != nil { //nolint:gosec // it is to be run
				t.Fatal(err)
			}
			c, err := Install(t.Context(), there, testSecrets)
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
	} {
		if c := change(); c.run[0] == first.run[0] {
			t.Errorf("%s: the helper of before serves", what)
		}
	}
	there.end(t)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), fmt.Sprintf(".nod-ro.%d.*.kept.*", os.Getpid()))); err != nil || len(left) > 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// lasting is a target whose connection somebody else holds.
type lasting struct {
	backends.Target
	last [][]string
	sent atomic.Int32 // how often a helper was installed
}

func (l *lasting) AtEnd(_ context.Context, argv []string) bool {
	if len(argv) > 0 && !slices.ContainsFunc(l.last, func(have []string) bool { return slices.Equal(have, argv) }) {
		l.last = append(l.last, argv)
		l.sent.Add(1)
	}
	return true
}

// end is the end of the connection.
func (l *lasting) end(t *testing.T) {
	t.Helper()
	for _, argv := range l.last {
		if _, err := printed(t.Context(), l.Target, argv); err != nil {
			t.Error(err)
		}
	}
}

// A held command that may write to folders changes nothing else: not by a link that it makes
// there, not by what it moves there, and it reads no secret and reaches nobody.
func TestFoldersToWriteTo(t *testing.T) {
	for _, root := range []bool{true, false} {
		s := newScene(t, root && os.Getuid() == 0)
		if s.cage.Wall() != Landlock {
			t.Skip("this kernel has no Landlock, which alone can hold it so")
		}
		s.plain(t, "mkdir w x && echo kept > x/file && echo hidden > the.key && chmod 644 x/file && ln -s ../x w/out")
		held := func(line string) result {
			return s.run(t, s.cage.Wrap([]string{"sh", "-c", line}, Hold{Wall: Landlock, Grants: Closed, Limits: Modest, Writable: []string{filepath.Join(s.dir, "w")}})...)
		}
		if got := held("echo one > w/one && mkdir w/d && mv w/one w/d/two && cat w/d/two x/file && rm w/d/two"); got.out != "one\nkept\n" || !got.outcome.OK() {
			t.Errorf("in the folder: %+v", got)
		}
		for _, line := range []string{
			"echo x > x/new", "echo x > w/../x/new", "echo x > w/out/new", "echo x >> w/out/file", "ln -s ../x/file w/l && echo x > w/l",
			"ln x/file w/h && echo x > w/h", "mv x/file w/", "mv w/d x/", "rm -f x/file && test ! -e x/file", "chmod 600 x/file", "touch -d @1 x/file",
			"truncate -s 0 x/file", "mkdir x/d", "mkfifo x/p", "cat the.key", "ln the.key w/k && cat w/k", "cp the.key w/k", "rmdir w/d; mv w x/w",
		} {
			if got := held(line); got.outcome.OK() {
				t.Errorf("%s: %+v", line, got)
			}
		}
		if got := s.plain(t, "cat x/file the.key; ls x; stat -c %a x/file; test $(stat -c %Y x/file) -gt 1 && echo young"); got.out != "kept\nhidden\nfile\n644\nyoung\n" {
			t.Errorf("it has changed: %+v", got)
		}
	}
}
