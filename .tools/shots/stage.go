package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"

	"github.com/nod-console/nod/backends/vt"
)

const (
	patience = time.Minute            // for what a scene waits for
	quiet    = 500 * time.Millisecond // without output: the screen is complete
	alone    = 300 * time.Millisecond // between two keys that a hand presses
)

// home is where scenes play: its name is in the pictures.
const home = "/tmp/nod-demo"

// stage is nod in a terminal, with a world around it.
type stage struct {
	socket string // of the tmux server
	model  *script
	nod    *exec.Cmd
	tty    *os.File
	read   chan struct{} // closed when nothing comes any more
	real   *realTerminal // where the operator sees it; nil: in our emulator alone

	mu   sync.Mutex
	term *vt.Terminal
	last time.Time // when something was written
}

// raise sets the stage for a scene and starts nod, in a terminal of others if there is
// one: its answers and its TERM count then, and our emulator only reads along.
func raise(nod string, s scene, real *realTerminal) (st *stage, err error) {
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, fmt.Errorf("%w: scenes play there: remove it, or wait until the other one is over", err)
	}
	st = &stage{socket: fmt.Sprintf("nod-shots-%d", os.Getpid()), read: make(chan struct{}), real: real}
	defer func() {
		if err != nil {
			err = errors.Join(err, st.strike())
		}
	}()
	s.files[".config/nod/config.toml"] = "[tmux]\nsocket = \"" + st.socket + "\"\n[agent]\ndiscover = \"\"\n" + s.config
	s.files[".bashrc"] = "PS1='\\[\\e[32m\\]deploy@web-1\\[\\e[0m\\]:\\w$ '\nHISTFILE=/dev/null\ncd\n"
	for name, text := range s.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return st, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return st, err
		}
	}
	st.nod = exec.Command(nod)
	st.nod.Dir = home
	term, colours := "xterm-256color", "truecolor"
	if real != nil {
		term, colours = real.met.Term, real.met.ColorTerm
	}
	st.nod.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=" + term, "COLORTERM=" + colours,
	}
	if s.replies != nil {
		if st.model, err = serve(s.replies); err != nil {
			return st, err
		}
		st.nod.Env = append(st.nod.Env, "NOD_BASE_URL="+st.model.address, "NOD_MODEL=large")
	}
	ground := vt.RGB(0x10, 0x14, 0x18)
	if s.light {
		ground = vt.RGB(0xff, 0xff, 0xff)
	}
	st.term = vt.New(vt.Size{Cols: s.cols, Rows: s.rows}, vt.Options{
		Background: ground, Foreground: vt.RGB(0x80, 0x80, 0x80),
		Reply: func(p []byte) {
			if real == nil {
				_, _ = st.tty.Write(p) // nod has ended if that fails
			}
		},
	})
	if st.tty, err = pty.StartWithSize(st.nod, &pty.Winsize{Cols: uint16(s.cols), Rows: uint16(s.rows)}); err != nil {
		return st, err
	}
	go st.listen()
	if real != nil {
		go func() { _, _ = io.Copy(st.tty, real.window) }() // it ends with the terminal
	}
	return st, nil
}

func (st *stage) listen() {
	defer close(st.read)
	buf := make([]byte, 64<<10)
	for {
		n, err := st.tty.Read(buf)
		st.mu.Lock()
		_, _ = st.term.Write(buf[:n]) // an emulator takes everything
		st.last = time.Now()
		st.mu.Unlock()
		if st.real != nil {
			_, _ = st.real.conn.Write(buf[:n]) // the picture shows it if it has gone
		}
		if err != nil {
			return
		}
	}
}

// strike ends all that the scene has started, and leaves nothing behind.
func (st *stage) strike() error {
	var errs []error
	if st.tty != nil {
		errs = append(errs, st.nod.Process.Signal(os.Interrupt))
		ended := make(chan struct{})
		go func() { _ = st.nod.Wait(); close(ended) }() // its status is that of an interrupt
		select {
		case <-ended:
		case <-time.After(patience):
			errs = append(errs, errors.New("nod does not end"), st.nod.Process.Kill())
			<-ended
		}
		<-st.read
		errs = append(errs, st.tty.Close())
	}
	if st.model != nil {
		errs = append(errs, st.model.close())
	}
	_ = exec.Command("tmux", "-L", st.socket, "kill-server").Run() // a scene without panes has none
	return errors.Join(append(errs, os.RemoveAll(home))...)
}

// screen is what the terminal shows.
func (st *stage) screen() *vt.Snapshot {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.term.Snapshot()
}

// see waits until all of that is on the screen at once, and nothing has moved for a
// while.
func (st *stage) see(wanted ...string) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		text := st.screen().String()
		st.mu.Lock()
		still := time.Since(st.last) > quiet || spinning.MatchString(text)
		st.mu.Unlock()
		missing := ""
		for _, w := range wanted {
			if !strings.Contains(text, w) {
				missing = w
			}
		}
		if missing == "" && still {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited in vain for %q; the screen is\n%s", missing, text)
		}
	}
}

// took is how long something took, on a card, and what stands behind it.
var took = regexp.MustCompile(`[·✓✗] (\d+(?:\.\d+)? m?s((?: · [0-9.,k]+ \w+)?))`)

// freeze puts the same time in the place of those that the clock has decided.
func (st *stage) freeze() *vt.Snapshot {
	st.mu.Lock()
	defer st.mu.Unlock()
	for y, line := range strings.Split(st.term.Snapshot().String(), "\n") {
		for _, at := range took.FindAllStringSubmatchIndex(line, -1) {
			text := "12 ms" + line[at[4]:at[5]]
			room := utf8.RuneCountInString(line[at[2]:at[3]])
			if n := utf8.RuneCountInString(text); n < room {
				text += strings.Repeat(" ", room-n)
			}
			// Cards are written dimly, with blanks behind them.
			_, _ = fmt.Fprintf(st.term, "\x1b7\x1b[%d;%dH\x1b[0;2m%s\x1b8", y+1, utf8.RuneCountInString(line[:at[2]])+1, text)
		}
	}
	return st.term.Snapshot()
}

// spinning is a screen that never stands still.
var spinning = regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waits for your nod [1-9] s`)

// enter types text and sends it.
func (st *stage) enter(text string) error {
	if _, err := io.WriteString(st.tty, text); err != nil {
		return err
	}
	return st.press("\r")
}

// press presses keys one by one, as a hand does.
func (st *stage) press(keys ...string) error {
	for _, key := range keys {
		time.Sleep(alone)
		if _, err := io.WriteString(st.tty, key); err != nil {
			return err
		}
	}
	return nil
}
