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
//     [Handler] must not either. If the link stalls nevertheless, or the whole
//     process is stopped, what runs in the pane goes on (tmux from 3.2): the
//     server holds output for twenty seconds, in its memory, then drops it, and
//     says so with a "pause" notification when it can. For that each connection
//     is two clients of the server, of which one takes no output (see lagging.go).
//     An older tmux freezes the pane for everybody who looks at it.
//   - Keys reach one pane. Where panes are synchronized, or the input of one is
//     switched off, nothing is typed: [*InputError]. nod's own panes are taken
//     out of both by an option of the pane.
//   - The operator's stays the operator's. [Server.Visit] changes nothing of a
//     session, and on a server that is not nod's no global option is set.
//   - The server outlives its guest. What makes tmux crash is not asked of it:
//     subscriptions (before 3.7), respawning a pane, and two clients that introduce
//     themselves while there is something to notify them of.
//   - What nod did not make it does not end. [Server.Kill] refuses sessions
//     without nod's marks; names are always matched exactly.
//   - Bounds. A line of the protocol may have 16 MiB and a reply 64 MiB; more
//     ends the connection.
//
// Sessions are best named by their ids, since anybody may rename them, and panes
// are known as nod's by a mark of their own, not by the name of their window.
//
// # Errors
//
// [ErrNoTmux] and [*TooOldError] come from [Open], [*CommandError] from a
// command that tmux refused, [ErrNoControl] from a tmux that answers everything
// but control mode (see [Server.Poll]), [ErrGone] from a connection that has ended. After
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
