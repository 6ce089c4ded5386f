// Package hook is the operator's and the plugins' say in what goes on: programs and Lua
// functions that are told of an event and may deny it or add a note.
//
// [Set.Run] puts an [Event] before each hook that wants it and returns what they say.
// [Program] makes a hook of a program. Plugins make theirs of functions.
//
// # What holds
//
//   - A hook cannot allow anything: its [Answer] has a denial and a note, and an answer
//     with anything else is a failure of the hook.
//   - A required hook that fails, does not answer in time or is not there denies. The
//     failure of any other hook is told in a sentence and changes nothing.
//   - What hooks say is put on record: each denial, each note, each failure.
//
// # The protocol of a program
//
// The event is one JSON object on standard input. The answer is one JSON object on
// standard output: {"deny": "why"}, {"note": "text"}, or both; {} and no output at all
// mean that the hook has nothing to say. Any exit status but 0 is a failure.
//
// # Design
//
// A program of the operator's own configuration runs as it is, with nod's environment:
// it has to reach the ticket system, the pager, the calendar. What it may cost is
// bounded: its time, its output, and its process group, which is killed with it.
package hook
