package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/overview"
)

// Overview is what the overview shows, and how a line is run on many targets.
type Overview struct {
	// Watch tells how all connected targets stand, at once and whenever that has
	// changed, but at most once a second, until ctx ends. Only meanwhile are hosts
	// asked how they do. Approvals are added by the console.
	Watch func(ctx context.Context, told func([]overview.Tile))

	// Look asks each target once how it does, and returns how all stand.
	Look func(ctx context.Context) ([]overview.Tile, error)

	// Broadcast runs a line on several targets: like Command, with one decision for all of
	// them. Nil: that is not possible.
	Broadcast func(ctx context.Context, line string, targets []string, sink agent.Sink) error

	// Type types a line into the terminals of targets, with Enter behind it unless bare: one
	// decision for all of them, and an outcome of each. Nil: that is not possible.
	Type func(ctx context.Context, line string, bare bool, targets []string, sink agent.Sink) error
}

// fleet is the overview while it is shown. It belongs to the pump.
type fleet struct {
	*overview.Overview
	tiles  []overview.Tile // without approvals
	cancel func()          // of Watch
}

// tiled are tiles for the overview.
type tiled struct{ tiles []overview.Tile }

func (l tiled) arrive(c *Console) { c.fleet.tile(c, l.tiles) }

// openOverview shows the overview in front of everything but questions and lists.
func (c *Console) openOverview() {
	if c.fleet != nil {
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.fleet = &fleet{Overview: overview.New(c.now), cancel: cancel}
	c.spawn(func() {
		defer cancel()
		c.opt.Overview.Watch(ctx, func(tiles []overview.Tile) { c.mail.put(tiled{tiles}) })
	})
}

// closeOverview goes back to where the keyboard was. From then on no host is asked.
func (c *Console) closeOverview() {
	c.fleet.cancel()
	c.fleet = nil
	c.rearm()
}

// tile takes over how targets stand.
func (f *fleet) tile(c *Console, tiles []overview.Tile) {
	if f != nil {
		f.tiles = tiles
		f.asked(c)
	}
}

// asked shows on each target's tile what waits for the operator there.
func (f *fleet) asked(c *Console) {
	if f == nil {
		return
	}
	tiles := slices.Clone(f.tiles)
	for _, r := range c.queue.Waiting() {
		for i := range tiles {
			if slices.Contains(r.Action.Targets(), tiles[i].Name) {
				tiles[i].Approvals = append(slices.Clone(tiles[i].Approvals), overview.Approval{ID: r.ID, What: About(r)})
			}
		}
	}
	f.Set(tiles)
}

// tilesKey takes a key for the overview.
func (c *Console) tilesKey(ev *tcell.EventKey, name string) {
	cmd, _ := c.opt.Keys.Find(keys.Tiles, name)
	again, _ := c.opt.Keys.Find(keys.Input, name)
	switch {
	case cmd.ID == keys.Redraw, cmd.ID == keys.Suspend, cmd.ID == keys.Help && len(name) > 1, cmd.ID == keys.Interrupt && c.turns.busy:
		c.do(cmd)
	case c.fleet.Writing():
		c.choose(c.fleet.Key(ev))
	case cmd.ID == keys.Broadcast && c.unready(overview.Broadcast) != "":
		c.fleet.Say(c.unready(overview.Broadcast))
	case cmd.ID == keys.TypeInto && c.unready(overview.Type) != "":
		c.fleet.Say(c.unready(overview.Type))
	case cmd.ID == keys.Inbox && len(c.queue.Waiting()) == 0:
		c.fleet.Say("nothing waits for you")
	case cmd.ID == keys.Help, cmd.ID == keys.Inbox:
		c.do(cmd)
	case cmd.ID == keys.Interrupt, again.ID == keys.Overview && len(name) > 1:
		c.closeOverview()
	case cmd.ID == keys.Timeline:
		c.closeOverview()
		c.do(cmd)
	default:
		c.choose(c.fleet.Do(cmd.ID))
	}
}

// choose does what the operator wants in the overview.
func (c *Console) choose(choice overview.Choice) {
	switch choice.Verb {
	case overview.Close:
		c.closeOverview()
	case overview.Go:
		c.goTo(choice.Names[0])
	case overview.Propose:
		c.closeOverview()
		c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
		c.input.Set(proposal(choice.Names) + c.input.Text())
	case overview.Broadcast, overview.Type:
		c.broadcast(choice)
	}
}

// proposal is the beginning of a prompt; the operator writes to what end.
func proposal(names []string) string {
	all := names[0]
	if n := len(names) - 1; n > 0 {
		all = strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return "Propose one command, to be run on " + all + ", that "
}

// goTo goes to what waits for the operator on a target, or to its terminal.
func (c *Console) goTo(name string) {
	if t := c.fleet.Under(); t != nil && t.Name == name && len(t.Approvals) > 0 {
		c.closeOverview()
		c.queue.Show(t.Approvals[0].ID) // false: it was answered meanwhile
		return
	}
	i := c.panes.main(name)
	if i < 0 {
		c.fleet.Say(name + " has no terminal here yet")
		return
	}
	c.closeOverview()
	c.chat.Unselect()
	c.focus = focus{place: keys.Pane, pane: i, zoom: c.focus.zoom}
}

// main is the first pane of a target, which is the one that everybody uses if there is
// one; -1 if it has none.
func (ps *panes) main(target string) int {
	of := func(p *pane) bool { return p.state.Target == target }
	if i := slices.IndexFunc(ps.all, func(p *pane) bool { return of(p) && p.pane.Main }); i >= 0 {
		return i
	}
	return slices.IndexFunc(ps.all, of)
}

// broadcast runs a line on targets, or types it into their terminals, as a turn: it may be
// asked about, and what comes of it stands in the chat.
func (c *Console) broadcast(choice overview.Choice) {
	if why := c.unready(choice.Verb); why != "" {
		c.fleet.Rewrite(choice, why)
		return
	}
	c.closeOverview()
	c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
	line, names := choice.Line, choice.Names
	if choice.Verb == overview.Type {
		c.chat.Prompt(fmt.Sprintf("type %q  (into %s)", line, overview.Names(names)), false)
		c.runTurn(func(ctx context.Context) error { return c.opt.Overview.Type(ctx, line, choice.Bare, names, c.sink) })
		return
	}
	c.chat.Prompt("!"+line+"  (on "+overview.Names(names)+")", false)
	c.runTurn(func(ctx context.Context) error { return c.opt.Overview.Broadcast(ctx, line, names, c.sink) })
}

// unready says why nothing can be done on targets now; empty if it can.
func (c *Console) unready(verb overview.Verb) string {
	switch {
	case verb == overview.Broadcast && c.opt.Overview.Broadcast == nil, verb == overview.Type && c.opt.Overview.Type == nil:
		return "nothing can be run from here"
	case c.turns.busy:
		return "a turn is running: wait for its end, or interrupt it with Ctrl-C"
	}
	return ""
}

// overviewMouse takes the mouse for the overview.
func (c *Console) overviewMouse(action tview.MouseAction, ev *tcell.EventMouse) {
	if lines, ok := wheel(action); ok {
		c.fleet.Scroll(lines / wheelLines)
		return
	}
	if action == tview.MouseLeftDown {
		c.choose(c.fleet.Click(ev.Position()))
	}
}

// drawOverview draws the overview, if it is shown.
func (c *Console) drawOverview() {
	if c.fleet != nil {
		b := c.layout.body
		c.fleet.Draw(c.screen, b.x, b.y, b.w, b.h, &c.styles)
	}
}
