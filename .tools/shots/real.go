package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// program is a terminal of others that the pictures are judged by.
type program struct {
	name string
	// argv starts it with a screen of that size and ground, and lets it run a command. The
	// folder is for files of its own.
	argv func(folder string, s size, c colours) []string
	// wayland is true for a terminal that needs a compositor.
	wayland bool
	// text is what the terminal itself says that it shows; nil if it cannot be asked.
	text func(*realTerminal) (string, error)
}

type size struct{ cols, rows int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.cols, s.rows) }

// colours are the ground and the text of a terminal, as #rrggbb.
type colours struct{ ground, text string }

var (
	darkColours  = colours{"#101418", "#c8ccd0"}
	lightColours = colours{"#ffffff", "#202428"}
)

// programs are the terminals, each with what its manual says of size and colours:
// xterm(1), kitty.conf(5), alacritty(5), foot(1).
func programs() []program {
	return []program{
		{name: "xterm", text: printed, argv: func(folder string, s size, c colours) []string {
			return []string{
				"xterm", "-xrm", "XTerm*printerCommand: cat > printed", "-xrm", "XTerm*printerAutoClose: true", "-xrm", "XTerm*printAttributes: 0", "-geometry", s.String() + "+0+0", "-bg", c.ground, "-fg", c.text, "-fa", "DejaVu Sans Mono", "-fs", "9",
				"-b", "0", "-bw", "0", "+sb", "-e",
			}
		}},
		{name: "kitty", text: asked, argv: func(folder string, s size, c colours) []string {
			return []string{
				"kitty", "--config", "NONE", "-o", "allow_remote_control=socket-only", "--listen-on", "unix:" + filepath.Join(folder, "control"), "-o", "remember_window_size=no", "-o", "background=" + c.ground, "-o", "foreground=" + c.text,
				"-o", fmt.Sprintf("initial_window_width=%dc", s.cols), "-o", fmt.Sprintf("initial_window_height=%dc", s.rows),
				"-o", "font_size=9", "-o", "font_family=DejaVu Sans Mono", "-o", "window_padding_width=0", "-o", "hide_window_decorations=yes", "-o", "update_check_interval=0",
				"-o", "confirm_os_window_close=0",
			}
		}},
		{name: "alacritty", argv: func(folder string, s size, c colours) []string {
			return []string{
				"alacritty", "--config-file", "/dev/null", "-o", fmt.Sprintf("window.dimensions.columns=%d", s.cols),
				"-o", fmt.Sprintf("window.dimensions.lines=%d", s.rows), "-o", "window.position.x=0", "-o", "window.position.y=0",
				"-o", "colors.primary.background='" + c.ground + "'", "-o", "colors.primary.foreground='" + c.text + "'",
				"-o", "font.size=8", "-o", "font.normal.family=DejaVu Sans Mono", "-o", "window.decorations=none", "-e",
			}
		}},
		{name: "foot", wayland: true, argv: func(folder string, s size, c colours) []string {
			return []string{
				"foot", "--config=/dev/null", "--window-size-chars=" + s.String(), "--font=DejaVu Sans Mono:size=8",
				"-o", "colors.background=" + c.ground[1:], "-o", "colors.foreground=" + c.text[1:], "-o", "csd.preferred=none", "-o", "pad=0x0",
			}
		}},
	}
}

// realTerminal is a terminal of others on a display of its own, with this program's
// bridge in it.
type realTerminal struct {
	display string
	window  *bufio.Reader // what is typed there, and what the terminal answers
	conn    net.Conn
	met     greeting
	started []*exec.Cmd
	folder  string
}

// greeting is what the bridge says of the terminal that it runs in.
type greeting struct {
	Cols, Rows      int
	Term, ColorTerm string
}

// open starts a terminal and waits until its bridge has called.
func (p program) open(s size, c colours) (r *realTerminal, err error) {
	r = &realTerminal{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", p.name, err), r.close())
		}
	}()
	if r.folder, err = os.MkdirTemp("", "nod-shots-"); err != nil {
		return r, err
	}
	listener, err := net.Listen("unix", filepath.Join(r.folder, "bridge"))
	if err != nil {
		return r, err
	}
	defer func() { _ = listener.Close() }() // one call is all it is for
	if err := r.raiseDisplay(); err != nil {
		return r, err
	}
	env := append(os.Environ(), "DISPLAY="+r.display, "XDG_RUNTIME_DIR="+r.folder, "LIBGL_ALWAYS_SOFTWARE=1", "LANG=C.UTF-8",
		"XDG_CONFIG_HOME="+r.folder, "XDG_CACHE_HOME="+r.folder)
	if p.wayland {
		if err := r.raiseCompositor(env); err != nil {
			return r, err
		}
		env = append(env, "WAYLAND_DISPLAY="+compositorSocket)
	}
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	argv := append(p.argv(r.folder, s, c), self, "-bridge", listener.Addr().String(), "-cells", s.String())
	if err := r.start(env, argv...); err != nil {
		return r, err
	}
	if err := listener.(*net.UnixListener).SetDeadline(time.Now().Add(patience)); err != nil {
		return r, err
	}
	if r.conn, err = listener.Accept(); err != nil {
		return r, fmt.Errorf("%q has not started a program: %w", argv[0], err)
	}
	r.window = bufio.NewReader(r.conn)
	line, err := r.window.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r.met); err != nil {
		return r, err
	}
	if got := (size{r.met.Cols, r.met.Rows}); got != s {
		return r, fmt.Errorf("it has %v cells, not %v", got, s)
	}
	return r, nil
}

// start starts a program that ends with the terminal. What it writes is thrown away:
// graphical programs complain of much that a display in memory does not have.
func (r *realTerminal) start(env []string, argv ...string) error {
	c := exec.Command(argv[0], argv[1:]...)
	c.Env, c.Dir = env, r.folder
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := c.Start(); err != nil {
		return err
	}
	r.started = append(r.started, c)
	return nil
}

// raiseDisplay starts an X server in memory. It chooses a free number itself and says
// it when it is ready (Xserver(1), -displayfd).
func (r *realTerminal) raiseDisplay() error {
	ready, says, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = ready.Close() }() // only read
	c := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "2000x1300x24", "-nolisten", "tcp")
	c.ExtraFiles = []*os.File{says}
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	err = c.Start()
	_ = says.Close() // the server has its own
	if err != nil {
		return err
	}
	r.started = append(r.started, c)
	number, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the X server has not said its number: %w", err)
	}
	r.display = ":" + strings.TrimSpace(number)
	return nil
}

const compositorSocket = "wayland-shots"

// raiseCompositor starts a Wayland compositor in a window of the display, for terminals
// that do not speak X.
func (r *realTerminal) raiseCompositor(env []string) error {
	config := filepath.Join(r.folder, "weston.ini")
	text := "[core]\nidle-time=0\n[shell]\npanel-position=none\nbackground-color=0xff000000\nanimation=none\nstartup-animation=none\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	err := r.start(env, "weston", "--backend=x11-backend.so", "--width=2000", "--height=1300", "--config="+config, "--socket="+compositorSocket)
	if err != nil {
		return err
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(r.folder, compositorSocket)); err == nil {
			return nil
		}
	}
	return errors.New("the compositor does not answer")
}

// photograph writes what is on the display to a file, without the black around it.
func (r *realTerminal) photograph(file string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "import", "-display", r.display, "-window", "root", "-trim", "+repage", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("import: %w: %s", err, out)
	}
	return nil
}

// printed is what xterm prints of its screen, by the printer that it was given (ctlseqs,
// "Media Copy"). It prints U+FFFF for the second cell of a wide character.
func printed(r *realTerminal) (string, error) {
	if _, err := io.WriteString(r.conn, "\x1b[i"); err != nil {
		return "", err
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(r.folder, "printed"))
		if err == nil && strings.Count(string(text), "\n") >= r.met.Rows {
			return strings.ReplaceAll(string(text), "\uffff", ""), nil
		}
		if time.Now().After(end) {
			return "", errors.Join(fmt.Errorf("it has printed %q", text), err)
		}
	}
}

// asked is what kitty answers to its remote control.
func asked(r *realTerminal) (string, error) {
	c := exec.Command("kitty", "@", "--to", "unix:"+filepath.Join(r.folder, "control"), "get-text", "--extent=screen")
	text, err := c.Output()
	return string(text), err
}

// close ends the terminal and all that was started for it, the last first.
func (r *realTerminal) close() error {
	if r.conn != nil {
		_ = r.conn.Close() // the bridge ends, and the terminal with it
	}
	for i := len(r.started) - 1; i >= 0; i-- {
		c := r.started[i]
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		ended := make(chan struct{})
		go func() { _ = c.Wait(); close(ended) }() // its status is that of a signal
		select {
		case <-ended:
		case <-time.After(patience):
			_ = c.Process.Kill()
			<-ended
		}
	}
	return os.RemoveAll(r.folder)
}

// stty asks or sets the terminal that this program runs in.
func stty(args ...string) ([]byte, error) {
	c := exec.Command("stty", args...)
	c.Stdin = os.Stdin
	return c.Output()
}

// bridge is what runs in the terminal: it joins it with the scene, once the terminal
// has so many cells (some begin with another size).
func bridge(socket, cells string) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	if _, err := stty("raw", "-echo"); err != nil {
		return err
	}
	met := greeting{Term: os.Getenv("TERM"), ColorTerm: os.Getenv("COLORTERM")}
	for end := time.Now().Add(patience / 2); ; time.Sleep(10 * time.Millisecond) {
		measured, err := stty("size")
		if err != nil {
			return err
		}
		if _, err := fmt.Sscan(string(measured), &met.Rows, &met.Cols); err != nil {
			return err
		}
		if (size{met.Cols, met.Rows}).String() == cells || time.Now().After(end) {
			break
		}
	}
	hello, err := json.Marshal(met)
	if err != nil {
		return err
	}
	if _, err := conn.Write(append(hello, '\n')); err != nil {
		return err
	}
	go func() { _, _ = io.Copy(conn, os.Stdin) }() // it ends with the process
	_, err = io.Copy(os.Stdout, conn)
	return err
}
