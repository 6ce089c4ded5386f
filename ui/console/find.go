package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/ui/chooser"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// find shows the lines of the chat that have words, the latest first, and goes to the
// one that is chosen.
func (c *Console) find(words string) {
	found := c.chat.Find(words)
	if len(found) == 0 {
		c.chat.Bottom() // where the notice stands
		if words == "" {
			c.say("the chat is empty")
		} else {
			c.say(fmt.Sprintf("the chat has no line with %q", screen.Clean(words)))
		}
		return
	}
	rows := make([]chooser.Row, len(found))
	for i, f := range found {
		rows[i] = chooser.Row{Name: strconv.Itoa(i), Text: screen.Clean(f.Text)}
	}
	c.show(chooser.New("search the chat", "Enter goes there", rows), false, func(e chooser.Event) {
		if e.What != chooser.Chosen {
			return
		}
		if i, err := strconv.Atoi(e.Row.Name); err == nil {
			c.chat.Reveal(found[i])
			c.focus = focus{place: keys.Chat, pane: c.focus.pane, zoom: c.focus.zoom}
		}
	})
}

// jump goes to the terminal with a number, as the bar and the frames have it.
func (c *Console) jump(number string) {
	n, err := strconv.Atoi(number)
	named := c.panes.called(number)
	switch {
	case err != nil && named >= 0:
		c.focusPane(named)
	case err != nil:
		c.say(fmt.Sprintf("/pane %q: want the number of a terminal, 1 to %d, or its name", number, max(len(c.panes.all), 1)))
	case c.panes.at(n-1) == nil:
		c.say(fmt.Sprintf("there is no terminal %d; there are %d", n, len(c.panes.all)))
	default:
		c.focusPane(n - 1)
	}
}

// recall lets the operator choose one of their earlier prompts, the latest first.
func (c *Console) recall() {
	past := c.input.History()
	if len(past) == 0 {
		c.say("there is no earlier prompt")
		return
	}
	var rows []chooser.Row
	seen := map[string]bool{}
	for i := len(past) - 1; i >= 0; i-- {
		if !seen[past[i]] {
			seen[past[i]] = true
			rows = append(rows, chooser.Row{Name: past[i], Text: screen.Clean(strings.Join(strings.Fields(past[i]), " "))})
		}
	}
	c.show(chooser.New("your prompts", "Enter puts it into the input", rows), false, func(e chooser.Event) {
		if e.What == chooser.Chosen {
			c.input.Set(e.Row.Name)
			c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
		}
	})
}

// copyCode copies a block of code of the chosen entry, and the next one when it is
// asked again.
func (c *Console) copyCode() {
	text, n, all := c.chat.Code()
	if all == 0 {
		c.say("this entry has no block of code; y copies all of it")
		return
	}
	if err := c.screen.Copy(text); err != nil {
		c.chat.Fault("copy: "+err.Error(), "")
		return
	}
	c.say(fmt.Sprintf("copied block %d of %d", n, all))
}
