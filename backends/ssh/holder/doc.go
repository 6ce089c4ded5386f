// Package holder keeps ssh connections in processes of their own, one for each
// host, so that a connection outlives the console that asked for it and several
// consoles, and the operator's own ssh, share one login.
//
// [Start] finds the holder of a host or starts one, and relays the questions of
// its login (host key, passphrase, code) to the caller. [Hold] is the holder
// itself: the body of the hidden command that Start runs. It logs in, serves an
// OpenSSH-compatible control socket (package mux) and ends when the connection
// ends, when a client asks for it (ssh -O exit), or when nobody has used it for
// as long as it was told to persist.
//
// [Folder] is where the sockets are. [Folder.List] tells which holders there
// are, [Folder.Stop] ends one.
//
// # What it promises
//
//   - One holder for a host and a folder. Of several that start at once, one
//     logs in and the others wait for it.
//   - A holder whose starter goes away before the login is done ends, and asks
//     nobody anything.
//   - Answers travel through a pipe from parent to child, are never written
//     anywhere and never logged.
//   - The holder gets the operator's environment without the keys for language
//     models, since a ProxyCommand inherits it.
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
// link. The holder is started through sh in a session of its own, so that it
// has no terminal and no parent that would have to wait for it.
package holder
