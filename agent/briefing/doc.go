// Package briefing builds what the model is told: the system prompt with the situation,
// the conversation as the server gets it, the tools, what is recalled of earlier turns,
// and the snapshot of the operator's terminal. It has no state and does no I/O.
//
// Everything that a program may have written is fenced as data. The fence holds a word
// that no program can know.
package briefing
