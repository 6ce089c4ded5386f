package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nod-console/nod/ui/decision"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/targets"
)

// Opened names a terminal that the operator has opened, as its PaneState does.
type Opened struct{ Target, Terminal string }

// BusyError says what runs in a terminal that is to be closed.
type BusyError struct{ Doing string }

func (e *BusyError) Error() string { return "it runs " + e.Doing }

// awaited is a terminal that the operator has asked for, and where the keyboard was then.
type awaited struct {
	terminal Opened
	keys     uint64 // how many were pressed by then
}

func (l awaited) arrive(c *Console) { c.expect(l) }

// openTerminal opens another terminal on a target, the current one if it names none. The
// keyboard goes to it if it stays where it is until then.
func (c *Console) openTerminal(target string) {
	pressed := c.pressedKeys
	c.background(func(ctx context.Context) {
		opened, err := c.opt.OpenTerminal(ctx, target)
		if err != nil {
			c.mail.put(explain(strings.TrimSpace("/open "+target), err))
			return
		}
		c.mail.put(awaited{opened, pressed})
	})
}

// expect brings the keyboard to the terminal that was opened, once it is there.
func (c *Console) expect(a awaited) {
	c.awaited = &a
	c.meetTerminal()
}

// meetTerminal looks whether the terminal that is waited for has come. It is for reading at
// first: what the operator types ahead is for no shell.
func (c *Console) meetTerminal() {
	a := c.awaited
	if a == nil {
		return
	}
	i := c.panes.of(a.terminal.Target, a.terminal.Terminal)
	if i < 0 {
		return
	}
	c.awaited = nil
	if a.keys == c.pressedKeys {
		c.focusPane(i)
	}
}

// called is the pane with a name or a title, or -1.
func (ps *panes) called(name string) int {
	return slices.IndexFunc(ps.all, func(p *pane) bool { return p.name() == name || p.pane.Title == name })
}

// names are the short names of all panes.
func (ps *panes) names() (names []string) {
	for _, p := range ps.all {
		names = append(names, p.name())
	}
	return names
}

// meant is the terminal that a word names by its number or its name; without a word, the
// one that has or had the keyboard. -1 after it was said why there is none.
func (c *Console) meant(command, word string) int {
	if word == "" {
		return max(c.focus.pane, 0)
	}
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(c.panes.all) {
		return n - 1
	}
	if i := c.panes.called(word); i >= 0 {
		return i
	}
	var names []string
	for i, p := range c.panes.all {
		names = append(names, fmt.Sprintf("%d %s", i+1, screen.Clean(p.name())))
	}
	c.chat.Fault(fmt.Sprintf("/%s %q: there is no such terminal", command, word), "there are "+strings.Join(names, ", "))
	return -1
}

// closeTerminal closes a terminal that nod has opened. Where something runs, it asks.
func (c *Console) closeTerminal(word string) {
	p := c.panes.at(c.meant("close", word))
	if p == nil {
		return
	}
	end, title := p.pane.Close, screen.Clean(p.pane.Title)
	if end == nil {
		c.chat.Fault("/close: "+title+" is not nod's to close", "")
		return
	}
	c.background(func(ctx context.Context) {
		err := end(ctx, false)
		var busy *BusyError
		if errors.As(err, &busy) {
			said, asked := c.Ask(ctx, decision.Question{
				Title: "close the terminal?",
				Text:  title + " runs " + strings.Join(strings.Fields(screen.Clean(busy.Doing)), " ") + ".\nClosing the terminal ends it. Close it?",
			})
			if asked != nil || !said.Given {
				return
			}
			err = end(ctx, true)
		}
		if err != nil {
			c.mail.put(explain("/close: "+title, err))
		}
	})
}

// renameTerminal gives the terminal with the keyboard another name.
func (c *Console) renameTerminal(name string) {
	p := c.panes.at(max(c.focus.pane, 0))
	switch {
	case p == nil:
	case name == "":
		c.chat.Fault("/rename: want a name", "/rename build names the terminal that has or had the keyboard")
	case p.pane.Rename == nil:
		c.chat.Fault("/rename: "+screen.Clean(p.pane.Title)+" keeps its name", "")
	default:
		rename := p.pane.Rename
		c.background(func(ctx context.Context) {
			if err := rename(ctx, name); err != nil {
				c.mail.put(explain("/rename "+name, err))
			}
		})
	}
}

// paneNamed says that a terminal has another name.
type paneNamed struct{ id, title, name string }

func (l paneNamed) arrive(c *Console) { c.namePane(l) }

// NamePane gives a mirrored terminal another title and short name.
func (c *Console) NamePane(id, title, name string) { c.mail.put(paneNamed{id, title, name}) }

func (c *Console) namePane(n paneNamed) {
	if p := c.panes.at(c.panes.index(n.id)); p != nil {
		p.pane.Title, p.pane.Name = n.title, n.name
		c.keepLayout()
	}
}

// terminalOffers are the rows in the list of targets for what can be done with terminals.
func (c *Console) terminalOffers() []targets.Offer {
	offers := []targets.Offer{{Verb: targets.Open, Letter: "n", Name: "new terminal", Detail: "on " + c.status.Name}}
	if p := c.panes.at(c.focus.pane); p != nil {
		offers = append(offers, targets.Offer{Verb: targets.End, Letter: "x", Name: "close terminal", Detail: p.pane.Title})
	}
	return offers
}
