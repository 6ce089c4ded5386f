// Package backends is the contract between nod and the places where commands
// run: this machine, a host over ssh, a container.
//
// A [Target] has three primitives and nothing else:
//
//   - [Target.Exec] runs a program with standard input, output and error kept
//     apart;
//   - [Target.Terminal] runs a program on a pseudo terminal;
//   - [Target.Files] reads, lists and writes files atomically.
//
// Everything else is written once on these three: tmux control mode is an Exec
// of "tmux -C", a pane without tmux is a Terminal, a fan-out is many Execs.
//
// # What every target promises
//
//   - Exact arguments. [Command.Argv] arrives at the program byte for byte. No
//     shell stands in between unless the caller names one.
//   - Proved outcomes. An [Outcome] is Exited or Signalled only if the target
//     reported it. Everything else, above all a lost connection, is Unknown,
//     which is also the zero value. An outcome is never guessed from text and a
//     command is never run again on its own.
//   - Drained output. A target reads the program's output at once and hands it
//     to the caller's writers. A slow writer slows that one program; it blocks
//     neither the target nor other programs.
//   - Real cancellation. When the context of a call ends, the program and what
//     it started (its process group) are ended, first politely (TERM), then
//     after [KillDelay] by force (KILL), and Wait returns.
//   - No inheritance. Programs get an allow-listed environment plus
//     [Command.Env]; secrets in nod's own environment do not leak into them.
//
// # Concurrency
//
// All methods of a Target and of its Files are safe for concurrent use. The
// methods of a Process are too, and Wait may be called more than once: every
// call returns the same result.
//
// # Errors
//
// An error says that the primitive itself failed: the program could not be
// started, the connection is gone. A program that ran and failed is no error
// but an Outcome. File errors satisfy errors.Is with [io/fs] sentinels where
// one fits ([io/fs.ErrNotExist], [io/fs.ErrPermission]) and with the sentinels
// of this package otherwise.
//
// # Design
//
// Output goes to writers that the caller passes in, not to readers that the
// caller must drain, because "somebody forgot to read" is the failure that
// freezes a remote program. The same shape serves os/exec, an ssh channel and
// a Docker exec.
//
// The package backends/backendtest holds the conformance suite that each
// target must pass.
package backends
