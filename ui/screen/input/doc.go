// Package input decodes what a terminal sends: characters, keys, the mouse,
// pastes, and whether the window has the focus. It turns bytes into events of
// tcell, whose own decoder stops for good at a byte that is not UTF-8.
//
// A [Decoder] takes any bytes, cut anywhere, and never fails:
//
//   - Each byte that is not part of valid UTF-8 is the character U+FFFD.
//   - A character or sequence that a terminal began and did not end is held;
//     [Decoder.Pending] says so, and [Decoder.GiveUp] ends it.
//   - Whatever came before, one control character or GiveUp brings the decoder
//     back to its initial state, in which each character is a key.
//
// Whether an escape is a key or begins a sequence cannot be known from the
// bytes: the caller holds it back for a time, and says ESC with [Escape].
//
// # Sources
//
// ECMA-48 for the form of sequences; ctlseqs of xterm for keys, SGR mouse
// reports, modifyOtherKeys and bracketed paste; the kitty keyboard protocol; the
// console_codes(4) manual page for the Linux console; Microsoft's
// win32-input-mode.
package input
