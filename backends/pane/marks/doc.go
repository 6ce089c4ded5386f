// Package marks reads what a shell with nod's hook writes about itself.
//
// The hook (see package shells) makes a shell write marks into its output: OSC
// 133 sequences, as terminals know them, each signed with a [Nonce] that only
// this shell has. A [Scanner] takes them out of the stream, wherever it is cut,
// and leaves every other byte as it is. In front of most marks stands an
// [Account] of the shell's latest commands, in an OSC 7, which tmux remembers:
// so the outcome of a command is known also to a reader that was away.
//
// # Design
//
// The package is pure: bytes in, marks and output out. It knows no pane, no
// clock and no terminal.
package marks
