package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// control is a client of a display's tmux in control mode (tmux(1), CONTROL MODE): a
// story looks at its screen many times a second, and this way no look starts a process.
type control struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// connect attaches a client that neither takes output nor has a say in sizes. It ends
// with its server.
func (s *display) connect() *control {
	s.t.Helper()
	c := &control{cmd: s.command("-C", "attach-session", "-f", "no-output,ignore-size")}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// end is called when the server has ended.
func (c *control) end() {
	_ = c.in.Close()
	_ = c.cmd.Wait() // it fails as its server is gone
}

// quoted is an argument for tmux's parser.
func quoted(arg string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(arg) {
		switch c := arg[i]; {
		case c == '"' || c == '\\' || c == '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f || c == '~': // tmux takes a ~ for a home within quotes, too
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// run runs a command and returns what it prints. It is not safe for concurrent use.
func (c *control) run(args ...string) (string, error) {
	hung := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer hung.Stop()
	var line strings.Builder
	for _, a := range args {
		line.WriteString(quoted(a) + " ")
	}
	if _, err := io.WriteString(c.in, line.String()+"\n"); err != nil {
		return "", err
	}
	var guard string // what the answer's first and last line have in common
	var answer []string
	for {
		got, err := c.out.ReadString('\n')
		if err != nil {
			return "", err
		}
		got = strings.TrimSuffix(got, "\n")
		kind, rest, _ := strings.Cut(got, " ")
		switch {
		case guard == "":
			if kind == "%begin" && strings.HasSuffix(rest, " 1") { // 0: nobody has typed it here
				guard = rest
			}
		case kind == "%end" && rest == guard:
			return strings.Join(answer, "\n"), nil
		case kind == "%error" && rest == guard:
			return "", errors.New(strings.Join(answer, "\n"))
		default:
			answer = append(answer, got)
		}
	}
}

// What a story says to its terminal arrives as if each command were a process of its own.
func TestADisplayIsControlledAsByCommands(t *testing.T) {
	t.Parallel()
	s := openDisplay(t, 60, 20, nil, "cat")
	for _, text := range []string{`it's "$HOME" #{pane_id} ; ~ \`, "äöü 漢字 {a}", "-x", "%end 1 2 1", "~/x\ty"} {
		s.typed(text)
		s.tmux("send-keys", "Enter")
		shown := strings.ReplaceAll(text, "\t", "     ")
		s.see(shown + "\n" + shown)
	}
	out, err := s.command("capture-pane", "-p").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.text(); got != strings.TrimSuffix(string(out), "\n") {
		t.Errorf("in control mode it is\n%s\nand by a command\n%s", got, out)
	}
	if _, err := s.control.run("no-such-command"); err == nil || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("the error is %v", err)
	}
}
