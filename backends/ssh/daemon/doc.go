// Package daemon keeps ssh connections in one process of its own, so that they
// outlive the console that asked for them and several consoles, and the
// operator's own ssh, share one login to each host.
//
// [Starter.Start] finds the connection to a host or has the daemon make it, which
// it starts if there is none, and relays the questions of the login (host key,
// passphrase, code) to the caller. [Serve] is the daemon itself: the body of the
// hidden command that Start runs. For each host it logs in and serves an
// OpenSSH-compatible control socket (package mux) until the connection ends, a
// client asks for its end (ssh -O exit), or nobody has used it for as long as it
// was told to persist. It ends when it holds nothing any more.
//
// [Folder] is where the sockets are. [Folder.List] tells which connections there
// are, [Folder.Stop] ends one.
//
// # What it promises
//
//   - One connection to a host and a folder. Of several that start at once, one
//     logs in and the others wait for it.
//   - One login to each hop of a ProxyJump: a hop is a connection like any other,
//     or goes over the operator's own master.
//   - A login whose starter goes away before it is done ends, and asks nobody
//     anything.
//   - Where only the system's ssh can log in, it does: as a master (ssh -M), with
//     its questions relayed.
//   - Answers travel through the socket from process to process, are never written
//     anywhere and never logged.
//   - What ssh_config starts gets the environment of who started the login, without
//     the keys for language models.
//   - A few logins at a time to one server (MaxStartups).
//
// # Errors
//
// [*LoginError] says why a login failed, in words for the operator. Others are
// failures to start the process, or the cause of the context.
//
// # Design
//
// A process and not a goroutine, since ssh's clients send SIGWINCH to the
// process that the master names, and since a crash of the console must drop no
// link. One for all hosts, since each costs a few megabytes. It is started through
// sh in a session of its own, so that it has no terminal and no parent that would
// have to wait for it.
package daemon
