// Package tmux drives tmux servers of a target through its control mode.
//
// A [Server] is one tmux server, reached by running tmux on the target with
// [backends.Target.Exec]: nothing here knows whether that is this machine, a
// host over ssh or a container. [Server.Attach] gives a [Client], a control
// mode connection to one session, through which commands go and the output of
// the session's panes comes.
//
// # What it promises
//
//   - Order. Commands are answered in the order in which they were queued, and
//     replies and pane output come in the order in which tmux produced them,
//     all on one goroutine. [Client.Seed] therefore gives a pane's state at an
//     exact place in the pane's output.
//   - Exact bytes. What [Client.Type] sends reaches the program byte for byte;
//     what [Handler.Output] gets is byte for byte what the program wrote.
//   - Output is read at once. The client itself never waits for anybody, and a
//     [Handler] must not either: a control mode client that stops reading
//     freezes the pane for everybody who looks at it. If the link stalls
//     nevertheless, tmux (from 3.2) drops output after five seconds and says so
//     with a "pause" notification.
//   - What nod did not make it does not end. [Server.Kill] refuses sessions
//     without nod's marks; names are always matched exactly.
//   - Bounds. A line of the protocol may have 16 MiB and a reply 64 MiB; more
//     ends the connection.
//
// # Errors
//
// [ErrNoTmux] and [*TooOldError] come from [Open], [*CommandError] from a
// command that tmux refused, [ErrGone] from a connection that has ended. After
// ErrGone it is not known whether the last commands ran.
//
// # Design
//
// Control mode instead of polling capture-pane: output arrives within a
// millisecond, complete, and at a fraction of the processor time.
//
// The protocol's weak place is that a reply's body is not escaped: a screen
// that shows a line "%end …" with the right numbers would end the reply. So a
// pane's state is asked for before its screen, in one command line, and tells
// how many lines of the screen's reply cannot be its end. For the same reason
// captures for people and models go through [Server.Run], a tmux process of
// its own.
package tmux
