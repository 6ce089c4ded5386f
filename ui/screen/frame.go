package screen

import (
	"fmt"

	"github.com/gdamore/tcell/v2"
)

// Frame draws a frame just inside a rectangle, with a title at its left and a
// note at its right. Both are foreign text.
func Frame(s tcell.Screen, x, y, width, height int, title, note string, style tcell.Style) {
	if width < 2 || height < 2 {
		return
	}
	right, bottom := x+width-1, y+height-1
	for col := x + 1; col < right; col++ {
		s.Put(col, y, "─", style)
		s.Put(col, bottom, "─", style)
	}
	for row := y + 1; row < bottom; row++ {
		s.Put(x, row, "│", style)
		s.Put(right, row, "│", style)
	}
	s.Put(x, y, "┌", style)
	s.Put(right, y, "┐", style)
	s.Put(x, bottom, "└", style)
	s.Put(right, bottom, "┘", style)
	room := width - 4
	if title != "" && room > 2 {
		room -= Draw(s, x+1, y, room+2, " "+Cut(title, room)+" ", style)
	}
	if n := Width(note); note != "" && n+3 <= room {
		Draw(s, right-n-2, y, n+2, " "+note+" ", style)
	}
}

// Below says on the lower edge of a frame how many rows there are below those that
// it shows; nothing if there are none.
func Below(s tcell.Screen, x, y, width, height, rows int, style tcell.Style) {
	text := fmt.Sprintf(" %d more below ", rows)
	if rows < 1 || height < 2 || len(text)+3 > width {
		return
	}
	Draw(s, x+width-2-len(text), y+height-1, len(text), text, style)
}
