// Bench runs nod's terminal emulator beside other emulators written in Go, in
// one run and on the same bytes, and prints a table.
//
//	make bench
//	cd .bench && go run . -rounds 5
//
// The command in the folder consoles compares nod with other full-screen programs.
// It is a module of its own, so that nothing here is ever a dependency of nod.
//
// Four streams are generated: plain text, text in all kinds of colours, a
// full-screen program that redraws itself, and text in many scripts. Each
// emulator has 120 columns and 40 rows and, if it can, 10,000 lines of
// scrollback, and gets pieces of 4 KB, as they come from a terminal. The rounds
// of all emulators alternate, so that a busy moment of the machine hits all of
// them; the median counts. Heap is what is in use after 10,000 lines of 120
// columns, less what was in use before.
//
// # Design
//
// The end of every stream clears the screen and writes a line. An emulator that
// does not show exactly that line then is named in a note: speed at something
// else is no speed. It is no proof of exactness; that is what the tests of
// backends/vt are for, which compare it with tmux.
package main
