// Package js runs an agent written in JavaScript (QuickJS: ES2023, modules, top-level
// await), in a process of its own.
//
// [Main] is that process: nod, started again with the argument [Command]. It seals itself
// (confine.Seal) before it reads a line of the agent's code, and can then do nothing but
// compute and ask its parent, which is package host's other end.
//
// The call "start" hands over the code and runs none of it. The call "main" evaluates the
// entry as an ES module and answers with what it has registered; the call "tool" runs a
// tool of it. In both, the code may ask for effects.
//
// # Promises
//
// There are no timers and no sockets here: whatever the code waits for is answered before
// the call that asks for it returns. So a promise that is pending when nothing is left to
// run will never settle, and that is an error at once, with no time to wait for.
//
// # Design
//
// The globals are made in JavaScript (prelude.js), from two functions of Go: one asks the
// parent, one tells it something. An error in the agent's code says file and line.
package js
