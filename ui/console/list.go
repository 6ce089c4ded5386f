package console

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/chooser"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/tour"
)

// list is a list that stands in front of everything, and what its keys do.
type list struct {
	*chooser.Chooser
	wide bool // it needs the whole width; else the panes stay visible
	take func(chooser.Event)
}

// show opens a list. take hears of each row that is marked and, at last, what
// was chosen or that nothing was; the list is closed by then.
func (c *Console) show(l *chooser.Chooser, wide bool, take func(chooser.Event)) {
	c.list = &list{l, wide, take}
}

// listKey takes a key for the list.
func (c *Console) listKey(ev *tcell.EventKey) { c.listEvent(c.list.Key(ev)) }

func (c *Console) listEvent(e chooser.Event) {
	take := c.list.take
	switch e.What {
	case chooser.Nothing:
		return
	case chooser.Chosen, chooser.Closed:
		c.list = nil
		c.rearm()
	}
	take(e)
}

// openPalette shows every command that can be given where the keyboard is.
func (c *Console) openPalette() {
	c.guide(tour.Listed)
	offers := map[string]keys.Command{}
	var rows []chooser.Row
	choices := c.opt.Keys.Choices(c.place(), c.facts())
	longest := 0
	if w, _ := c.screen.Size(); w >= wideCols { // else there is no room to set them in columns
		for _, o := range choices {
			longest = max(longest, min(screen.Width(o.Name), longestName))
		}
	}
	for _, o := range choices {
		name := string(o.Command.ID)
		offers[name] = o.Command
		text := o.Name + strings.Repeat(" ", max(longest-screen.Width(o.Name), 0)) + "  " + o.Text
		rows = append(rows, chooser.Row{Name: name, Text: text, Lead: len(o.Name), Group: o.Command.Group, Note: o.Keys, Also: name, Reason: o.Reason})
	}
	c.show(chooser.New("commands", "Enter does it", rows), true, func(e chooser.Event) {
		if e.What == chooser.Chosen {
			c.give(offers[e.Row.Name])
		}
	})
}

// longestName is how many cells the names of commands are set to at most.
const longestName = 24

// give gives a command as if by its key or its word. One that must be told more
// is begun in the input, if nothing is written there.
func (c *Console) give(cmd keys.Command) {
	switch needs := cmd.Args != "" && !strings.HasPrefix(cmd.Args, "["); {
	case needs && !c.input.Empty():
		c.chat.Notice("/" + cmd.Slash + " " + cmd.Args + ": empty the line that you write in first")
	case needs:
		c.input.Set("/" + cmd.Slash + " ")
		c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
	case cmd.Slash != "":
		c.slash("/" + cmd.Slash)
	default:
		c.do(cmd)
	}
}
