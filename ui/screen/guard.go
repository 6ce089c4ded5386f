package screen

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// guard is a process that gives the terminal back if this one cannot: after a panic in
// a goroutine that nobody recovers, a fatal error of the runtime, SIGQUIT and SIGKILL.
// It is a shell in a session of its own, so no signal of the terminal reaches it.
//
// A crash waits for it. The pipe to it holds one write at a time (O_DIRECT, one page),
// and the runtime's report of a crash is many: none after the third is written before
// the first was read. So the shell below nod, which takes the terminal's settings
// for its own when nod has ended, finds them restored. After SIGKILL a shell
// restores its own settings, and the guard leaves them to it.
type guard struct {
	pipe *os.File
	sh   *exec.Cmd
}

//go:embed guard.sh
var guardScript string

// over is what the guard is told when it is not needed any more.
const over = "over"

// startGuard guards the terminal at path, whose settings were before and whose modes off
// ends. What a crash prints is kept in the file at report.
func startGuard(path string, before *unix.Termios, off, report string) (g *guard, err error) {
	for _, program := range []string{"dd", "stty", "cat"} { // of the script
		if _, err := exec.LookPath(program); err != nil {
			return nil, err
		}
	}
	tty, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tty.Close()) }()
	in, out, err := crashPipe()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	g = &guard{pipe: out, sh: exec.Command("sh", "-c", guardScript, "nod-guard",
		recoverable(before), strings.ReplaceAll(off, pasteOff, ""), report, pasteOff, strconv.Itoa(session()))}
	g.sh.Dir = "/"
	g.sh.Stdin, g.sh.ExtraFiles = in, []*os.File{tty}
	g.sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := g.sh.Start(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	if err := debug.SetCrashOutput(out, debug.CrashOptions{}); err != nil {
		g.release()
		return nil, err
	}
	return g, nil
}

// release ends the guard: the terminal is given back. One that was killed has ended
// already.
func (g *guard) release() {
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // nothing is opened for it
	g.dismiss()
	_ = g.pipe.Close()
	_ = g.sh.Wait()
}

// dismiss tells the guard that it is not needed, and does not wait for it.
func (g *guard) dismiss() { _, _ = g.pipe.WriteString(over) }

// session is the process that leads this one's session, most often the shell; 0 if
// there is none.
func session() int {
	leader, err := unix.Getsid(0)
	if err != nil {
		return 0
	}
	return leader
}

// settings is what the terminal at path is set to.
func settings(path string) (*unix.Termios, error) {
	fd, err := unix.Open(path, readNow, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd) //nolint:errcheck // it was opened to look
	return unix.IoctlGetTermios(fd, getTermios)
}

// Guard has the terminal given back by another process, should this one end without
// doing so itself, and keeps what a crash prints in the file at report. It holds until
// Suspend or Fini, and is for one Screen of a process.
func (s *Screen) Guard(report string) error {
	before := s.held.Load()
	if before == nil {
		return nil
	}
	g, err := startGuard(s.tty.path, before, *s.off.Load(), report)
	if err != nil {
		return fmt.Errorf("guard the terminal: %w", err)
	}
	s.guard.Store(g)
	return nil
}

// look remembers what the terminal is set to before it is taken over.
func (s *Screen) look() {
	if s.tty == nil || s.tty.path == "" {
		return
	}
	if before, err := settings(s.tty.path); err == nil { // else taking it over fails, too
		s.held.Store(before)
	}
}

// unguard ends the guard, if there is one.
func (s *Screen) unguard() {
	if g := s.guard.Swap(nil); g != nil {
		g.release()
	}
}
