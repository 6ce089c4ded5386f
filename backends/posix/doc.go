// Package posix is what nod says to a POSIX machine that only a stream of bytes
// leads to: a host behind ssh, a container behind its engine.
//
// It writes the command lines that find and become a program ([Find], [Become]),
// and reads, replaces and searches files through programs there ([Files]). What is
// started there cannot be taken back: [Start].
//
// # What it promises
//
//   - Words arrive as they were given: quoted for every POSIX shell ([Quote]), or
//     as octal numbers that no layer in between can misread ([Octal]).
//   - A write is atomic and goes to the file that was meant: the content is
//     counted before the exchange, mode, owner and attributes are kept, and what
//     had to be there is looked at last. An exact path is one without a link.
//   - The scripts need sh, stat, readlink, mv, ln, sync and sha256sum, a search find,
//     grep, sort, tr, xargs, head, wc and readlink, as GNU and busybox have them.
//
// # Errors
//
// What a script cannot do comes as the error of the system call behind it
// (fs.ErrNotExist, syscall.ENOSPC, …), as one of package backends, as
// [ErrReadOnly] or [ErrMounted]; else in the words of the program that failed.
//
// # Concurrency
//
// All functions may be called at any time. A [Feed] and a [Tail] are safe for
// concurrent use.
//
// # Design
//
// A shell stays at the other end ([RemoteShell]) and ends programs there. How a
// program's session is made, how its output is told from what a login shell prints,
// and how it is signalled differs between a host and a container in every step: that
// stays with them. The scripts are comments and all in scripts/; [Brief] is what
// travels.
package posix
