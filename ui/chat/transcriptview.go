package chat

// What of a transcript is seen: drawing, scrolling, and the choice of an entry.

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// Draw draws the transcript into a rectangle. active marks the chosen entry.
func (t *Transcript) Draw(s tcell.Screen, x, y, width, height int, active bool) {
	if width <= 0 || height <= 0 {
		return
	}
	if t.width != width || t.height != height {
		t.page = page{}
	}
	t.width, t.height = width, height
	height -= t.drawQueue(s, x, y, width, height)
	more := !t.follow && t.unseen > 0
	if more {
		height--
	}
	at := t.start(height, func() bool { return movesCheaply(s, x, y, width, height) })
	row := 0
	for ; row < height && at.block < len(t.blocks); at = (place{at.block + 1, 0}) {
		n := t.layout(at.block)
		for ; at.line < n && row < height; at.line++ {
			t.blocks[at.block].line(at.line).draw(s, x, y+row, width-1, t.styles)
			t.drawSelected(s, at, x, y+row, width-1)
			if active && at.block == t.selected { // between the gutter's sign and the text
				s.Put(x+1, y+row, "▌", t.styles.Focus)
			}
			row++
			t.shown = at
		}
	}
	t.used = row
	if more {
		text := fmt.Sprintf(" ↓ %d more below ", t.unseen)
		screen.Draw(s, x+max(width-screen.Width(text), 0), y+height, width, text, t.styles.Selection)
	}
}

// drawQueue draws the prompts that wait at the bottom and returns the number of
// lines that it took.
func (t *Transcript) drawQueue(s tcell.Screen, x, y, width, height int) int {
	var lines []line
	for _, b := range t.queue {
		for i := range b.layout(width-1, t.now()) {
			lines = append(lines, b.line(i))
		}
	}
	if room := max(height/3, 1); len(lines) > room {
		lines = lines[len(lines)-room:]
	}
	for i, l := range lines {
		l.draw(s, x, y+height-len(lines)+i, width-1, t.styles)
	}
	return len(lines)
}

// layout sets a block for the present width.
func (t *Transcript) layout(i int) int { return t.blocks[i].layout(max(t.width-1, 1), t.now()) }

// start is the first place on the screen. Where no more is left below it than
// fits, the end is followed again; but the operator may scroll up from a page that is
// not full.
func (t *Transcript) start(height int, cheap func() bool) place {
	if !t.follow {
		top := t.clamp(t.top)
		switch {
		case t.exceeds(top, height) || t.page.on && top.before(t.page.top):
			t.top = top
			return top
		case t.page.on && !t.exceeds(t.clamp(t.page.top), height):
			t.follow, t.unseen, t.top = true, 0, t.page.top
		default:
			t.Bottom()
		}
	}
	t.top = t.following(height, cheap)
	return t.top
}

// clamp makes a place of an earlier layout one of the present.
func (t *Transcript) clamp(p place) place {
	if p.block >= len(t.blocks) {
		return place{len(t.blocks), 0}
	}
	p.line = max(min(p.line, t.layout(p.block)-1), 0)
	return p
}

// exceeds reports whether more than height lines follow from p on.
func (t *Transcript) exceeds(p place, height int) bool {
	n := -p.line
	for i := p.block; i < len(t.blocks) && n <= height; i++ {
		n += t.layout(i)
	}
	return n > height
}

// up is the place n lines above p, or the beginning.
func (t *Transcript) up(p place, n int) place {
	for n > p.line {
		if p.block == 0 {
			return place{}
		}
		n -= p.line
		p.block--
		p.line = t.layout(p.block)
	}
	p.line -= n
	return p
}

// down is the place n lines below p, or the end.
func (t *Transcript) down(p place, n int) place {
	p.line += n
	for p.block < len(t.blocks) {
		h := t.layout(p.block)
		if p.line < h {
			return p
		}
		p.line -= h
		p.block++
	}
	return place{len(t.blocks), 0}
}

// Scroll moves by lines, up if n is negative.
func (t *Transcript) Scroll(n int) {
	if n < 0 {
		p := t.up(t.top, -n)
		if p != t.top {
			t.follow, t.top = false, p
		}
		return
	}
	if !t.follow {
		t.top = t.down(t.top, n)
	}
}

// Page moves by screens, with one line of overlap.
func (t *Transcript) Page(n int) { t.Scroll(n * max(t.height-1, 1)) }

// Top goes to the beginning.
func (t *Transcript) Top() { t.follow, t.top = false, place{} }

// Bottom goes to the end and follows it.
func (t *Transcript) Bottom() { t.follow, t.unseen, t.page = true, 0, page{} }

// Following reports whether the end is shown.
func (t *Transcript) Following() bool { return t.follow }

// Select moves the choice of an entry by n entries and shows it. Without a
// choice it begins with the last one on the screen, and nothing moves.
func (t *Transcript) Select(n int) {
	if len(t.blocks) == 0 {
		return
	}
	i, first := t.selected+n, t.selected < 0
	if first {
		i = min(t.down(t.top, t.height-1).block, len(t.blocks)-1)
		n = -1
	}
	for ; i >= 0 && i < len(t.blocks); i += sgn(n) {
		if _, empty := t.blocks[i].(space); empty {
			continue
		}
		t.selected = i
		if !first {
			t.reveal(i)
		}
		return
	}
}

func sgn(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// Unselect ends the choice.
func (t *Transcript) Unselect() { t.selected = -1 }

// reveal scrolls so that the beginning of a block is on the screen.
func (t *Transcript) reveal(i int) {
	first := place{i, 0}
	if i < t.top.block || i == t.top.block && t.top.line > 0 {
		t.follow, t.top = false, first
		return
	}
	height := t.layout(i)
	for b := t.top.block; b < i; b++ {
		height += t.layout(b)
		if height > t.height*2 {
			break
		}
	}
	if height-t.top.line > t.height {
		t.follow = false
		t.top = t.down(t.top, min(height-t.top.line-t.height, max(height-t.top.line-t.layout(i), 0)))
	}
}

// Fold opens or closes the chosen entry. Its beginning stays on the screen.
func (t *Transcript) Fold() bool {
	if t.selected < 0 || t.selected >= len(t.blocks) {
		return false
	}
	folded := t.blocks[t.selected].fold()
	t.follow = false // start follows again if nothing is left below
	t.reveal(t.selected)
	return folded
}

// Raw is the chosen entry as it was written, else the last piece of the answer.
func (t *Transcript) Raw() string {
	if t.selected >= 0 && t.selected < len(t.blocks) {
		return t.blocks[t.selected].raw()
	}
	for i := len(t.blocks) - 1; i >= 0; i-- {
		if b, ok := t.blocks[i].(*answer); ok {
			return b.raw()
		}
	}
	return ""
}
