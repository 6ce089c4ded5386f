package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// Watcher is a terminal that is attached to a session, which is not nod's.
type Watcher struct {
	Name   string // of the terminal: "/dev/pts/3"
	Size   backends.Size
	Active time.Time // of the latest key or mouse event, in whole seconds
	Here   bool      // the pane's window is the one that it shows
}

const watcherFormat = "#{client_control_mode}|#{session_id}|#{window_id}|#{client_activity}|#{client_width}|#{client_height}|#{client_tty}|#{client_name}"

// Watchers lists who is attached to a pane's session, or shows its window from
// another one. Control mode clients without a terminal are no people.
func (c *Client) Watchers(ctx context.Context, pane string) ([]Watcher, error) {
	got := make(chan watching, 1)
	c.Queue(func(replies [][]string, err error) {
		if err != nil {
			got <- watching{err: err}
			return
		}
		w, err := parseWatchers(pane, replies)
		got <- watching{w, err}
	}, []string{"display-message", "-p", "-t", pane, "#{pane_id}|#{session_id}|#{window_id}"},
		[]string{"list-clients", "-F", watcherFormat})
	select {
	case w := <-got:
		return w.all, w.err
	case <-ctx.Done():
		return nil, fmt.Errorf("tmux: list-clients: %w", context.Cause(ctx))
	}
}

type watching struct {
	all []Watcher
	err error
}

func parseWatchers(pane string, replies [][]string) ([]Watcher, error) {
	at := strings.Split(strings.Join(replies[0], ""), "|")
	if len(at) != 3 || at[0] != pane {
		return nil, fmt.Errorf("%w: %s", ErrNoPane, pane)
	}
	var all []Watcher
	for _, line := range replies[1] {
		const fields = 8
		f := strings.SplitN(line, "|", fields)
		if len(f) != fields {
			return nil, fmt.Errorf("tmux: not a client: %q", line)
		}
		if f[0] == "1" && f[6] == "" || f[1] != at[1] && f[2] != at[2] {
			continue
		}
		w := Watcher{Name: f[7], Here: f[2] == at[2]}
		if seconds, err := strconv.ParseInt(f[3], 10, 64); err == nil {
			w.Active = time.Unix(seconds, 0)
		}
		w.Size.Cols, _ = strconv.Atoi(f[4]) // 0 where a client has no size
		w.Size.Rows, _ = strconv.Atoi(f[5])
		all = append(all, w)
	}
	return all, nil
}
