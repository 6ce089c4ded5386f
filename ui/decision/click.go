package decision

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// keySpot is where a key is named on the screen.
type keySpot struct {
	x, y, width int
	key         rune
}

func (k keySpot) has(x, y int) bool { return y == k.y && x >= k.x && x < k.x+k.width }

// noteKeys takes note of where a line that is drawn at a place names keys.
func (d *Approval) noteKeys(l line, x, y int) {
	x += screen.Width(l.text)
	for _, p := range l.parts {
		if width := screen.Width(p.text); p.key != 0 {
			d.spots = append(d.spots, keySpot{x, y, width, p.key})
		}
		x += screen.Width(p.text)
	}
}

// clicked does what the key under the mouse does, unless it approves: that takes the key
// itself.
func (d *Approval) clicked(x, y int) {
	d.pointed = 0
	for _, s := range d.spots {
		if !s.has(x, y) || d.mode != asking {
			continue
		}
		switch {
		case strings.ContainsRune("ycra", s.key):
			d.pointed = s.key
		case s.key == 'T': // Tab
			d.toMark(1)
		case d.guard.Approves(d.now()) <= 0:
			d.letter(tcell.NewEventKey(tcell.KeyRune, s.key, tcell.ModNone))
		}
		return
	}
}

// clicked marks the option under the mouse, which Enter takes then, or says no where the
// dialog names that key.
func (d *QuestionDialog) clicked(x, y int) {
	at := y - d.bodyAt
	if at >= 0 && at < d.page && d.top+at < len(d.rows) {
		if option := d.rows[d.top+at].option; option > 0 {
			d.marked = option - 1
		}
		return
	}
	left, _, _, _ := d.GetRect()
	before, _, named := strings.Cut(d.hint(), noWord)
	if d.question.Kind == Confirm && y == d.hintAt && named {
		from := left + 2 + screen.Width(before)
		if x >= from && x < from+len(noWord) && d.guard.Approves(d.now()) <= 0 {
			d.answer(Answer{})
		}
	}
}

// noWord names the key that says no.
const noWord = "n no"
