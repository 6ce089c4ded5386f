package mux

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// screen is a program on a terminal of the test.
type screen struct {
	t     testing.TB
	cmd   *exec.Cmd
	file  *os.File
	out   lockedBuffer
	ended chan struct{}
	seen  int
}

// onTerminal runs a program as a terminal's leader, 33 lines of 101 columns.
func onTerminal(t testing.TB, env []string, name string, args ...string) *screen {
	t.Helper()
	s := &screen{t: t, cmd: exec.Command(name, args...), ended: make(chan struct{})}
	s.cmd.Env = append(append(os.Environ(), "TERM=vt220"), env...)
	raw, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 33, Cols: 101})
	check(t, err)
	// The library leaves the descriptor in blocking mode, in which closing it
	// ends no read: a master that keeps the terminal would hold the test.
	fd, err := unix.FcntlInt(raw.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	check(t, err)
	check(t, unix.SetNonblock(fd, true))
	s.file = os.NewFile(uintptr(fd), raw.Name())
	_ = raw.Close() // its copy goes on
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := s.file.Read(buf)
			_, _ = s.out.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
		<-read
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // with all that it started
		_ = s.file.Close()
		<-s.ended
	})
	return s
}

func (f *fixture) terminal(command ...string) *screen {
	return onTerminal(f.t, nil, "ssh", f.args(append([]string{"-tt", "host"}, command...)...)...)
}

func (s *screen) kind(text string) { // types it
	_, err := s.file.WriteString(text)
	check(s.t, err)
}

func (s *screen) resize(rows, cols uint16) {
	conn, err := s.file.SyscallConn()
	check(s.t, err)
	var set error
	check(s.t, conn.Control(func(fd uintptr) {
		set = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: cols})
	}))
	check(s.t, set)
}

// see waits for a text after the last one that was seen.
func (s *screen) see(text string) {
	s.t.Helper()
	give := time.Now().Add(patience)
	for {
		all := s.out.String()
		if i := strings.Index(all[s.seen:], text); i >= 0 {
			s.seen += i + len(text)
			return
		}
		if time.Now().After(give) {
			s.t.Fatalf("no %q on the terminal:\n%q", text, all)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// raw waits until the client has the terminal raw. A stock client may show the
// first output before: what is typed then is the line discipline's, and Ctrl-C
// ends the client alone.
func (s *screen) raw() {
	s.t.Helper()
	conn, err := s.file.SyscallConn()
	check(s.t, err)
	until(s.t, "raw mode", func() bool {
		var modes *unix.Termios
		check(s.t, conn.Control(func(fd uintptr) { modes, err = unix.IoctlGetTermios(int(fd), getTermios) }))
		check(s.t, err)
		return modes.Lflag&(unix.ICANON|unix.ISIG) == 0
	})
}

// end waits for the program's end and returns all it showed.
func (s *screen) end() string {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("does not end; so far:\n%q", s.out.String())
	}
	return fmt.Sprintf("%q code %d", s.out.String(), s.cmd.ProcessState.ExitCode())
}

func checkTerminal(f *fixture) string {
	return f.terminal("echo $TERM $(stty size); exit 5").end()
}

func checkModes(f *fixture) string {
	// Local settings travel: no echo, another interrupt key for the far side.
	s := onTerminal(f.t, nil, "bash", "-c", `stty -ixon -iutf8 quit ^A; "$0" "$@"`,
		"ssh", "-F", "none", "-S", f.socket, "-o", "ProxyCommand=false", "-tt", "host", "stty -a")
	return strings.Replace(s.end(), "\r\nConnection", "\nConnection", 1)
}

func checkResize(f *fixture) string {
	s := f.terminal(`trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done`)
	s.see("ready")
	s.resize(44, 122)
	return s.end()
}

func checkInterrupt(f *fixture) string {
	s := f.terminal(`trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done`)
	s.see("ready")
	s.raw()
	s.kind("\x03")
	return s.end()
}

func checkDisconnect(f *fixture) string {
	s := f.terminal(`echo ready; exec sleep 1000`)
	s.see("ready")
	s.see("\n")
	s.raw()
	s.kind("\r")
	s.see("\n") // its echo, which else may or may not come before the end
	s.kind("~.")
	return s.end()
}

var rekeyHelp = regexp.MustCompile(` ~R +- request rekey\\r\\n`)

func checkEscapes(f *fixture) string {
	s := f.terminal(`stty -echo; echo ready; read x; echo "1:$x"; read x; echo "2:$x"; read x; echo "3:$x"`)
	s.see("ready")
	s.raw()
	s.kind("~~a~.\r") // a literal one, and one that is not at the start
	s.see("1:")
	s.kind("~x\r") // not an escape
	s.see("2:")
	s.kind("~?~\x1a")
	s.see("multiplexed sessions\r\n")
	s.kind("c\r")
	return rekeyHelp.ReplaceAllString(s.end(), "") // x/crypto rekeys by itself only
}

// TestRawFirst: the first output never meets a terminal that is still cooked.
func TestRawFirst(t *testing.T) {
	f := startNod(t, startSSHD(t))
	for range 20 {
		s := f.terminal("echo first")
		if shown := s.end(); !strings.HasPrefix(shown, `"first\r\nShared`) {
			t.Fatal(shown)
		}
	}
}

// checkKeystrokes types a key after each of some sessions. The shell must get
// all of them.
func checkKeystrokes(f *fixture) string {
	s := onTerminal(f.t, []string{"S=" + f.socket}, "bash", "-c",
		`stty -echo; keys=; for i in 1 2 3 4 5 6 7 8; do
			ssh -q -F none -S "$S" -o ProxyCommand=false -tt host true; echo "next $i"
			IFS= read -r -n 1 k; keys=$keys$k
		done; echo "[$keys]"; stty -a | grep -o -e '-\?icanon' -e '-\?echo '`)
	for i, key := range "abcdefgh" {
		s.see(fmt.Sprintf("next %d", i+1))
		s.kind(string(key))
	}
	return s.end()
}

func checkTmux(f *fixture) string {
	private := filepath.Join(f.dir, "tmux")
	tmux := func(args ...string) *exec.Cmd {
		cmd := exec.Command("tmux", append([]string{"-S", private, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "TMUX=", "TERM=vt220")
		return cmd
	}
	check(f.t, tmux("new-session", "-d", "-s", "here", "-x", "101", "-y", "33", "sleep 1000").Run())
	defer func() {
		_ = tmux("kill-server").Run()
		_ = os.Remove(private)
	}()
	s := f.terminal("TMUX= tmux -S " + private + " attach -t here")
	var size string
	until(f.t, "the attached client", func() bool {
		out, _ := tmux("list-clients", "-F", "#{client_width}x#{client_height} #{client_termname}").Output()
		size = string(out)
		return size != ""
	})
	s.raw()
	s.kind("\x02d")
	shown := s.end()
	i := strings.Index(shown, "[detached")
	if i < 0 {
		return shown
	}
	return size + shown[i:]
}

// TestStopAndExit: "ssh -O exit" on both masters ends the sessions with 255
// and removes the socket; "-O stop" removes the socket only.
func TestStopAndExit(t *testing.T) {
	s := startSSHD(t)
	var transcripts [2]string
	for i, start := range []func(testing.TB, *server) *fixture{startNod, startStock} {
		f := start(t, s)
		running := f.terminal("echo ready; exec sleep 1000")
		running.see("ready")
		other := f.terminal("echo ready; read x; exit 9")
		other.see("ready")
		other.raw()
		out := f.ssh("", "-O", "stop", "host").String()
		if _, err := os.Lstat(f.socket); !os.IsNotExist(err) {
			t.Errorf("%s: the socket is still there: %v", f.kind, err)
		}
		other.kind("\r") // goes on
		out += other.end()
		select {
		case <-f.ended:
			t.Errorf("%s: ended by stop", f.kind)
		default:
		}
		_ = running.cmd.Process.Signal(syscall.SIGKILL)

		g := start(t, s)
		running = g.terminal("echo ready; exec sleep 1000")
		running.see("ready")
		out += g.ssh("", "-O", "exit", "host").String()
		out += running.end()
		<-g.ended
		if _, err := os.Lstat(g.socket); !os.IsNotExist(err) {
			t.Errorf("%s: the socket is still there: %v", g.kind, err)
		}
		transcripts[i] = g.neutral(f.neutral(out))
		if i == 0 && !errors.Is(g.err, ErrTerminated) {
			t.Errorf("Serve: %v", g.err)
		}
	}
	if transcripts[0] != transcripts[1] {
		t.Errorf("nod:\n%s\nstock:\n%s", transcripts[0], transcripts[1])
	}
}
