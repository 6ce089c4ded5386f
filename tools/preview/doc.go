// Package preview derives looks around from a command: what would "rm -r" remove,
// and how much is that? It is a pure function of the text and runs nothing.
//
// # What it promises
//
//   - A probe only observes: [Of] returns none that package risk does not call
//     auto. Whoever runs one has that assessed again.
//   - A probe names what the command names, with the same words: wildcards mean
//     in it what they mean in the command. Words that only the shell knows when it
//     runs ($VAR, $(…)) make no probe.
//   - Rights that the command takes (sudo) are not taken: a probe sees what the
//     user himself may see.
//
// # Design
//
// One function for each program. git has none: whatever it is asked, it may run
// what the repository's own configuration names. Commands after a cd, and those within pipes,
// loops and functions, have none: where they would stand is not known here.
package preview
