package screen

import "github.com/gdamore/tcell/v2"

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
