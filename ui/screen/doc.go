// Package screen stands between the console's rooms and the terminal: what a
// frame costs in bytes, which colours there are, how text is drawn that comes
// from elsewhere, the clipboard, notifications, and how the terminal gets back
// to what it was.
//
// [New] opens the operator's terminal and returns a [Screen], which is a
// tcell.Screen: draw everything anew for each frame and call Show. A frame that
// equals the one before sends nothing; one typed character sends that
// character and little more; text that moved up is moved by the terminal.
//
// A Screen belongs to one goroutine, the console's pump. Only PostEvent and
// Fini may be called from others.
//
// # Input
//
// The screen reads the terminal itself and decodes what comes (package input below
// it), whatever bytes that are; tcell reads nothing. A key that shared a read of the
// terminal with something else is an [EventTogether], and [Screen.InputWaits] knows of
// each byte that has arrived and is not an event in the queue yet.
//
// # Foreign text
//
// [Draw] and [Clean] are the only ways by which text of a model, a target or a
// file reaches the screen. Control characters, which would move the cursor,
// and characters that reorder or hide others, are drawn as signs. There is no
// markup: a text cannot style itself.
//
// # Restoring
//
// [Screen.Fini] restores the terminal's modes whatever state the screen is in,
// also when unread input is waiting, and may be called any number of times. It does not
// wait for what hangs. [Screen.Rescue] does the same from any goroutine, for a process
// that ends at once.
// [Screen.Guard] has another process do it where this one has no time to, as after a
// panic in a goroutine of a library, which nothing in this process could recover.
//
// # Design
//
// tcell knows the terminal: its input, its modes, its colours. It does not draw here.
// It looks at every cell for each frame, hides and places the cursor even for an empty
// one, and cannot scroll: a line that a chat gained cost the whole chat. So the Screen
// keeps whole frames as numbers ([tables]), finds what moved ([findShift]) and writes
// what differs ([painter]) in the language of terminals (ECMA-48, with the scroll region
// of a VT100 and the cursor of a VT220). How a style is written it learns from tcell,
// which draws a sample that the tty keeps to itself ([encoder]).
//
// The scroll region is as wide as the terminal, and so what stands beside a part that
// scrolls is drawn again where it is not the same in the next row: edges of frames
// column by column, which is a line feed each. Left and right margins would save that,
// but neither tmux nor kitty nor the Linux console has them. So the chat asks
// ([Screen.MovesCheaply]) whether its text may move with each line, or better rarely and
// far: a 50 KB answer costs 2 to 3 times its bytes beside a terminal full of text, and did
// 7 to 12 times when it moved with each line.
//
// Autowrap is off. The cursor stays in the last column behind a character there, and so
// its row is known whatever was drawn: the next row is a line feed away.
//
// A terminal that does not speak this language, and a screen that is no terminal, get
// the cells that differ through tcell.
package screen
