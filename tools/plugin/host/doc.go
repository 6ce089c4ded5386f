// Package host runs a plugin's code in a process of its own and speaks with it.
//
// [Host] is the end in nod: it starts the process, calls it, ends it when it breaks a
// limit, and starts it again. [Serve] is the end in the process. Use neither to run code
// that is trusted; package lua is what runs behind Serve.
//
// # What the parent promises
//
// Whatever the process does, a call ends: with its result, with the error of the
// plugin's code ([Fault]), or with [Ended] if the process is gone. A process is ended
// when it computes longer than a call may, writes too much, or speaks out of turn. The
// next call starts it anew, after a pause that grows with each failure.
//
// # The protocol
//
// JSON-RPC 2.0, one message a line, over the process's standard input and output. The
// parent calls; during a call the process may ask the parent for something (an effect),
// and says in "call" for which call. The time that the parent takes to answer does not
// count. Meanwhile other calls may begin: they stand on top of the one that waits, and
// end before it goes on, so that a plugin's hook can be called while its tool waits.
//
// # Design
//
// A process, because no interpreter for Go that was measured keeps its limits in all
// cases: gopher-lua ignores its context inside string.find and has no bound on memory.
// A process has both, and a kernel that takes its system calls away.
package host
