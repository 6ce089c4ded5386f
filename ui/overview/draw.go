package overview

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// A tile with its frame, and the least screen that has room for some. On a smaller one,
// and below this size of its own, each target has one line.
const (
	tileCols, tileRows = 38, 7
	wideCols, wideRows = 76, 20
)

// goodCols is the width beyond which a tile has nothing to say.
const goodCols = 66

// lineCols is the least width of a line, where there are several columns of them.
const lineCols = 64

// Draw draws the overview into a rectangle.
func (o *Overview) Draw(s tcell.Screen, x, y, width, height int, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	if width < 1 || height < 1 {
		return
	}
	o.drawHead(s, x, y, width, styles)
	y, height = y+1, height-1
	if o.Writing() && height > 0 {
		defer o.drawLine(s, x, y+height-1, width, styles) // over what stands there: no tile moves for it
	}
	if height < 1 {
		return
	}
	shown := o.shown()
	if len(shown) == 0 {
		text := "no target is connected"
		if len(o.all) > 0 {
			text = "no name fits " + screen.Clean(o.sought())
		}
		screen.Draw(s, x+1, y, width-1, screen.Cut(text, width-1), styles.Muted)
		return
	}
	o.arrange(width, height, len(shown))
	o.origin = point{x, y}
	at := o.at(shown)
	rows := (len(shown) + o.columns - 1) / o.columns
	o.top = max(min(o.top, at/o.columns, rows-o.page), at/o.columns-o.page+1, 0)
	for i := o.top * o.columns; i < min(len(shown), (o.top+o.page)*o.columns); i++ {
		column, row := i%o.columns, i/o.columns-o.top
		p := pen{s, styles, o, &shown[i], i == at}
		tx, ty := x+column*o.tile.w, y+row*o.tile.h
		if o.tile.h == 1 {
			p.drawRow(tx, ty, o.tile.w)
		} else {
			p.drawTile(tx, ty, o.tile.w, o.tile.h)
		}
	}
	if below := len(shown) - (o.top+o.page)*o.columns; below > 0 {
		text := fmt.Sprintf(" %d more below ", below)
		screen.Draw(s, x+max(width-len(text)-1, 0), y+height-1, len(text), text, styles.Warn)
	}
}

// arrange sets how large tiles are, and how many of them are beside and above each other.
func (o *Overview) arrange(width, height, n int) {
	if width < wideCols || height < wideRows-2 {
		o.columns = max(1, min(width/lineCols, (n+height-1)/height))
		o.tile = size{width / o.columns, 1}
	} else {
		o.columns = (width + goodCols - 1) / goodCols
		for o.columns < width/tileCols && (n+o.columns-1)/o.columns > height/tileRows {
			o.columns++
		}
		o.tile = size{width / o.columns, tileRows}
	}
	o.page = max(height/o.tile.h, 1)
}

// drawHead says how many targets there are and how many need a person.
func (o *Overview) drawHead(s tcell.Screen, x, y, width int, styles *screen.Styles) {
	at := x + 1
	put := func(text string, style tcell.Style) {
		if room := x + width - at; room > 0 {
			at += screen.Draw(s, at, y, room, screen.Cut(text, room), style)
		}
	}
	if o.notice != "" {
		put(screen.Clean(o.notice), styles.Warn)
		return
	}
	count := map[need]int{}
	for i := range o.all {
		count[o.all[i].need()]++
	}
	text := fmt.Sprintf("%d targets", len(o.all))
	if len(o.all) == 1 {
		text = "1 target"
	}
	put(text, styles.Heading)
	if n := len(o.marked); n > 0 {
		put(" · ", styles.Muted)
		put(fmt.Sprintf("%d marked", n), styles.Accent)
	}
	if o.filter != "" && o.purpose != filtering {
		put(" · ", styles.Muted)
		put("only "+screen.Clean(o.filter), styles.Accent)
	}
	for _, c := range []struct {
		need  need
		word  string
		style tcell.Style
	}{{waits, "wait for you", styles.Warn}, {lost, "not reached", styles.Danger}, {dangerous, "in danger", styles.Danger}, {runs, "at work", styles.Text}} {
		if n := count[c.need]; n > 0 {
			put(" · ", styles.Muted)
			put(fmt.Sprintf("%d %s", n, c.word), c.style)
		}
	}
}

// drawLine draws the line that is written.
func (o *Overview) drawLine(s tcell.Screen, x, y, width int, styles *screen.Styles) {
	screen.Fill(s, x, y, width, 1, " ", styles.Text)
	label := "/"
	if verb := map[purpose]string{telling: "run on", typing: "type into"}[o.purpose]; verb != "" {
		names := o.meant()
		label = verb + " " + screen.Cut(screen.Clean(Names(names)), max(width/3, 12)) + "> "
		if len(names) > 1 {
			label = fmt.Sprintf("%s %d: %s> ", verb, len(names), screen.Cut(screen.Clean(Names(names)), max(width/3, 8)))
		}
	}
	used := screen.Draw(s, x, y, width, label, styles.Accent.Bold(true))
	room := max(width-used-1, 1)
	text := screen.Clean(o.line)
	for screen.Width(text) > room { // its end is what is written
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	used += screen.Draw(s, x+used, y, room, text, styles.Text)
	s.ShowCursor(x+min(used, width-1), y)
}

// Names are targets in a few words, without what is the same of all: "web-1, web-2".
func Names(names []string) string {
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = strings.TrimPrefix(n, "ssh:")
	}
	return strings.Join(short, ", ")
}

// pen draws one tile.
type pen struct {
	s      tcell.Screen
	styles *screen.Styles
	o      *Overview
	t      *Tile
	chosen bool
}

// frame is the style of the tile's frame, and of what stands for it in a line.
func (p *pen) frame() tcell.Style {
	switch {
	case p.chosen:
		return p.styles.Focus.Bold(true)
	case p.t.need() == waits:
		return p.styles.Warn
	case p.t.need() == lost, p.t.need() == dangerous:
		return p.styles.Danger
	}
	return p.styles.Border
}

// sign says in two cells whether the tile has the cursor, and whether it is marked.
func (p *pen) sign() string {
	sign := [2]string{" ", " "}
	if p.chosen {
		sign[0] = "›"
	}
	if p.o.marked[p.t.Name] {
		sign[1] = "*"
	}
	return sign[0] + sign[1]
}

// drawTile draws a tile with its frame.
func (p *pen) drawTile(x, y, w, h int) {
	style := p.frame()
	screen.Frame(p.s, x, y, w, h, "", "", style)
	if p.chosen { // not by colour alone
		for row := y + 1; row < y+h-1; row++ {
			p.s.Put(x, row, "▌", style)
		}
	}
	p.drawTitle(x, y, w, style)
	x, w = x+2, w-4
	row := y + 1
	for _, g := range p.t.gauges() {
		p.drawGauge(x, row, w, g)
		row++
	}
	for _, l := range p.lines() {
		if row >= y+h-1 {
			break
		}
		screen.Draw(p.s, x, row, w, screen.Cut(l.text, w), l.style)
		row++
	}
}

// drawTitle draws whose tile it is on its upper edge, and how the link stands.
func (p *pen) drawTitle(x, y, w int, style tcell.Style) {
	right, look := p.link()
	trust := ""
	if p.t.Trust != "" {
		trust = "●" + screen.Clean(p.t.Trust) + " "
	}
	room := w - 8 - screen.Width(trust) - screen.Width(right)
	at := x + 1
	at += screen.Draw(p.s, at, y, w-2, p.sign(), style)
	at += screen.Draw(p.s, at, y, w-2, screen.Cut(screen.Clean(p.t.Name), max(room, 8))+" ", style)
	if p.o.marked[p.t.Name] {
		p.s.Put(x+2, y, "*", p.styles.Accent.Bold(true))
	}
	if room := x + w - 2 - at; trust != "" && room > 0 {
		at += screen.Draw(p.s, at, y, room, strings.TrimSpace(trust), p.styles.Trust(p.t.Trust))
		at += screen.Draw(p.s, at, y, x+w-2-at, " ", style)
	}
	if n := screen.Width(right); n > 0 && x+w-n-3 >= at {
		screen.Draw(p.s, x+w-n-3, y, n+2, " "+right+" ", look)
	}
}
