package overview

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/targets"
)

// drawn is a text and how it looks.
type drawn struct {
	text  string
	style tcell.Style
}

// link says how the connection stands.
func (p *pen) link() (text string, style tcell.Style) {
	t := p.t
	switch {
	case t.Word != "":
		return screen.Clean(t.Word), p.styles.Danger
	case t.State == targets.Lost:
		return "lost", p.styles.Danger
	case t.State == targets.Connecting:
		return "connecting", p.styles.Warn
	case t.Latency > 0:
		return targets.Latency(t.Latency), p.styles.Muted
	}
	return "", p.styles.Muted
}

// idle is said where there is nothing else to say.
const idle = "nothing runs"

// lines are what there is to say beside the figures, what counts most first.
func (p *pen) lines() []drawn {
	t, s := p.t, p.styles
	var all []drawn
	add := func(text string, style tcell.Style) { all = append(all, drawn{screen.Clean(text), style}) }
	for i, a := range t.Approvals {
		if i == 0 {
			add("? waits for your nod: "+a.What, s.Warn)
		}
	}
	if t.Asks != "" {
		add("? asks: "+t.Asks, s.Warn)
	}
	if t.Detail != "" {
		add(t.Detail, s.Muted)
	}
	if t.Running != "" {
		add("▸ "+p.o.running(t), s.Text)
	}
	if t.Last.Command != "" {
		text, ok := p.o.last(t)
		style := s.Muted
		if !ok {
			style = s.Danger
		}
		add(text, style)
	}
	if t.Silent != "" {
		add("no figures: "+t.Silent, s.Muted)
	}
	if len(all) == 0 {
		add(idle, s.Muted)
	}
	return all
}

// running says what runs and for how long.
func (o *Overview) running(t *Tile) string {
	text := oneLine(t.Running)
	var words []string
	if !t.Since.IsZero() {
		words = append(words, span(o.now().Sub(t.Since)))
	}
	if t.Others > 0 {
		words = append(words, fmt.Sprintf("and %d more", t.Others))
	}
	if len(words) == 0 {
		return text
	}
	return strings.Join(words, ", ") + ": " + text
}

// last says how the last command ended.
func (o *Overview) last(t *Tile) (text string, ok bool) {
	sign, outcome := "✗ ", t.Last.Outcome+", "
	if t.Last.OK {
		sign, outcome = "✓ ", ""
	}
	return sign + outcome + ago(o.now().Sub(t.Last.At)) + ": " + oneLine(t.Last.Command), t.Last.OK
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// span is how long something goes on, in the unit that counts.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

// ago is how long something is over. Below a minute it says no more, so that a tile does
// not change each second.
func ago(d time.Duration) string {
	if d < time.Minute {
		return "now"
	}
	return span(d) + " ago"
}

// look is the style of a figure.
func (p *pen) look(g Gauge) tcell.Style {
	switch g.level() {
	case alarming:
		return p.styles.Danger.Bold(true)
	case warned:
		return p.styles.Warn
	}
	return p.styles.OK
}

// Cells of a gauge: its name, the least and the most of its bar, and the least for its text.
const (
	nameCells = 5
	barCells  = 8
	mostBar   = 16
	textCells = 11
)

// drawGauge draws a figure as a bar, in words, and as it was in the last minutes.
func (p *pen) drawGauge(x, y, w int, g gauge) {
	screen.Draw(p.s, x, y, w, g.name, p.styles.Muted)
	x, w = x+nameCells, w-nameCells
	if w < barCells {
		return
	}
	if !g.Known {
		screen.Draw(p.s, x, y, w, "not known", p.styles.Muted)
		return
	}
	style := p.look(g.Gauge)
	bar := min(max(w/4, barCells), mostBar)
	drawBar(p.s, x, y, bar, g.Part, style, p.styles.Border)
	x, w = x+bar+1, w-bar-1
	text := screen.Clean(g.Text)
	if g.level() == alarming { // not by colour alone
		text = "!" + text
	}
	room := min(max(textCells, w-len(g.Past)-1, w/2), w)
	words := p.styles.Text
	if g.level() != calm {
		words = style
	}
	screen.Draw(p.s, x, y, room, screen.Cut(text, room), words)
	if past := g.Past; w-room-1 > 0 && len(past) > 0 {
		past = past[max(len(past)-(w-room-1), 0):]
		screen.Draw(p.s, x+w-len(past), y, len(past), spark(past, g.Gauge), p.styles.Muted)
	}
}

var eighths = [...]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// drawBar draws a part of a whole, in steps of an eighth of a cell.
func drawBar(s tcell.Screen, x, y, cells int, part float64, full, rest tcell.Style) {
	n := int(min(max(part, 0), 1)*float64(cells)*8 + 0.5)
	if n == 0 && part > 0 {
		n = 1
	}
	for i := range cells {
		switch left := n - 8*i; {
		case left >= 8:
			s.Put(x+i, y, "█", full)
		case left > 0:
			s.Put(x+i, y, eighths[left], full)
		default:
			s.Put(x+i, y, "·", rest)
		}
	}
}

var levels = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// height is a part as a column; of what can be above the whole, the most that was is the
// whole.
func height(part, most float64) rune {
	if part < 0 {
		return ' '
	}
	i := int(part / max(most, 1) * float64(len(levels)))
	return levels[min(max(i, 0), len(levels)-1)]
}

// spark are the last minutes as columns.
func spark(past []float64, g Gauge) string {
	most := g.Part
	for _, part := range past {
		most = max(most, part)
	}
	var b strings.Builder
	for _, part := range past {
		b.WriteRune(height(part, most))
	}
	return b.String()
}

// drawRow draws a target in one line: its name, its figures as columns, and what counts
// most.
func (p *pen) drawRow(x, y, w int) {
	end := x + w
	put := func(text string, style tcell.Style) {
		if x < end {
			x += screen.Draw(p.s, x, y, end-x, screen.Cut(text, end-x), style)
		}
	}
	style := p.styles.Text
	if p.chosen {
		style = p.styles.Selection
	}
	put(p.sign()+" ", style)
	name := screen.Cut(screen.Clean(p.t.Name), max(min(w/3, 24), 8))
	put(name, style)
	if p.t.Trust != "" {
		put(" ●"+screen.Clean(p.t.Trust), p.styles.Trust(p.t.Trust))
	}
	put(" ", style)
	for _, g := range p.t.gauges() {
		if !g.Known {
			put("-", p.styles.Muted)
			continue
		}
		put(string(height(g.Part, g.Part)), p.look(g.Gauge))
	}
	said := p.lines()[0]
	if p.t.need() == waits {
		put(" "+said.text, said.style)
	}
	for _, g := range p.t.gauges() {
		if g.level() == alarming {
			put(" !"+g.name+" "+screen.Clean(g.Text), p.styles.Danger)
		}
	}
	if text, look := p.link(); text != "" {
		put(" "+text, look)
	}
	if p.t.need() != waits && said.text != idle {
		put(" "+said.text, said.style)
	}
}
