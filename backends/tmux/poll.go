package tmux

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// How often a pane is looked at where tmux does not tell of itself.
const (
	pollOften  = 100 * time.Millisecond
	pollSeldom = time.Second
	// pollFor bounds one command.
	pollFor = 5 * time.Second
)

// polling has single tmux processes do what a control mode client is asked for.
type polling struct {
	session string
	kick    chan struct{}
	seen    map[string]string // what each pane showed last
}

func (p *polling) wake() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// Poll gives a Client for a session of a server whose control mode does not
// work. Commands, keys and seeds are the same on it, in the same order, each by
// a tmux process of its own. There is no output: instead, the notification
// "screen-changed" says that a pane shows something else, which is looked for
// ten times a second, and less often while nothing changes.
func (s *Server) Poll(ctx context.Context, session string, to Handler) *Client {
	c := newClient(ctx, s, to)
	c.shared = true // it is not known whose the panes are
	c.plain = &polling{session: session, kick: make(chan struct{}, 1), seen: map[string]string{}}
	close(c.attached)
	go c.poll()
	return c
}

// Polls reports whether the client is one of [Server.Poll].
func (c *Client) Polls() bool { return c.plain != nil }

// poll is the one goroutine of such a client.
func (c *Client) poll() {
	pause := pollOften
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-c.life.Done():
			c.end(ErrGone)
			return
		case <-c.plain.kick:
			if c.work() {
				pause = pollOften // what was typed will show
				timer.Reset(pause)
			}
		case <-timer.C:
			changed, err := c.glance()
			if err != nil && c.life.Err() == nil {
				c.end(fmt.Errorf("%w: %w", ErrGone, err))
				return
			}
			if pause = min(2*pause, pollSeldom); changed {
				pause = pollOften
			}
			timer.Reset(pause)
		}
	}
}

// work does what has been asked for. It reports whether something was typed.
func (c *Client) work() (typed bool) {
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.mu.Unlock()
			return typed
		}
		q := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		for _, argv := range q.argv {
			typed = typed || argv[0] == "send-keys"
		}
		var err error
		q.replies, err = c.run(q.argv)
		for i := range q.replies {
			if q.sure != nil {
				q.sure(q.replies[:i]) // reads the replies so far
			}
		}
		q.finish(err)
	}
}

// run runs commands as one, and tells their replies apart.
func (c *Client) run(commands [][]string) (replies [][]string, err error) {
	between := "nod-" + rand.Text()
	var args []string
	for i, argv := range commands {
		if i > 0 {
			args = append(args, ";", "display-message", "-p", between, ";")
		}
		for _, a := range argv {
			args = append(args, escapeLast(a))
		}
	}
	ctx, cancel := context.WithTimeout(c.life, pollFor)
	defer cancel()
	out, err := c.server.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(string(out), between+"\n") {
		var lines []string
		if part != "" {
			lines = strings.Split(strings.TrimSuffix(part, "\n"), "\n")
		}
		replies = append(replies, lines)
	}
	if len(replies) != len(commands) {
		return nil, fmt.Errorf("tmux: %s: %d answers to %d commands", clip(commandLine(args)), len(replies), len(commands))
	}
	return replies, nil
}

// glance looks at all panes of the session and tells of those that show
// something else than before.
func (c *Client) glance() (changed bool, err error) {
	ctx, cancel := context.WithTimeout(c.life, pollFor)
	defer cancel()
	panes, err := c.server.Panes(ctx, c.plain.session)
	if err != nil {
		return false, err
	}
	now := map[string]string{}
	for _, p := range panes {
		looks, err := c.run([][]string{
			{"display-message", "-p", "-t", p.ID, "#{cursor_x},#{cursor_y},#{pane_width},#{pane_height},#{history_size},#{pane_dead},#{pane_path}"},
			{"capture-pane", "-p", "-e", "-t", p.ID},
		})
		var refused *CommandError
		if errors.As(err, &refused) {
			continue // it has just ended
		}
		if err != nil {
			return false, err
		}
		now[p.ID] = fmt.Sprint(looks)
		if now[p.ID] != c.plain.seen[p.ID] {
			changed = true
			c.to.Notify("screen-changed", p.ID)
		}
	}
	for id := range c.plain.seen {
		if _, there := now[id]; !there {
			c.to.Notify("window-close", "")
			break
		}
	}
	c.plain.seen = now
	return changed, nil
}
