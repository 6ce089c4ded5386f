package tmux

import "strconv"

// typedAtOnce bounds the bytes in one send-keys command.
const typedAtOnce = 500

// Type sends bytes to a pane exactly as they are, as if they had been typed,
// after leaving copy mode, in which keys would go elsewhere. sent (which may be
// nil) is called on the reading goroutine when tmux has taken them.
func (c *Client) Type(pane string, p []byte, sent func(error)) {
	commands := c.leaveMode(pane)
	for len(p) > 0 {
		n := min(len(p), typedAtOnce)
		argv := make([]string, 0, n+4)
		argv = append(argv, "send-keys", "-t", pane, "-H")
		for _, b := range p[:n] {
			argv = append(argv, strconv.FormatUint(uint64(b), 16))
		}
		commands = append(commands, argv)
		p = p[n:]
	}
	c.sendKeys(commands, sent)
}

// Keys sends keys by tmux's names for them: "C-c", "Enter", "Up", "F5".
func (c *Client) Keys(pane string, names []string, sent func(error)) {
	argv := append([]string{"send-keys", "-t", pane, "--"}, names...)
	c.sendKeys(append(c.leaveMode(pane), argv), sent)
}

// leaveMode is the command that leaves copy mode and does nothing outside it.
// Before 3.2 there is none that could be part of one line: cancelling fails
// outside the mode and would stop the commands behind it.
func (c *Client) leaveMode(pane string) [][]string {
	if c.version.AtLeast(3, 2) {
		return [][]string{{"copy-mode", "-q", "-t", pane}}
	}
	c.Queue(nil, []string{"send-keys", "-t", pane, "-X", "cancel"})
	return nil
}

func (c *Client) sendKeys(commands [][]string, sent func(error)) {
	if len(commands) == 0 {
		if sent != nil {
			sent(nil)
		}
		return
	}
	c.Queue(func(_ [][]string, err error) {
		if sent != nil {
			sent(err)
		}
	}, commands...)
}
