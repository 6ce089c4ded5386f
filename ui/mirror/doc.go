// Package mirror draws a live terminal inside a frame.
//
// A [Mirror] is a tview.Primitive. It shows the latest [vt.Snapshot] that
// [Mirror.SetSnapshot] gave it: cell by cell, never through tview's tags, so
// that nothing a program writes can style or move anything outside its frame.
//
// # What it shows
//
// When the frame is smaller than the pane, the lower left part of the text is
// shown, moved as far as it takes to keep the cursor in view. PgUp, PgDn and the
// wheel look at what has scrolled off; End goes back to the live picture. A
// picture that is looked at stands still while the program goes on writing, and
// the frame says how far above the live one it is. Of a pane that is larger than
// its frame, the frame says how much is shown. The addresses of hyperlinks
// (OSC 8) are underlined.
//
// # Reading
//
// [Mirror.Do] carries out the commands that the table of package keys has for
// reading a terminal: a reading cursor, a selection of characters or of whole
// lines, copying, searching through all lines, and the addresses of links. From
// the first of them on the picture is held: what is marked is what is copied,
// whatever the program does meanwhile. [Mirror.Back] backs out one level; the
// last one is the live picture. Dragging the mouse selects, and copies when the
// button is let go.
//
// What is copied is text, not rows: a line that the terminal has wrapped is one
// line, blanks at the ends of lines are not there, and a character is copied
// whole, whichever of its columns is marked. Text goes to the function given to
// [Mirror.OnCopy]; what came of it is said on the frame.
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
// Like every primitive, a Mirror belongs to the goroutine that draws. The
// functions given to OnKey and OnCopy are called on it and must not block.
//
// # Design
//
// Searching goes upwards, because what an operator looks for in a terminal was
// nearly always written last. All matches are found at once, the newest first,
// which takes some milliseconds for ten thousand lines; there is no index to
// keep while output pours in. A held snapshot shares its lines with the
// terminal's scrollback, so holding one costs memory only for what the terminal
// drops meanwhile.
//
// tcell and tmux do not agree on the width of every character (❤ with a
// variation selector, for example). The pane's own columns win: a character
// that tcell would draw wider or narrower is replaced by its first code point
// or a sign, so that nothing to the right of it is displaced.
package mirror
