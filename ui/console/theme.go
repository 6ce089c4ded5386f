package console

import (
	"slices"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/chooser"
	"github.com/nod-console/nod/ui/screen"
)

// askGround asks the terminal what it stands on, if the theme depends on that.
func (c *Console) askGround(s *screen.Screen) error {
	if !themes.FollowsGround(c.themeName) {
		return nil
	}
	return s.AskGround()
}

// stand takes the terminal's answer.
func (c *Console) stand(light bool) {
	c.ground = themes.GroundOf(light)
	c.wear(c.themeName)
}

// openThemes shows the themes; the screen wears the one that is marked.
func (c *Console) openThemes() {
	before := c.themeName
	var rows []chooser.Row
	for _, name := range slices.Concat([]string{themes.DefaultName, themes.Auto}, themes.Names()[1:]) {
		rows = append(rows, chooser.Row{Name: name, Text: name})
	}
	l := chooser.New("themes", "the screen wears what is marked; Enter keeps it", rows)
	l.Mark(before)
	c.show(l, false, func(e chooser.Event) {
		if e.What == chooser.Closed {
			c.wear(before)
			return
		}
		c.wear(e.Row.Name)
	})
}

// wear puts a theme on.
func (c *Console) wear(name string) {
	theme, err := themes.Load(themes.On(name, c.ground))
	if err != nil {
		c.chat.Fault(err.Error(), "/theme shows them all")
		return
	}
	c.themeName = name
	if err := c.askGround(c.screen); err != nil {
		c.lost = err
		return
	}
	c.styles = c.screen.Styles(theme)
	c.panes.restyle(&c.styles)
}
