// Package overview shows how all targets stand, to be looked at rather than read: a tile
// for each, what needs a person first.
//
//	o := overview.New(time.Now)
//	o.Set(tiles)                       // again whenever something has changed
//	o.Draw(screen, x, y, w, h, styles)
//	choice := o.Do(keys.Mark)
//
// An [Overview] knows no target: it shows [Tile] values, and what the operator wants
// comes back as a [Choice]. All text of a tile may be foreign; it is cleaned when it is
// drawn. [Lines] says the same in lines, for who does not see tiles.
//
// # Order
//
// What waits for the operator comes first, then lost links, figures that are dangerous,
// what runs, and the rest by name. While the operator has marked tiles or writes a line,
// and for [Still] after each key, no tile changes its place. The cursor stays on its
// target in any case.
//
// An Overview belongs to one goroutine.
package overview
