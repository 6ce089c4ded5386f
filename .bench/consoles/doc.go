// Consoles runs nod beside other full-screen programs for operators (lazygit and
// btop), each on a pseudo terminal of 120×40, and prints a table.
//
//	make bench
//	cd .bench && go run ./consoles -rounds 20 -keys 100 -idle 1m
//
// A peer that is not in PATH is left out, with a note. nod is built from the tree
// unless -nod names a program. It reads /proc, so it needs Linux.
//
// Each program gets something to show, in a home of its own: nod a shell, lazygit
// a repository with 100 commits and 50 new files, btop the machine. "cat" is the
// machine itself: what a program takes that does nothing but echo.
//
// Programs take turns, so that a busy moment of the machine hits all of them; a
// figure is the median, with the least and the most behind it, and for keys the
// 95th of a hundred. While they idle, all of them run at the same time.
//
//   - first frame: from exec until the screen is drawn, with the line that names
//     keys or, where there is none, the boxes
//   - content: from exec until it shows what it is for: the shell's prompt, the
//     commits, the processes. For nod that includes starting tmux.
//   - first key: from exec until the help shows, whose key is pressed when the first
//     frame is there
//   - a key: from writing it to the terminal until the help shows; or, in a list,
//     until the screen, as an emulator shows it, is another. The screen had been
//     quiet before.
//   - memory: what the program has resident 5 s after its content shows; and the
//     proportional share of all processes that it started, which for nod are the
//     tmux server and the shell, too
//   - idle: CPU time, switches of threads and bytes to the terminal, of the same
//     processes, from then on
//   - leave: from the key that quits until the process is gone. What was switched
//     and is not as it was is named, and so is what TERM leaves: modes of the
//     terminal by their number, "stty" for the kernel's side.
//
// # Design
//
// What is compared differs in what it does: lazygit reads a repository and then
// waits, btop measures the machine every two seconds. The figures say what an
// operator who keeps the program open pays, and feels; not which code is better.
// What a program cannot do has no figure.
package main
