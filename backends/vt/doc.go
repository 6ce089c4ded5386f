// Package vt is a terminal emulator that shows what tmux shows, cell for cell:
// 3.3a, or the release that [Options.Release] says. Bytes go in through [Terminal.Write]; immutable [Snapshot] values come
// out. It draws nothing and knows no screen library.
//
// # What it promises
//
//   - Exactness. For any output, at any moment, the cells, the cursor and the
//     modes equal those of a tmux pane of the same size. The tests hold it
//     against a real tmux, on programs and on random sequences. A terminal that
//     begins in the middle of a pane's life is set up by [Terminal.Seed].
//   - Joining. A seed gives every character with its style, the cursor and the
//     modes, also while a program is drawing, but not all that later output
//     depends on (see Design). Until the next seed, text and cursor may differ
//     only if line drawing was on at the first one, if a character was cut in
//     two, a joiner had come, a cursor had been saved or half of an erased wide
//     character stood in a row; styles only if the pen was not the default or a
//     background reached beyond a row's text. A seed sets right what shows. What
//     it cannot set right, the program's own next SGR does.
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
// # Answers
//
// In a pane without tmux the terminal itself answers, through [Options.Reply],
// what tmux 3.3a would, byte for byte: primary and secondary device attributes
// (CSI c, CSI > c), its name and version (CSI > q: "tmux 3.3a", since programs
// choose by it what to rely on), the status and the cursor's place (CSI 5 n,
// CSI 6 n) and, where [Options.Foreground] and [Options.Background] are known,
// the colours (OSC 10 and 11). It differs in one: to CSI 18 t, rows come before
// columns, as everybody expects and as tmux does from 3.4. All else has no
// answer, as in tmux: DECRQSS, DECRQM, XTGETTCAP, other window reports, the
// palette, and above all the clipboard.
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
// Later releases differ in what combines with what (3.4, 3.6), what REP repeats
// (3.5), what is shown for bytes that are no UTF-8 (3.6) and which blanks a cut
// character leaves (3.6, 3.8); the type quirks lists it. The tests compare with
// whichever tmux comes first in PATH, and were passed by 3.3a, 3.5a, 3.7c and
// 3.8. Not followed are the placeholder that a tmux with sixel support writes for
// a picture, the changes before 3.3a (3.1c differs in joiners and in the end of a
// wrapped line), and the width of a tab that has been cut in a capture of 3.6.
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
