// Package vt is a terminal emulator that shows what tmux 3.3a shows, cell for
// cell. Bytes go in through [Terminal.Write]; immutable [Snapshot] values come
// out. It draws nothing and knows no screen library.
//
// # What it promises
//
//   - Exactness. For any output, at any moment, the cells, the cursor and the
//     modes equal those of a tmux pane of the same size. The tests hold it
//     against a real tmux, on programs and on random sequences. A terminal that
//     begins in the middle of a pane's life is set up by [Terminal.Seed].
//   - Splits do not matter. The bytes may be cut anywhere between two writes.
//   - Bounds. Whatever the bytes, Write returns, does not panic, and memory is
//     bounded by the size, [Options.Scrollback] and constants: sequences,
//     strings, titles and combining characters have limits, and the tables of
//     styles, graphemes and links are swept when they are full. When the
//     scrollback alone keeps them full, its lines lose colour depth, then
//     style, and at last (only for graphemes) the lines themselves go.
//   - No effects. Clipboard, notifications and all other commands to a terminal
//     are swallowed; [Options.OSC] sees them, and decides.
//
// # Concurrency
//
// A [Terminal] belongs to one goroutine. A [Snapshot] never changes and may be
// read by any number of them.
//
// # Design
//
// The reference is tmux and not xterm or a standard, because the operator may
// look at the same pane with tmux and must see the same. So the quirks are
// tmux's own: an autowrap scrolls in the default background but a line feed in
// the current one; a scroll of any region of the main screen feeds the
// scrollback; inserting more than half a line leaves old text in the middle;
// only ASCII can be repeated by REP; a zero width joiner ties whatever follows
// it. One is left out: tmux forgets a joiner at the end of a read from the
// pane, which depends on timing.
//
// A capture tells less than tmux knows: neither the background to the right of
// a row's last written cell, nor which rows are wrapped, nor pen, charsets and
// the bytes of an unfinished character. So a seed keeps the terminal's own
// knowledge of them where a row looks the same, and a terminal that joins a
// pane late may lack a background until the program draws there again.
//
// A [Cell] is 8 bytes, two indices, so that ten thousand lines of 120 columns
// take less than 12 MB, the garbage collector has nothing to look for in them,
// and plain text is stored at some hundred MB a second. Snapshots share rows
// and scrollback with the terminal: rows by copy on write, the scrollback
// because it is only appended to.
package vt
