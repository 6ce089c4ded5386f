// Package timeline shows what ran in a conversation as bars by target over time.
//
// A [Timeline] takes keys by the commands of package keys ([keys.Browsing]), is drawn when
// it is told to, and says when it next wants to be: while something runs, and not else. It
// has no clock and no goroutine of its own. [Lines] says the same in plain lines.
//
// # Time
//
// A pause in which nothing ran is cut to half a minute, and the axis says so with "⋯": the
// times that it names are those of the clock. Zooming halves or doubles the time that is
// shown. Runs that would stand on each other stand below each other.
//
// # Outcomes
//
// Each bar begins with a sign: ✓ it went well, ✗ it failed, ▸ it runs, ? nobody knows,
// ■ the operator has interrupted it, - it was denied and did not run. The colour says the
// same again.
//
// # Concurrency
//
// A Timeline belongs to the goroutine that draws. What runs wrote is not shown; their
// commands are foreign text and are drawn as such.
package timeline
