// Package oneshot does what ends with one command of nod: a command on targets ("nod run"),
// or a turn of a model ("nod ask", "nod agent run"), without the console.
//
// [Nod.Run] takes a command through the gate on each target and reports what became of it,
// in lines or as one JSON object a target. [Nod.Ask] and [Nod.RunAgent] have one turn in a
// conversation of its own. What asks is asked on the controlling terminal; where there is
// none, it is denied. Reverts that an action armed are waited for before the end.
//
// # Design
//
// The flags are the commands' (cmd/nod); this package prints to the streams of a
// [process.System] and ends with an exit status, so a test needs no program.
package oneshot
