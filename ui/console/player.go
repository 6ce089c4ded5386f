package console

import (
	"context"
	"time"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/player"
)

// replayIdle is the longest pause that is played as it was.
const replayIdle = 2 * time.Second

// Tape is a recording that can be played.
type Tape struct {
	Name string
	At   time.Duration // where to begin
	// Doubts says in what it is not what was recorded; empty if it is.
	Doubts string
	*recording.Recording
}

func (t Tape) arrive(c *Console) { c.playTape(t) }

// replay loads a recording and plays it in front of everything but dialogs.
func (c *Console) replay(name string) {
	c.background(func(ctx context.Context) {
		tape, err := c.opt.Replay(ctx, name)
		if err != nil {
			c.mail.put(explain("/replay", err))
			return
		}
		c.mail.put(tape)
	})
}

func (c *Console) playTape(t Tape) {
	c.player = player.New(t.Recording, &c.styles, player.Options{Name: t.Name, At: t.At, Idle: replayIdle, Keys: c.opt.Keys})
	if t.Doubts != "" {
		c.chat.Notice("/replay: " + t.Name + ": " + t.Doubts)
	}
	if t.Torn != "" {
		c.chat.Notice("/replay: " + t.Name + ": " + t.Torn + "; what stands before is played")
	}
}

// playerKey handles a key of the player.
func (c *Console) playerKey(name string) {
	cmd, ok := c.opt.Keys.Find(keys.Playing, name)
	switch {
	case !ok:
	case cmd.ID == keys.Redraw:
		c.do(cmd)
	default:
		if _, done := c.player.Do(cmd.ID); done {
			c.player = nil
			c.rearm()
		}
	}
}

// drawPlayer moves the player on and draws it.
func (c *Console) drawPlayer() {
	if c.player == nil {
		return
	}
	_, c.playNext = c.player.Tick(c.now())
	b := c.layout.body
	c.player.Draw(c.screen, b.x, b.y, b.w, b.h)
}
