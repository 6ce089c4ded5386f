// Package docker is the target of containers: on Docker and podman, on this
// machine, on another, and behind a host over ssh, through the engine's interface.
//
// [Find] connects to the engine that the docker command would use, [Watch] knows
// its containers at any moment, and [Open] makes a target of one.
//
// # What it promises
//
// What package backends promises, and:
//
//   - Exit codes and signals are told apart, although the engine has one number
//     for both: see Design. Where a container has nothing to do so with, a number
//     that may be either is Unknown, and the error has it.
//   - Nothing is left behind. A cancelled program ends with its whole session,
//     and so does every program when nod is killed without a word.
//   - Lives are seen. A container that was stopped, paused or removed is a
//     [*StateError] with the next step, at once, and not a call that hangs.
//     A restarted container is the same target; one made anew under its name is
//     not.
//   - Writes are atomic and keep to the rights of the container's user, also on
//     file systems in memory. What cannot be written so is an error: a read-only
//     root ([ErrReadOnly]), a file that is mounted alone, such as /etc/hosts
//     ([ErrMounted]).
//   - No silent fallback. Where there is no shell, or the container does not run,
//     files go through the engine's archives, [Options.Warn] is told of each, and
//     writes need [Options.ArchiveWrites]. [Target.Facts] lists what is lesser in a
//     container.
//
// # Limits
//
// In a container without a shell programs can be run, but neither signalled nor
// ended. Podman ends the streams with the program ([Target.CutsOutput]), loses the
// output of one that leaves input unread, and does not know owners in archives.
//
// # Errors
//
// Engines: [*EngineError] with [ErrNoEngine], [ErrDenied], [ErrTooOld]; [ErrNoContext].
// Containers: [ErrNotFound], [*StateError] with [ErrStopped], [ErrPaused],
// [ErrRemoved]; [ErrNoShell], [ErrRefused]. [ErrUnsure] says that a program may have been started
// all the same.
//
// # Concurrency
//
// Engines, targets and registries are safe for concurrent use. A target has one
// goroutine for its remote shell, one for its channel, and a few for each program.
//
// # Design
//
// The interface of an engine starts programs and copies their streams; it cannot
// signal them, it has one number for exit codes and signals, and it keeps them
// running when the connection is gone. So each target has a remote shell: a shell
// in the container (scripts/remoteshell.sh) which looks once at what there is, signals
// and ends programs by their sessions, and ends them all when its input ends
// without a goodbye, which is what the end of nod looks like from there. It knows
// them by a word of 96 random bits in the command lines of their waiters.
//
// A program is started in a waiter: awk's system(), or time(1), whichever of them
// was found to tell a signal from an exit code. A shell cannot, and job control
// needs a terminal. The waiter writes its report to the remote shell's output,
// through /proc: so the end of a program is known at once, whoever still holds its
// streams, and its streams are its own to the last byte. Inside, a launcher
// (scripts/launch.sh) finds the program, reports what is missing, sets the
// terminal's size, and becomes the program in a session of its own. The script
// travels in the environment in pieces, since arguments have a limit, and in octal
// where it is not UTF-8, since the interface is JSON.
//
// An engine takes 60 to 100 ms to start a program. What is asked often goes over
// the channel, a second shell that carries out one small command after the other
// ([Target.Ask], and the looks at files): its answers end with a word of 96 random
// bits and the status.
//
// [Engine] is narrow, and sdk.go is the only file that knows the library.
package docker
