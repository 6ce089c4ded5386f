// Package player plays recordings of panes on a part of the screen.
//
// A [Player] is a picture with a line below it that says where it is: it takes
// keys by the commands of package keys ([keys.Playing]), is drawn when it is
// told to, and knows when it next wants to be. The console can have one beside
// everything else; [Run] gives it the whole terminal.
//
// # Time
//
// A Player has no clock and no goroutine. [Player.Tick] is told the time, moves
// on by what has passed since the last call, and says how long nothing will
// change. A pause in the recording that is longer than Options.Idle is cut to
// that; the position that is shown is the recording's own.
//
// # Size
//
// The recording keeps its own size. Where there is less room, the part around
// the cursor is shown, as in package mirror, which draws it.
//
// # Concurrency
//
// A Player belongs to the goroutine that draws.
package player
