// Package ssh is the target "ssh:HOST": a host that is reached as the
// operator's own ssh would reach it.
//
// [Open] gives a [Target], which makes its connection again when that is lost;
// [Dial] gives one connection, a [Conn]. Both keep the contract of package
// [github.com/nod-console/nod/backends] and pass its conformance suite. What
// they add or narrow:
//
//   - One login. Everything is a session on one connection: programs,
//     terminals, files. Where the server allows no more sessions (MaxSessions),
//     a call waits for one to end, ErrSessions after two minutes; one is enough.
//   - Exact arguments, whatever the login shell is (sh, bash, zsh, fish, csh),
//     and whatever its start-up files print: programs are started by a small
//     POSIX script that tells where its own words end. A command line may be
//     128 KiB long, as the kernel has it.
//   - Programs get the environment that the host gives to a login, SetEnv, what
//     SendEnv names but for Options.Withhold, and Command.Env.
//   - Cancelling ends the program's whole session, as for the local target. It
//     needs no session of its own, so it works when the server allows no more.
//     Where the host has no /proc, it ends the process group alone.
//   - A program that the kernel refuses although it is there and executable (an
//     interpreter that is missing) shows as a shell shows it: exited 126 or 127.
//   - Terminals are of the kind in Command.Env's TERM, or xterm-256color.
//   - Output that waits for a slow writer when the program ends is handed over
//     as long as the writer takes some within two seconds.
//   - Files need a Linux with the usual small programs (coreutils or busybox).
//     Times are in whole seconds. Without an sftp subsystem the usual places are
//     searched for an sftp server; ErrNoSFTP if there is none. A file with more
//     than one hard link is not written, nor one whose owner could not be kept.
//     Extended attributes are kept where cp can (coreutils, not busybox).
//
// # Connecting
//
// What ssh_config says is asked of the operator's ssh ("ssh -G"); without one,
// the plain options are read (Host, Match all, Include), and what would need
// more is an error. Host keys are checked against known_hosts: an unknown one is
// asked about, a changed or revoked one is refused, and nothing overrides that.
// A host that shows a key of another kind than those that are known counts as
// changed. Logins go by the agent and by key files (no more keys than servers
// count as tries), certificates, keyboard-interactive, and a password at last.
// Each hop of a ProxyJump is a connection of its own, with its own
// configuration and host key. Questions go to [Options.Asker], steps to
// [Options.Step]. What is typed is kept nowhere; opened keys stay open while a
// Target is in use, so that connecting again asks nothing.
//
// What becomes of each option is in [Keywords]. What only the system's ssh can do
// is a *StockError. Connections that others have logged in are
// used where [Options.Shared] finds them.
//
// # When the link is lost
//
// The other side is asked every five seconds whether it is there, one question
// at a time. Whatever comes from it is a sign of life, as is what it takes of
// much that is being sent; after three intervals without any the connection is
// lost. A connection that nobody looks at is asked more rarely (see [Use]), but at
// once when that changes or when something is sent and nothing comes. What ran then has an unknown outcome: it may go on at the other side, as a
// program does whose terminal was closed. A Target fails calls during an outage
// at once with an *OutageError, and tries again every second in the first
// minute, later up to every 30 seconds; it gives up where only a human can help
// (a refused login, a host key), until [Target.Retry].
//
// Time limits are for the other side and not for the way: a step is overdue when
// the other side has answered what was asked after it, so that a link of 1 KB/s
// is slow and not broken. A login has more time while something comes.
//
// No call blocks longer than its context, but for the time to learn whether a
// program was started (three seconds, then ErrUnsure) and to end it.
//
// # Errors
//
// Errors of connecting are *DialError, with the step, the cause and what to do
// next. Errors of files are *fs.PathError. Whatever the link's end has caused
// satisfies errors.Is(err, ErrLost).
//
// # Design
//
// The protocol cannot end what a program has started, nor tell when it is gone.
// So a shell stays at the other end for as long as the connection, the
// remote shell, which can: see scripts/remoteshell.sh. It also tells, once, how the
// login shell quotes and who commands run as. The launcher (scripts/launch.sh)
// costs no round trip of its own. A command takes one, since on servers of OpenSSH the
// next session is opened ahead (see spares); without that it takes two.
//
// The server says how a program ended, since the program has replaced the shell
// that started it. A wrapper that stayed could not tell "exit 137" from a KILL.
//
// The version of sftp that servers speak has no word for "follow no link", for
// the mode of a file in the moment of its creation, for hard links, extended
// attributes, or for having a folder on disk. So looking and plain reading go by
// sftp, and writing, and paths that must not hold links, go by scripts
// (scripts/write.sh, scripts/read.sh), which work relative to a folder that they
// are in, or compare what the kernel has opened with what was asked for. A write
// is one program and so takes two journeys, not eight.
//
// The end of a program's output is the end of its streams. Where something holds
// them open, it is the silence of DrainDelay since the last byte in which the other
// side has answered a question; then the session is closed, and the server's answer
// to that comes behind everything that it sent before, however slow the link is.
// That the streams were open is told (backends.OutputNotice).
//
// A hundred quiet connections must cost next to nothing. So all look at the same moments,
// in nod and in its daemon, there is no look between two questions while nothing comes,
// what comes stands for an answer, and the daemon asks only where no client of its does.
// It has to be told how soon a loss matters: a link cannot tell a pane that is watched from
// one that is not, and a command that runs quietly says nothing (measured with 100 hosts: a
// sixth of the time).
//
// A link (link.go) is what the rest needs of a connection, so that it can be our
// own, nod's daemon's, or the operator's.
package ssh
