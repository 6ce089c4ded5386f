// Package mux speaks OpenSSH's connection multiplexing protocol, the one
// behind ControlMaster and ControlPath, on both sides.
//
// As master: [Listen] makes a control socket and [Serve] answers on it over one
// authenticated connection. The operator's own ssh, scp, sftp and rsync ride on
// that connection with "ssh -S SOCKET HOST", without a second login.
//
// As client: [Dial] finds a master that already runs, nod's or a stock one,
// and the [Client] runs commands, terminals and subsystems on it and dials
// through it. [DialProxy] gives a whole ssh.Client, but only on nod's own
// master: closing a proxy connection at the wrong moment is fatal to a stock
// one.
//
// # What it promises
//
//   - A stock client sees what a stock master would show it: messages, exit
//     statuses, terminal behaviour. The tests run one check list against both
//     and compare the transcripts.
//   - The caller's descriptors are left as they were. Nothing sets O_NONBLOCK
//     on a descriptor that the operator's shell shares, and no read is left
//     behind that would take the shell's next keystroke.
//   - An exit status is only reported if the far side sent one. Everything else
//     is [ErrNoExitStatus]: unknown, which is not the same as failed.
//   - The socket is for its owner: mode 0600, and the peer's user is asked of
//     the kernel on each connection. A socket in somebody else's hands is
//     refused on the client's side too.
//   - A running master is never displaced, and a socket is only removed by the
//     master that made it.
//   - A client never ends or stalls the operator's master. It uses no proxy
//     mode there, and it holds no connection open between two calls, because a
//     stock master does not exit while one is open.
//   - Who types into one session of our master notices little of a transfer in
//     another: while there are both, the transfer is slowed down until an answer
//     of the far side takes at most twice as long as on an idle link (and 20 ms
//     more on one that answers at once).
//
// # Errors
//
// Errors wrap one of the sentinels of this package where one fits, so that the
// caller can say what to do next. [RefusedError] carries a master's own words.
//
// # Concurrency
//
// A [Client] and a [Listener] are safe for concurrent use. A [Session]'s
// streams are each for one goroutine at a time; its methods for any.
//
// # Design
//
// The master reads the control socket byte by exact byte: descriptors travel
// with one byte each, between two messages, and a buffered reader would lose
// them.
//
// A passed terminal or pipe is opened anew through /proc, which gives an open
// file description of our own that may be non-blocking; sockets take the
// non-blocking flag with each call. That is why the caller's flags need no
// restoring. What cannot be opened anew is used as it is, after poll(2). Without
// /proc, a terminal is opened under its name, and a pipe is used as it is.
//
// Proxy mode ends each channel in the master and opens another towards the far
// side, with x/crypto's own channel code on both. A client that dies while an
// open is pending therefore leaves nothing that the connection could trip over.
//
// The extension "info" of newer clients (ssh -O conninfo) is not offered in our
// HELLO, so that they say themselves that this master does not have it.
//
// The protocol is described in OpenSSH's PROTOCOL.mux; where that file and
// mux.c disagree (booleans and the port of a stdio forward are uint32), the
// code is followed.
//
// The package is built for macOS and FreeBSD, too, but tested on Linux only. A
// socket with a full queue cannot be told from a dead one there; it is tried for
// a moment before it counts as dead.
package mux
