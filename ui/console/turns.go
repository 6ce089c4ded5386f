package console

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/keys"
)

// turns runs one turn at a time and keeps the prompts that wait. It belongs to
// the pump; the turn itself has a goroutine and answers by mail.
type turns struct {
	busy        bool
	began       time.Time
	interrupted bool
	told        bool // the turn said that it is done
	cancel      context.CancelFunc
	queue       []string
	steering    []string // what the turn has been told, and has not taken in yet
}

// submit runs a prompt now, or after those before it.
func (c *Console) submit(prompt string) {
	if c.turns.busy {
		c.turns.queue = append(c.turns.queue, prompt)
		c.chat.Prompt(prompt, true)
		return
	}
	c.chat.Prompt(prompt, false)
	c.begin(prompt)
}

func (c *Console) begin(prompt string) {
	c.runTurn(func(ctx context.Context) error {
		if command, ok := keys.OwnCommand(prompt); ok && c.opt.Command != nil {
			return c.opt.Command(ctx, command, c.sink)
		}
		return c.opt.Submit(ctx, prompt, c.sink)
	})
}

// sink takes a turn's events. It is called by the turn's goroutine.
func (c *Console) sink(e agent.Event) { c.mail.put(turnEvent{e}) }

// runTurn runs a turn, or something else that nothing may run beside.
func (c *Console) runTurn(run func(ctx context.Context) error) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.turns = turns{busy: true, began: c.now(), cancel: cancel, queue: c.turns.queue}
	c.spawn(func() {
		defer cancel()
		c.mail.put(turnEnded{run(ctx)})
	})
}

// interrupt ends the turn. What waits goes back to where it was written.
func (c *Console) interrupt() {
	c.turns.interrupted = true
	c.turns.cancel()
	c.takeBack()
}

// takeBack puts what waits back to where it was written.
func (c *Console) takeBack() {
	c.turns.queue = nil
	texts := append(c.turns.steering, c.chat.DropQueue()...)
	c.turns.steering = nil
	if len(texts) == 0 {
		return
	}
	if !c.input.Empty() {
		texts = append(texts, c.input.Text())
	}
	c.input.Set(strings.Join(texts, "\n"))
}

// ended takes note of a turn's end and begins the next one.
func (c *Console) ended(err error) {
	t := c.turns
	c.turns = turns{queue: t.queue}
	for _, text := range t.steering { // the turn was over before it could be told
		c.turns.queue = append(c.turns.queue, text)
		c.chat.Prompt(text, true)
	}
	if !t.told {
		ending := agent.Failed
		if t.interrupted {
			ending = agent.Interrupted
		}
		c.chat.Event(agent.Done{Ending: ending})
	}
	if err != nil && !(t.interrupted && errors.Is(err, context.Canceled)) {
		c.chat.Fault(err.Error(), "")
	}
	c.guide()
	if c.now().Sub(t.began) > announceAfter {
		c.announce("the turn has ended")
	}
	if len(c.turns.queue) > 0 {
		next := c.turns.queue[0]
		c.turns.queue = c.turns.queue[1:]
		c.chat.Dequeue()
		c.begin(next)
	}
}

// announceAfter is how long a turn lasts at least for its end to be announced.
const announceAfter = 3 * time.Second

// RunEnded tells of the end of a command that went on after its call. It never
// blocks.
func (c *Console) RunEnded(e agent.RunEnded) { c.mail.put(turnEvent{e}) }

// background runs one of the program's callbacks outside of turns.
func (c *Console) background(run func(ctx context.Context)) { c.spawn(func() { run(c.ctx) }) }
