package tmux

import (
	"crypto/rand"
	"strings"
)

// lagMost is for how many seconds the server holds output that a connection does
// not take before it drops it. More would lose less where this process gets no
// processor for a while, or its link is slow; a flood that nobody takes costs the
// server about 10 MB of memory a second meanwhile (measured: seq in a loop, 3.3a).
const lagMost = 20

// tmux (3.3a) reads no more of a pane as long as all clients that are
// attached to its server are control clients which cannot take more. That they
// are to be paused after some seconds it looks for only where it has read
// something. So a control client that stops reading, because its link stalls or
// its process is stopped, holds up the programs in the pane for ever, in spite of
// pause-after: it depends on how full its buffers were.
//
// A control client that takes no output counts as one that can take more. So
// each connection has such a client beside it. It is a process on the target that
// sleeps, and ends with the other: its standard input is a pipe of which the
// other one holds the end.
//
// It comes first, and the other one waits for its word on a channel of tmux's.
// For a client that has said that it is in control mode, but not yet all about
// itself, any notification is the end of the whole server (up to 3.6), and much of
// what is done on a fresh connection notifies.
const besideScript = `{ { TMUX wait-for CHANNEL </dev/null >/dev/null 3>&-; exec "$@" 4>&1 >&3 3>&-; } |
{ TMUX RELIEF \; wait-for -S CHANNEL >/dev/null 2>&1 3>&- || TMUX wait-for -S CHANNEL 2>/dev/null 3>&-; }; } 3>&1`

// beside is the command line of a client with another one beside it, which has
// the given arguments. Both are of the same server.
func (s *Server) beside(client, relief []string) []string {
	script := strings.NewReplacer(
		"TMUX", shellLine(s.argv()), "RELIEF", shellLine(relief), "CHANNEL", "nod-"+rand.Text(),
	).Replace(besideScript)
	return append([]string{"sh", "-c", script, "sh"}, client...)
}
