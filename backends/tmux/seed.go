package tmux

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/vt"
)

// Seed asks for the whole state of a pane and hands it to then, on the reading
// goroutine, before any output that the state does not yet hold. With
// scrollback the lines above the screen are included.
func (c *Client) Seed(pane string, scrollback bool, then func(vt.Seed, error)) {
	capture := func(flags ...string) []string {
		argv := append([]string{"capture-pane", "-p"}, flags...)
		if c.version.AtLeast(3, 1) && flags[0] == "-e" {
			argv = append(argv, "-N")
		}
		return append(argv, "-t", pane)
	}
	// The state comes first: it tells how many lines the captures have, and so
	// which of them cannot be the end of a reply however they look.
	commands := [][]string{
		{"display-message", "-p", "-t", pane, vt.SeedFormat},
		capture("-e"),
		capture("-e", "-a", "-q"),
		capture("-P", "-C"),
	}
	if scrollback {
		commands = append(commands, capture("-e", "-S", "-", "-E", "-1"))
	}
	var state vt.Seed
	var bad error
	c.queue(&sequence{
		sure: func(replies [][]string) int {
			switch len(replies) {
			case 1:
				state, bad = vt.ParseSeed(strings.Join(replies[0], "\n"))
				return state.Size.Rows
			// Of the hidden screen (3) nothing is sure: where the pane has grown
			// since, it still has the rows of before.
			case 4:
				return state.History
			}
			return 0
		},
		then: func(replies [][]string, err error) {
			if err == nil {
				err = bad
			}
			if err != nil {
				then(vt.Seed{}, fmt.Errorf("tmux: state of pane %s: %w", pane, err))
				return
			}
			state.Lines = rows(replies[1])
			if state.Alternate {
				state.Saved = rows(replies[2])
			}
			state.Pending = appendUnescaped(nil, []byte(strings.Join(replies[3], "\n")))
			if scrollback {
				state.Scrollback = [][]byte{}
				if state.History > 0 {
					state.Scrollback = rows(replies[4])
				}
			}
			then(state, nil)
		},
	}, commands)
}

func rows(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = []byte(l)
	}
	return out
}

// Resize sets the size of the session's windows as long as no other terminal
// is attached to it; then it is that terminal's.
func (c *Client) Resize(size backends.Size) {
	c.mu.Lock()
	c.size = size
	c.mu.Unlock()
	// The comma is what every version reads.
	c.Queue(nil, []string{"refresh-client", "-C", fmt.Sprintf("%d,%d", size.Cols, size.Rows)})
}

// Size is what Resize was last given, also after the connection has ended; zero
// if it was not.
func (c *Client) Size() backends.Size {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// Continue makes tmux send the output of a pane again that it has paused
// ("pause" notification). What was written meanwhile is lost: seed again.
func (c *Client) Continue(pane string) {
	c.Queue(nil, []string{"refresh-client", "-A", pane + ":continue"})
}
