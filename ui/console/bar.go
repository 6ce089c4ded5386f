package console

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// The bar names all panes where only one of them is shown: "1 shared  2▸ build
// [3 logs]". Where there is no room for all names, the shown pane and those in
// which something goes on keep theirs; where there is not even room for all
// numbers, it shows those around the chosen one.

// more stands where the bar has no room for the others.
const more = "…"

// tab is the bar's text for pane i.
func (c *Console) tab(i int, named bool) string {
	p, shown := c.panes.all[i], c.layout.panes[i].h > 0
	sign := p.sign(i == c.subject())
	text := fmt.Sprint(i+1) + sign
	if named || shown {
		text += " " + strings.TrimSpace(screen.Clean(p.name()))
	}
	if shown {
		return "[" + text + "]"
	}
	return " " + text + " "
}

// tabs are the texts of the bar that fit in width, and which pane the first one
// is about.
func (c *Console) tabs(width int) (texts []string, first int) {
	for _, named := range []func(i int) bool{
		func(int) bool { return true },
		func(i int) bool { return c.panes.all[i].sign(i == c.subject()) != "" },
		func(int) bool { return false },
	} {
		texts = nil
		used := 0
		for i := range c.panes.all {
			texts = append(texts, c.tab(i, named(i)))
			used += screen.Width(texts[i])
		}
		if used <= width {
			return texts, 0
		}
	}
	shown := 0
	for i, r := range c.layout.panes {
		if r.h > 0 {
			shown = i
		}
	}
	// As many to the left of the shown one as to its right, as far as there are.
	width -= 2 * screen.Width(more)
	from, to, used := shown, shown+1, screen.Width(texts[shown])
	for grown := true; grown; {
		grown = false
		if from > 0 && used+screen.Width(texts[from-1]) <= width {
			from, used, grown = from-1, used+screen.Width(texts[from-1]), true
		}
		if to < len(texts) && used+screen.Width(texts[to]) <= width {
			to, used, grown = to+1, used+screen.Width(texts[to]), true
		}
	}
	texts = texts[from:to]
	if from > 0 {
		texts[0] = more + texts[0]
	}
	if to < len(c.panes.all) {
		texts[len(texts)-1] += more
	}
	return texts, from
}

// drawBar draws the bar and takes note of where each name stands.
func (c *Console) drawBar(modal bool) {
	l := &c.layout
	if l.bar.w <= 0 {
		return
	}
	l.tabs = make([]rect, len(l.panes))
	texts, first := c.tabs(l.bar.w)
	x := l.bar.x
	for n, text := range texts {
		i := first + n
		style := c.styles.Muted
		switch {
		case l.panes[i].h > 0 && !modal && c.focus.place == keys.Pane:
			style = c.styles.Focus
		case l.panes[i].h > 0:
			style = c.styles.Text
		case c.panes.all[i].sign(i == c.subject()) != "":
			style = c.styles.Accent
		}
		w := screen.Draw(c.screen, x, l.bar.y, l.bar.x+l.bar.w-x, text, style)
		l.tabs[i] = rect{x, l.bar.y, w, 1}
		x += w
	}
}
