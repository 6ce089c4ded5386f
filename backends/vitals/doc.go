// Package vitals asks a host how it does: the load of its processors, its memory and
// the fullest of its file systems.
//
//	p := &vitals.Prober{Target: target, Stands: stands}
//	p.Run(ctx, func(r vitals.Reading) { ... })
//
// [Prober.Run] looks now and then, over the connection that the target has anyway,
// until its context ends. A look is one command, whose text is one of [Looks] and never
// anything else: it reads files of /proc and the sizes of file systems, and changes
// nothing. [Parse] reads the answer.
//
// What a host does not say is not known: nothing is guessed. /proc is Linux's; other
// systems tell their load and their file systems, and no memory.
//
// # What holds
//
//   - One look at a host at a time. The next one begins [Every] after the end of the
//     last, or later where looks fail.
//   - A look ends after [Limit]. Its command is ended on the host, too.
//   - While the link is lost there is none, and one that is on its way is given up.
//   - An answer is read up to 64 KiB, and no part of it is taken for text of nod's own.
//
// # Design
//
// A look is nod's own, like the questions of package pane about processes: no model asks
// for it, no argument of it comes from anywhere, and nobody is asked. It is not on
// record: it would be 8,640 entries a day and host that say nothing. A test
// (cmd/nod/internal/app/controller) has the risk analysis take each of Looks for a plain
// observation.
//
// The latency is the time to the first byte of the answer: one way there and back, and
// the start of one program, as for everything else that runs there. A connection that
// measures its own way there and back knows better; both together say whether the link is
// slow or the host.
//
// df is asked for local file systems first, since one of a server that is gone would
// keep it waiting. BusyBox has no such option; where the first look did not tell
// everything, the other one is used from then on.
package vitals
