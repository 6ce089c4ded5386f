package console

import (
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// firstKeys are the five keys that matter, with the place where each is said.
var firstKeys = []struct {
	place keys.Place
	id    keys.ID
	does  string
}{
	{keys.Input, keys.Help, "help"},
	{keys.Input, keys.Palette, "all commands by name"},
	{keys.Input, keys.Targets, "hosts and containers"},
	{keys.Input, keys.Terminal, "type into the terminal"},
	{keys.Input, keys.Interrupt, "interrupt; Esc goes back"},
}

// drawFirst draws the keys that matter at the foot of the empty chat, until the
// operator has asked for something, and where there is room for all of them.
func (c *Console) drawFirst() {
	r := c.layout.chat
	rows := len(firstKeys) + 2
	if !c.opt.FirstRun || c.chat.Prompted() || r.h-c.chat.Used() < rows || r.w < 34 {
		return
	}
	y := r.y + r.h - len(firstKeys)
	screen.Draw(c.screen, r.x+2, y-1, r.w-2, "Five keys to begin with:", c.styles.Heading)
	for i, k := range firstKeys {
		screen.Draw(c.screen, r.x+2, y+i, 5, c.opt.Keys.Say(k.place, k.id), c.styles.Accent.Bold(true))
		screen.Draw(c.screen, r.x+7, y+i, r.w-7, k.does, c.styles.Text)
	}
}
