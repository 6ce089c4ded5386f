package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends/vt"
)

const (
	cols     = 120
	rows     = 40
	patience = 30 * time.Second       // for what a program is to show
	quiet    = 100 * time.Millisecond // without a byte: a frame is over
)

// running is a program on a terminal, with an emulator that shows what it writes.
type running struct {
	cmd      *exec.Cmd
	tty, own *os.File // the terminal's side, and the program's
	before   unix.Termios
	began    time.Time
	wake     chan struct{}
	gone     chan time.Time

	mu     sync.Mutex
	screen *vt.Terminal
	wrote  []byte
	last   time.Time // of the last bytes
}

func (p *program) start(home string) (*running, error) {
	r := &running{wake: make(chan struct{}, 1), gone: make(chan time.Time, 1)}
	var err error
	if r.tty, r.own, err = pty.Open(); err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	if err := pty.Setsize(r.tty, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		return nil, fmt.Errorf("set the terminal's size: %w", err)
	}
	if r.before, err = r.termios(); err != nil {
		return nil, err
	}
	r.screen = vt.New(vt.Size{Cols: cols, Rows: rows}, vt.Options{
		Reply:      func(b []byte) { _, _ = r.tty.Write(b) }, // a program that has ended needs no answer
		Foreground: vt.RGB(0xd0, 0xd0, 0xd0), Background: vt.RGB(0x10, 0x10, 0x10),
	})
	r.cmd = exec.Command(p.path, p.args...)
	r.cmd.Dir, r.cmd.Env = home+"/"+p.dir, environment(home)
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = r.own, r.own, r.own
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	go r.read()
	r.began = time.Now()
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	go func() {
		_ = r.cmd.Wait() // a signal may have ended it
		r.gone <- time.Now()
	}()
	return r, nil
}

// environment is the same for all, but for its home.
func environment(home string) []string {
	return []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"SHELL=/bin/bash", "TMUX_TMPDIR=" + home, "GIT_CONFIG_GLOBAL=" + home + "/gitconfig",
	}
}

// read feeds the emulator until the terminal is closed.
func (r *running) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := r.tty.Read(buf)
		now := time.Now()
		r.mu.Lock()
		_, _ = r.screen.Write(buf[:n]) // an emulator takes everything
		r.wrote = append(r.wrote, buf[:n]...)
		r.last = now
		r.mu.Unlock()
		select {
		case r.wake <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// look returns the screen, when it last got bytes, and how many it got.
func (r *running) look() (s *vt.Snapshot, last time.Time, wrote int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.screen.Snapshot(), r.last, len(r.wrote)
}

// until waits for a screen, and returns when its last bytes came.
func (r *running) until(within time.Duration, ok func(*vt.Snapshot) bool) (time.Time, error) {
	deadline := time.After(within)
	for {
		s, last, _ := r.look()
		if ok(s) {
			return last, nil
		}
		select {
		case <-r.wake:
		case <-deadline:
			return time.Time{}, fmt.Errorf("not within %v on the screen:\n%s", within, s)
		}
	}
}

// shows waits until all of the texts are on the screen.
func (r *running) shows(texts ...string) (time.Time, error) {
	at, err := r.until(patience, func(s *vt.Snapshot) bool { return has(s, texts) })
	if err != nil {
		err = fmt.Errorf("%s: %q is %w", r.cmd.Path, texts, err)
	}
	return at, err
}

func has(s *vt.Snapshot, texts []string) bool {
	all := s.String()
	return !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(all, t) })
}

// settle waits until nothing has been written for a while.
func (r *running) settle() {
	for {
		_, last, _ := r.look()
		rest := quiet - time.Since(last)
		if rest <= 0 {
			return
		}
		time.Sleep(rest)
	}
}

// press types a key, and returns how long the screen took to be another, and how
// many bytes came until it was quiet again.
func (r *running) press(key string) (time.Duration, int, error) {
	r.settle()
	before, _, had := r.look()
	pressed := time.Now()
	if err := r.write(key); err != nil {
		return 0, 0, err
	}
	at, err := r.until(patience, func(s *vt.Snapshot) bool { return !same(before, s) })
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %q is %w", r.cmd.Path, key, err)
	}
	r.settle()
	_, _, has := r.look()
	return at.Sub(pressed), has - had, nil
}

// answers presses a key until a text is on the screen: one that comes too early may
// be lost. It is in no hurry to press again, since twice may be as good as never.
func (r *running) answers(key, text string) (time.Time, error) {
	for range 3 {
		if err := r.write(key); err != nil {
			return time.Time{}, err
		}
		at, err := r.until(patience/3, func(s *vt.Snapshot) bool { return has(s, []string{text}) })
		if err == nil {
			return at, nil
		}
	}
	return r.shows(text)
}

func (r *running) write(keys string) error {
	if _, err := r.tty.WriteString(keys); err != nil {
		return fmt.Errorf("press %q: %w", keys, err)
	}
	return nil
}

func same(a, b *vt.Snapshot) bool {
	for y := range rows {
		if !slices.Equal(a.Row(y), b.Row(y)) {
			return false
		}
	}
	return true
}

// end does what ends the program, and returns how long that took and what the
// terminal was left with.
func (r *running) end(by func() error) (took time.Duration, modes []string, err error) {
	r.settle()
	begun := time.Now()
	if err := by(); err != nil {
		return 0, nil, err
	}
	select {
	case at := <-r.gone:
		took = at.Sub(begun)
	case <-time.After(patience):
		_ = r.cmd.Process.Kill() // it is reported
		err = fmt.Errorf("%s does not end", r.cmd.Path)
	}
	time.Sleep(quiet) // what it wrote last, and the answer of who looks after it, may still come
	r.settle()
	after, failed := r.termios()
	modes = left(r.wrote)
	if failed == nil && after != r.before {
		modes = append(modes, "stty")
	}
	return took, modes, errors.Join(err, failed, r.tty.Close(), r.own.Close())
}

func (r *running) terminate() error { return r.cmd.Process.Signal(syscall.SIGTERM) }

func (r *running) termios() (unix.Termios, error) {
	t, err := unix.IoctlGetTermios(int(r.own.Fd()), unix.TCGETS)
	if err != nil {
		return unix.Termios{}, fmt.Errorf("read the terminal's settings: %w", err)
	}
	return *t, nil
}
