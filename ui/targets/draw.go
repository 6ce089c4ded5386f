package targets

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// Draw draws the picker into a rectangle, with its own frame.
func (p *Picker) Draw(s tcell.Screen, x, y, width, height int, styles *screen.Styles) {
	screen.Fill(s, x, y, width, height, " ", styles.Text)
	screen.Frame(s, x, y, width, height, "targets", "Esc closes", styles.Focus)
	frame := [4]int{x, y, width, height}
	x, y, width, height = x+2, y+1, width-4, height-2
	if width < 1 || height < 1 {
		return
	}
	used := screen.Draw(s, x, y, width, "> "+screen.Clean(p.filter), styles.Accent)
	s.ShowCursor(x+min(used, width-1), y)
	if n := len(p.marked); n > 0 {
		text := fmt.Sprintf("%d marked", n)
		if at := width - len(text); at > used+1 {
			screen.Draw(s, x+at, y, len(text), text, styles.Accent)
		}
	}
	some := p.matching()
	p.page = max(height-2, 0)
	at := p.at(some)
	p.top = max(min(p.top, at), at-p.page+1, 0)
	for i := 0; i < p.page && p.top+i < len(some); i++ {
		p.drawRow(s, x, y+1+i, width, some[p.top+i], p.top+i == at, styles)
	}
	screen.Below(s, frame[0], frame[1], frame[2], frame[3], len(some)-p.top-p.page, styles.Warn)
	hint, brief := "Enter use   Space mark   Ctrl-N new terminal   Ctrl-X drop   Ctrl-Y attach", "Enter use Space mark ^N new ^X drop…"
	switch n := len(p.marked); {
	case n == 1:
		hint, brief = "Enter connects the marked one   Space mark   Esc unmarks", "Enter connects it  Esc unmarks"
	case n > 1:
		hint, brief = fmt.Sprintf("Enter connects all %d   Space mark   Esc unmarks them", n), fmt.Sprintf("Enter connects all %d  Esc unmarks", n)
	case len(some) > 0 && some[at].verb != Nothing:
		hint, brief = "Enter does it", "Enter does it"
	case len(some) > 0 && some[at].Logs:
		hint, brief = "Enter use   Space mark   Ctrl-N terminal   Ctrl-X drop   Ctrl-O logs", "Enter use Space mark ^O logs ^X drop"
	}
	if screen.Width(hint) > width {
		hint = brief
	}
	if len(some) == 0 && len(p.marked) == 0 && strings.TrimSpace(p.filter) != "" {
		hint = "Enter connects to " + strings.TrimSpace(p.filter)
	}
	if height > 1 {
		screen.Draw(s, x, y+height-1, width, screen.Cut(screen.Clean(hint), width), styles.Muted)
	}
}

// nameColumn is how many cells a name gets at least, where there is room.
const nameColumn = 28

func (p *Picker) drawRow(s tcell.Screen, x, y, width int, t Target, marked bool, styles *screen.Styles) {
	style, sign := styles.Text, "  "
	if marked {
		style, sign = styles.Selection, "› "
		screen.Fill(s, x, y, width, 1, " ", style)
	}
	switch {
	case p.marked[t.Name]:
		sign = sign[:len(sign)-1] + "*"
	case t.Current:
		sign = sign[:len(sign)-1] + "•"
	}
	word, look := word(t, styles)
	if marked {
		look = style
	}
	beside := screen.Width(word) // the name gives way to it, and to the trust
	if t.Trust != "" {
		beside += screen.Width("  ●" + screen.Clean(t.Trust))
	}
	used := screen.Draw(s, x, y, width, sign+" "+screen.Cut(screen.Clean(t.Name), max(width-screen.Width(sign)-2-beside, 1)), style)
	at := min(max(used+1, min(nameColumn, width/2)), max(width-beside, used+1))
	if at >= width {
		return
	}
	at += screen.Draw(s, x+at, y, width-at, word, look)
	if t.Trust != "" && at+2 < width {
		trust := styles.Trust(t.Trust)
		if marked {
			trust = style
		}
		at += screen.Draw(s, x+at, y, width-at, "  ●"+screen.Clean(t.Trust), trust)
	}
	if detail := p.detail(t); detail != "" && at+2 < width {
		muted := styles.Muted
		if marked {
			muted = style
		}
		screen.Draw(s, x+at+2, y, width-at-2, screen.Cut(detail, width-at-2), muted)
	}
}

// word says in a word, not by colour alone, how a target stands.
func word(t Target, styles *screen.Styles) (string, tcell.Style) {
	word, style := screen.Clean(t.Standing()), styles.Muted
	switch {
	case t.Word != "", t.State == Lost:
		style = styles.Danger
	case t.State == Connecting:
		style = styles.Warn
	case t.State == Connected:
		style = styles.OK
	}
	return word, style
}

// detail is what else there is to say.
func (p *Picker) detail(t Target) string {
	var words []string
	if t.Latency > 0 {
		words = append(words, Latency(t.Latency))
	}
	switch t.Panes {
	case 0:
	case 1:
		words = append(words, "1 pane")
	default:
		words = append(words, fmt.Sprintf("%d panes", t.Panes))
	}
	if t.Detail != "" {
		words = append(words, screen.Clean(t.Detail))
	}
	for _, more := range []string{t.InGroups(), t.Address, t.System} {
		if more != "" {
			words = append(words, screen.Clean(more))
		}
	}
	if !t.Used.IsZero() && t.State == Known {
		words = append(words, "used "+p.ago(t.Used))
	}
	return strings.Join(words, " · ")
}

// Latency is a time as people say it: "0.3 ms", "42 ms", "1.2 s".
func Latency(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// ago says how long ago something was, roughly.
func (p *Picker) ago(when time.Time) string {
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	const day = 24 * time.Hour
	switch d := now().Sub(when); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d/time.Minute))
	case d < 2*day:
		return fmt.Sprintf("%d h ago", int(d/time.Hour))
	default:
		return fmt.Sprintf("%d days ago", int(d/day))
	}
}
