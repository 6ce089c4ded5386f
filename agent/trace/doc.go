// Package trace writes down what goes to a model and what comes back, for whoever
// wants to know why it did what it did: each request, reply, call and result as a
// line of JSON.
//
// A [Writer] is told by the loop (agent.Tracer); [Read] and [Follow] give the lines
// back.
//
// # Promises
//
//   - The file and its folder belong to their owner alone (0600, 0700). A link in
//     the file's place is refused.
//   - Two files of [MaxFile] bytes at most: the one that is full becomes the earlier
//     one. A line is at most [MaxLine] bytes; of a longer value, the head stays.
//   - Several processes may write at the same time. Lines are whole.
//   - Tracing never stops a turn: what cannot be written is told once and lost.
//
// Values come without secrets: the loop has put placeholders in their places.
package trace
