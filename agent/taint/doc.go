// Package taint tells which parts of a proposed command came out of a target's
// output and not out of the operator's mouth. A log line can hold instructions,
// and a model may follow them; what it took from there is marked, and does not
// run by itself.
//
// A [Memory] is told what the operator said, what the model wrote and what
// targets printed, and is asked about a command. A part is a word, or a piece of
// one, that targets have printed, that the operator has never said, and that the
// model did not use before it was printed.
//
// # What it promises
//
//   - Whatever was printed stays known: there is no limit behind which a part
//     counts as clean again. The memory that takes is bounded ([FilterBytes] for
//     output, [MaxSaid] words of the operator's); when it is full, parts count as
//     tainted that are not. It errs on the side of asking.
//   - What every system has is no part: short pieces, plain numbers, programs,
//     sub-commands and options that package risk knows, and the names in
//     common.txt.
//   - A host counts as named only if the operator has said its whole name; what
//     the model or a target says of it does not count ([Memory.Named]).
//   - Safe for concurrent use.
//
// # What it does not see
//
// A part that the model has translated, encoded or put together from pieces
// shorter than [MinPart]. Taint is a reason to ask, and nothing that is risky
// passes for want of it.
//
// # Design
//
// Output is kept as a Bloom filter of its pieces, so that a conversation of any
// length costs the same and nothing that was printed is kept in clear.
package taint
