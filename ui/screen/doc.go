// Package screen stands between the console's rooms and the terminal: what a
// frame costs in bytes, which colours there are, how text is drawn that comes
// from elsewhere, the clipboard, notifications, and how the terminal gets back
// to what it was.
//
// [New] opens the operator's terminal and returns a [Screen], which is a
// tcell.Screen: draw everything anew for each frame and call Show. A frame that
// equals the one before sends nothing; one typed character sends that
// character and little more.
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
// also when unread input is waiting, and may be called any number of times.
// [Screen.Guard] has another process do it where this one has no time to, as after a
// panic in a goroutine of a library, which nothing in this process could recover.
//
// # Design
//
// tcell compares cells with those of the last frame, but a cell that is
// cleared and drawn again within one frame counts as changed where it is wide,
// and each frame, even an empty one, hides the cursor, places it and shows it.
// So there are two savers: the Screen keeps whole frames and passes on only
// cells that differ, and the tty below tcell drops what the terminal already
// is: the same position, the same attributes, the same visibility. The second
// one knows nothing of tcell but the language of terminals (ECMA-48); what it
// does not understand it passes on and forgets what it knew.
package screen
