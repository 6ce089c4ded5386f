package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/targets"
)

// Top is what the first line shows. Empty parts are left out.
type Top struct {
	Target, Trust string
	State         string        // of the target, in a few words; foreign text
	Latency       time.Duration // of its last answer
	Load          string        // what it uses
	NotHeld       bool          // nothing holds looks there
	Posture       string
	Model         string
	Context       int // percent of the model's limit; 0 if not known
	Limit         int // tokens; 0 if not known
	Cost          string
	Waiting       int // approvals
}

// Bottom is what the last line shows.
type Bottom struct {
	Alarm   string // what is wrong with nod itself; it wins over everything else
	Grave   bool   // because of that, nothing that acts may run
	Mode    string // a word on where the keys go, if that is not plain: "typing into local"
	Hints   []keys.Hint
	Turn    bool          // a turn is running
	Elapsed time.Duration // since when
	Running int           // calls that run
	Waiting int           // approvals
	Frame   int           // of the spinner
	Revert  string        // what is armed on a host, and when it comes: "revert in 90 s"
}

// part is a piece of a line. The part with the lowest rank goes first.
type part struct {
	text  string
	style tcell.Style
	rank  int
	bold  int    // so many bytes of the text are bold
	press string // the key that it names
}

// Spot is where the last line names a key.
type Spot struct {
	X, Width int
	Key      string // its name, as of package keys
}

// DrawTop draws the first line.
func DrawTop(s tcell.Screen, x, y, width int, t Top, styles *screen.Styles) {
	bar := styles.Bar
	left := []part{{" nod ", bar.Bold(true), 1, 0, ""}}
	if t.Target != "" {
		left = append(left, part{" " + t.Target + " ", bar.Bold(true), 9, 0, ""})
	}
	if t.Trust != "" {
		left = append(left, part{" ●" + t.Trust + " ", styles.Trust(t.Trust), 9, 0, ""})
	}
	if t.State != "" {
		// It may be long, and would be left out as a whole.
		left = append(left, part{" " + screen.Cut(screen.Clean(t.State), width/2) + " ", styles.Selection, 8, 0, ""})
	}
	if t.Latency > 0 {
		left = append(left, part{" " + targets.Latency(t.Latency) + " ", bar, 3, 0, ""})
	}
	if t.Load != "" {
		left = append(left, part{" " + screen.Clean(t.Load) + " ", bar, 5, 0, ""})
	}
	if t.Posture != "" {
		left = append(left, part{"  " + t.Posture, bar, 7, 0, ""})
	}
	if t.NotHeld {
		left = append(left, part{"  not held", styles.Bar.Bold(true), 6, 0, ""})
	}
	if model := modelText(t); model != "" {
		left = append(left, part{"  " + model, bar, 4, 0, ""})
	}
	var right []part
	if t.Waiting > 0 {
		right = []part{{fmt.Sprintf(" %d waiting ", t.Waiting), styles.Selection.Bold(true), 8, 0, ""}}
	}
	drawBar(s, x, y, width, left, right, bar)
}

func modelText(t Top) string {
	var words []string
	if t.Model != "" {
		words = append(words, t.Model)
	}
	if t.Context > 0 {
		word := fmt.Sprintf("%d %%", t.Context)
		if t.Limit > 0 {
			word += " of " + tokens(t.Limit)
		}
		words = append(words, word)
	}
	if t.Cost != "" {
		words = append(words, t.Cost)
	}
	return strings.Join(words, " · ")
}

// tokens is a number of tokens as people say it: 128k, 1M.
func tokens(n int) string {
	switch {
	case n >= 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// DrawBottom draws the last line, and returns where it names keys.
func DrawBottom(s tcell.Screen, x, y, width int, b Bottom, styles *screen.Styles) []Spot {
	bar := styles.Bar
	var left []part
	if b.Alarm != "" {
		style := styles.Warn
		if b.Grave {
			style = styles.Danger
		}
		left = append(left, part{screen.Cut(" ! "+screen.Clean(b.Alarm), width-1) + " ", style.Bold(true).Reverse(true), 10, 0, ""})
	}
	if b.Mode != "" {
		left = append(left, part{" " + b.Mode + " ", styles.Selection.Bold(true), 9, 0, ""})
	}
	for i, h := range b.Hints {
		left = append(left, part{" " + h.Key + " " + h.Text + " ", bar, 5 - min(i, 4), 1 + len(h.Key), h.Name})
	}
	right := []part{{b.activity() + " ", bar, 8, 0, ""}}
	if b.Revert != "" {
		right = append([]part{{" " + b.Revert + " ", styles.Warn.Bold(true).Reverse(true), 10, 0, ""}}, right...)
	}
	return drawBar(s, x, y, width, left, right, bar)
}

// activity says what is going on.
func (b Bottom) activity() string {
	var words []string
	switch {
	case b.Waiting > 0:
		words = append(words, "waits for your nod")
	case b.Running > 0:
		words = append(words, fmt.Sprintf("%d running", b.Running))
	case b.Turn:
		words = append(words, "working")
	default:
		return "nothing running"
	}
	if b.Turn {
		words = append([]string{spinner[b.Frame%len(spinner)]}, words...)
		words = append(words, elapsed(b.Elapsed))
	}
	return strings.Join(words, " ")
}

func elapsed(d time.Duration) string {
	s := int(d / time.Second)
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// drawBar draws parts from the left and from the right. Parts are left out, the
// lowest rank and the last first, until the rest fits.
func drawBar(s tcell.Screen, x, y, width int, left, right []part, bar tcell.Style) (spots []Spot) {
	for {
		total := 0
		lowest, side := -1, &left
		for _, parts := range []*[]part{&left, &right} {
			for i, p := range *parts {
				total += screen.Width(p.text)
				if lowest < 0 || p.rank <= (*side)[lowest].rank {
					lowest, side = i, parts
				}
			}
		}
		if total <= width || len(left)+len(right) <= 1 {
			break
		}
		*side = append((*side)[:lowest:lowest], (*side)[lowest+1:]...)
	}
	screen.Fill(s, x, y, width, 1, " ", bar)
	at := 0
	for _, p := range left {
		if p.press != "" {
			spots = append(spots, Spot{x + at, screen.Width(p.text), p.press})
		}
		at += screen.Draw(s, x+at, y, width-at, p.text[:p.bold], p.style.Bold(true))
		at += screen.Draw(s, x+at, y, width-at, p.text[p.bold:], p.style)
	}
	at = width
	for i := len(right) - 1; i >= 0; i-- {
		at -= screen.Width(right[i].text)
		screen.Draw(s, x+max(at, 0), y, width-max(at, 0), right[i].text, right[i].style)
	}
	return spots
}
