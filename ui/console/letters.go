package console

import (
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
)

// letter is what another goroutine has for the pump. What it changes, it changes when it
// arrives. Those of one part of the screen are with that part.
type letter interface {
	arrive(c *Console)
}

// onPump is a letter that does something on the pump.
type onPump func(c *Console)

func (l onPump) arrive(c *Console) { l(c) }

// Letters of a turn.
type (
	turnEvent struct{ event agent.Event }
	turnEnded struct{ err error }
	unsteered struct{ text string } // the turn is over already
)

func (l turnEvent) arrive(c *Console) { c.turnEvent(l.event) }
func (l turnEnded) arrive(c *Console) { c.ended(l.err) }
func (l unsteered) arrive(c *Console) { c.unsteer(l.text) }

// Letters that the chat shows.
type (
	prompted struct{ text string } // said in an earlier conversation
	noted    struct{ text string }
	failed   struct{ text, hint string }
	cleared  struct{}
	offered  struct{ resume *Resume }
)

func (l prompted) arrive(c *Console) { c.chat.Prompt(l.text, false) }
func (l noted) arrive(c *Console)    { c.chat.Notice(l.text) }
func (l failed) arrive(c *Console)   { c.chat.Fault(l.text, l.hint) }

func (cleared) arrive(c *Console) {
	c.chat.Clear()
	c.context = 0
	c.askRuns()
}

func (l offered) arrive(c *Console) { c.opt.Resume = l.resume }

// Letters about what holds at the moment.
type (
	postured struct{ posture string }
	modelled struct{ model ModelStatus }
	targeted struct{ target TargetStatus }
	relisted struct{}
	alarmed  struct {
		text  string
		grave bool
	}
)

func (l postured) arrive(c *Console) {
	c.status.Posture, c.window = l.posture, time.Time{}
	c.chat.Notice("posture: " + l.posture)
}

func (l modelled) arrive(c *Console) {
	c.status.Model, c.status.Limit, c.context = l.model.Name, l.model.Limit, l.model.Context
	c.chat.Notice("model: " + l.model.Name + ", from the next request on")
}

func (l targeted) arrive(c *Console) { c.status.TargetStatus = l.target }

func (relisted) arrive(c *Console) {
	if c.picker != nil {
		c.picker.Set(c.opt.Targets.List())
	}
	c.approval.linked(c)
}

func (l alarmed) arrive(c *Console) { c.sound(l) }

// Letters about terminals.
type (
	paneAdded struct{ pane Pane }
	paneGone  struct{ id string }
)

func (l paneAdded) arrive(c *Console) {
	c.addPane(l.pane)
	c.settle()
	c.meetTerminal()
}

func (l paneGone) arrive(c *Console) {
	c.removePane(l.id)
	c.settle()
	c.approval.changed(c, l.id)
}

// Letters about what waits for the operator, or was approved.
type (
	voided    struct{ request, why string }
	reverting struct{ news agent.Reverting }
	looked    struct {
		request string
		held    bool // it comes of a held run
		found   []policy.Look
	}
)

func (l voided) arrive(c *Console)    { c.approval.void(l.request, l.why) }
func (l reverting) arrive(c *Console) { c.reverting(l.news) }
func (l looked) arrive(c *Console)    { c.approval.looked(l) }

// panicked says that something panicked that the console had started.
type panicked struct {
	value any
	stack []byte
}

func (l panicked) arrive(c *Console) { c.crash = &PanicError{l.value, l.stack} }
