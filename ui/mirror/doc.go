// Package mirror draws a live terminal inside a frame.
//
// A [Mirror] is a tview.Primitive. It shows the latest [vt.Snapshot] that
// [Mirror.SetSnapshot] gave it: cell by cell, never through tview's tags, so
// that nothing a program writes can style or move anything outside its frame.
//
// # What it shows
//
// When the frame is smaller than the pane, the lower left part of the text is
// shown, moved as far as it takes to keep the cursor in view. PgUp, PgDn, the
// arrow keys and the wheel look at what has scrolled off; End goes back to the
// live picture. A picture that is looked at stands still while the program goes
// on writing, and the frame says how far above the live one it is.
//
// # Typing
//
// With [Mirror.SetTyping] the keys go to the program instead: [Mirror.OnKey]
// gets them as a terminal would send them in the pane's present modes, see
// [EncodeKey]. Shift with PgUp and PgDn still scrolls. Keys that leave this
// mode are the console's business: it must take them before they get here.
//
// # Concurrency
//
// Like every primitive, a Mirror belongs to the goroutine that draws. OnKey is
// called on it and must not block.
//
// # Design
//
// tcell and tmux do not agree on the width of every character (❤ with a
// variation selector, for example). The pane's own columns win: a character
// that tcell would draw wider or narrower is replaced by its first code point
// or a sign, so that nothing to the right of it is displaced.
package mirror
