package console

import (
	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/tour"
)

// guided is the tour that the operator is on.
type guided struct {
	tour   *tour.Tour // nil: none
	typing bool       // the keyboard is in a terminal
}

// beginTour begins the tour, or begins it again.
func (c *Console) beginTour() {
	c.guided = guided{tour: tour.New(tour.Options{
		Folder:   tour.Folder(),
		Terminal: c.opt.Keys.Say(keys.Input, keys.Terminal),
		Palette:  c.opt.Keys.Say(keys.Input, keys.Palette),
	})}
	c.chat.Notice(c.guided.tour.Text())
}

// event tells the tour what a turn told.
func (g *guided) event(e agent.Event) {
	if g.tour != nil {
		g.tour.Event(e)
	}
}

// guide says what comes next on the tour, if a step was done.
func (c *Console) guide(happened ...tour.Happening) {
	g := &c.guided
	if g.tour == nil {
		return
	}
	for _, h := range happened {
		g.tour.Saw(h)
	}
	typing := c.place() == keys.Typing
	if g.typing && !typing {
		g.tour.Saw(tour.Typed)
	}
	g.typing = typing
	if c.turns.busy {
		return // its end is waited for
	}
	if text, ok := g.tour.Next(); ok {
		c.chat.Notice(text)
	}
	if g.tour.Over() {
		c.guided = guided{}
	}
}
