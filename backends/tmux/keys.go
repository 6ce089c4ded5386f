package tmux

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

const (
	// typedAtOnce bounds the bytes in one send-keys command.
	typedAtOnce = 500
	// pastedFrom is how many bytes without a zero among them are worth a buffer:
	// a key costs tmux (3.3a) some 6 µs, a byte of a buffer almost nothing.
	pastedFrom = 4 * typedAtOnce
	// pastedAtOnce bounds the bytes in one buffer, and linedUp the commands in
	// one line (an even number: a buffer is filled and used in the same one):
	// tmux does nothing else while it reads one.
	pastedAtOnce = 16 << 10
	linedUp      = 16
	// typedBuffer is the name of the buffer. It is there only while a line of
	// commands runs.
	typedBuffer = "nod-typed"
)

// InputError says that what is typed at a pane would not reach that pane, or
// not it alone. Nothing has been typed.
type InputError struct {
	Pane string
	Why  string // and what to do
}

// Error implements error.
func (e *InputError) Error() string { return fmt.Sprintf("tmux: pane %s: %s", e.Pane, e.Why) }

// Type sends bytes to a pane exactly as they are, as if they had been typed,
// after leaving copy mode, in which keys would go elsewhere. sent (which may be
// nil) is called on the reading goroutine when tmux has taken them, with an
// *InputError if they would have gone to other panes as well.
func (c *Client) Type(pane string, p []byte, sent func(error)) {
	c.sendKeys(pane, c.typing(pane, p), sent)
}

// Enter is Type, and sets an option of the pane, one that begins with "@". tmux
// does both or neither, also where the connection is lost.
func (c *Client) Enter(pane string, p []byte, option, value string, sent func(error)) {
	c.sendKeys(pane, append(c.typing(pane, p), []string{"set-option", "-p", "-t", pane, option, value}), sent)
}

// typing are the commands that type bytes.
func (c *Client) typing(pane string, p []byte) [][]string {
	paste := "-rd"
	if c.version.Has(RawPaste) {
		paste += "S"
	}
	var commands [][]string
	for len(p) > 0 {
		whole := len(p)
		if zero := bytes.IndexByte(p, 0); zero >= 0 { // which no buffer can hold
			whole = max(zero, 1)
		}
		if whole >= pastedFrom {
			n := min(whole, pastedAtOnce)
			commands = append(commands,
				[]string{"set-buffer", "-b", typedBuffer, "--", string(p[:n])},
				[]string{"paste-buffer", paste, "-b", typedBuffer, "-t", pane})
			p = p[n:]
			continue
		}
		n := min(len(p), typedAtOnce)
		argv := make([]string, 0, n+4)
		argv = append(argv, "send-keys", "-t", pane, "-H")
		for _, b := range p[:n] {
			argv = append(argv, strconv.FormatUint(uint64(b), 16))
		}
		commands = append(commands, argv)
		p = p[n:]
	}
	return commands
}

// Keys sends keys by tmux's names for them: "C-c", "Enter", "Up", "F5".
func (c *Client) Keys(pane string, names []string, sent func(error)) {
	c.sendKeys(pane, [][]string{append([]string{"send-keys", "-t", pane, "--"}, names...)}, sent)
}

// sendKeys sends send-keys commands. Where the pane may be one of several that
// take the same keys, tmux is asked first: the answers, and so the keys, stay
// in order.
func (c *Client) sendKeys(pane string, commands [][]string, sent func(error)) {
	if sent == nil {
		sent = func(error) {}
	}
	if len(commands) == 0 {
		sent(nil)
		return
	}
	send := func() {
		first := c.leaveMode(pane)
		for ; len(commands) > linedUp; commands = commands[linedUp:] {
			c.Queue(nil, append(first, commands[:linedUp]...)...)
			first = nil
		}
		c.Queue(func(_ [][]string, err error) { sent(err) }, append(first, commands...)...)
	}
	if !c.shared && c.version.Has(PaneOptions) {
		send() // nod's panes are not synchronized, see Server.mark
		return
	}
	c.Queue(func(replies [][]string, err error) {
		if err == nil {
			err = takesInput(pane, strings.Join(replies[0], ""))
		}
		if err != nil {
			sent(err)
			return
		}
		send()
	}, []string{"display-message", "-p", "-t", pane, inputFormat})
}

const inputFormat = "#{pane_id}|#{pane_input_off}|#{pane_synchronized}|#{window_panes}"

// takesInput reads the answer to inputFormat.
func takesInput(pane, answer string) error {
	f := strings.Split(answer, "|")
	switch {
	case len(f) != 4 || f[0] != pane:
		return fmt.Errorf("%w: %s", ErrNoPane, pane)
	case f[1] == "1":
		return &InputError{pane, "its input is switched off; switch it on with: tmux select-pane -e -t " + pane}
	case f[2] == "1" && f[3] != "1":
		return &InputError{pane, "synchronize-panes is on, so that what is typed would reach the other panes of its window; " +
			"switch it off with: tmux set-option -w -t " + pane + " synchronize-panes off"}
	}
	return nil
}

// leaveMode is the command that leaves copy mode and does nothing outside it.
// Before 3.2 there is none that could be part of one line: cancelling fails
// outside the mode and would stop the commands behind it.
func (c *Client) leaveMode(pane string) [][]string {
	if c.version.Has(LeaveMode) {
		return [][]string{{"copy-mode", "-q", "-t", pane}}
	}
	c.Queue(nil, []string{"send-keys", "-t", pane, "-X", "cancel"})
	return nil
}
