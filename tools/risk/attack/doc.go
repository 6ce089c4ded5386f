// Package attack rewrites a command that is allowed so that it does something
// else, or hides what it does: the ways in which commands have slipped past the
// gates of other programs, and a few more. Whatever of it is still allowed is a
// hole.
//
// It runs nothing. [Rewritings] is a fixed list for a command, [Random] picks
// and combines with a seed, so that a failure can be had again.
//
// # What it promises
//
//   - Every rewriting does more than the command does, or something else: a part
//     that a comment or a quote swallows is left out. The one exception says so:
//     with Mild set, the command runs in another way or with other operands,
//     which an operator's rule does not cover, but which may still be a plain
//     observation.
//   - The list is a pure function of the command, the random one of command and
//     seed.
//
// # Design
//
// The package knows no gate. The caller asks his gate about each rewriting; the
// tests ask package risk, and "nod policy attack" asks the whole policy. What is
// added is always the same file that is written, so that a rewriting is known by
// it.
package attack
