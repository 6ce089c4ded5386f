package tmux

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// A program that ends leaves nothing in the stream, and tmux (3.3a) may even drop
// what it has written last. So somebody has to look: tmux itself once a second,
// where it can be asked to, or else this side.

// paneDied is the notification that a pane's program has ended, in either way.
const paneDied = "pane-died"

// deaths is the subscription to the ends of the programs in a session's panes.
const deaths = "nod-dead"

const (
	// vigilPause is the time between two questions while there is something to
	// hear, and from the last thing that is done there to the next question.
	// vigilIdle is the longest while there is not: nobody looks.
	vigilPause = time.Second
	vigilIdle  = 15 * time.Second
	// vigilShare bounds how much of a slow link's time the questions take: one
	// part in so many. vigilMost bounds the pause that comes of it.
	vigilShare = 20
	vigilMost  = 30 * time.Second
)

// keepVigil has the handler told of the ends of programs.
func (c *Client) keepVigil() {
	if c.version.Has(Subscriptions) {
		c.Queue(nil, []string{"refresh-client", "-B", deaths + ":%*:#{pane_dead}"})
		return
	}
	c.lookAgain(vigilPause, look{})
}

// died reads what the subscription tells: "nod-dead $1 @2 0 %3 : 1".
func died(args string) (pane string, died bool) {
	f := strings.Fields(args)
	if len(f) != 7 || f[0] != deaths || f[6] != "1" {
		return "", false
	}
	return f[4], true
}

// look is what the last question was told.
type look struct {
	dead  []string
	heard int64 // when that was, see Client.heard
	pause time.Duration
}

// lookAgain looks for dead panes after a pause.
func (c *Client) lookAgain(pause time.Duration, last look) {
	last.pause = pause
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.vigil = time.AfterFunc(untilSecond(pause), func() { c.lookForDead(last) })
	}
}

// untilSecond is a pause that ends with a second of the clock if it is long: a hundred
// sessions that are each looked at at their own moments wake the processor more often.
func untilSecond(pause time.Duration) time.Duration {
	if pause < vigilIdle {
		return pause
	}
	now := time.Now()
	return now.Add(pause).Round(time.Second).Sub(now)
}

// lookForDead asks which panes are dead, and tells of those that were not.
func (c *Client) lookForDead(last look) {
	c.mu.Lock()
	c.vigil = nil
	c.mu.Unlock()
	pause := vigilPause
	if c.heard.Load() == last.heard {
		pause = min(2*last.pause, vigilIdle)
	}
	asked := time.Now()
	c.Queue(func(replies [][]string, err error) {
		if errors.Is(err, ErrGone) {
			return
		}
		now := look{dead: last.dead, heard: c.heard.Load()}
		if err == nil { // else the session is just ending
			now.dead = slices.DeleteFunc(replies[0], func(pane string) bool { return pane == "" })
		}
		for _, pane := range now.dead {
			if !slices.Contains(last.dead, pane) {
				c.to.Notify(paneDied, pane)
			}
		}
		c.lookAgain(min(max(pause, vigilShare*time.Since(asked)), vigilMost), now)
	}, []string{"list-panes", "-s", "-t", target(c.session) + ":", "-F", "#{?pane_dead,#{pane_id},}"})
}
