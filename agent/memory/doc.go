// Package memory is what nod knows from earlier turns, and how much of it a
// model is told.
//
//	m, err := memory.Open(filepath.Join(state, "memory"), store, memory.Options{Workspace: dir, Secret: looks})
//	known, err := m.Recall(ctx, memory.Question{Conversation: id, Target: "ssh:web-1", Prompt: prompt})
//
// # Layers
//
//   - Entries: what the operator, or the model with his approval, wants to be
//     remembered. Those of a conversation are in its store; those of a project and
//     of everywhere are Markdown files that a person can edit: each item of a list
//     and each paragraph is an [Entry]. A project is a target, or the workspace on
//     this machine.
//   - Episodes: a summary of each turn, in a line for each thing that was done,
//     with how it ended and never with what it printed.
//   - Patterns: what was done in [history.PatternTurns] turns. Each knows the turns
//     it comes from, and can be struck.
//
// # Promises
//
//   - [Memory.Recall] gives [Budget] bytes at most, each entry in one line behind a
//     label that says whose it is. An entry cannot begin a line of its own, nor end
//     the fence around them.
//   - What came from a target's output keeps counting as such: an entry of it says so in
//     the file, and [Memory.Tainted] returns them all.
//   - Files are read anew whenever they have changed, and replaced in one step. A
//     file that has changed since a change of it was planned is left alone:
//     [ErrChanged].
//   - What looks like a secret is not remembered: [ErrSecret].
//   - Every method is safe for concurrent use, also by several processes.
//
// # Design
//
// The files are the truth: their full-text index is made in memory from what they
// hold now, so that it can never be older than they are. Episodes and patterns are
// in the store of the conversations, and go with them.
package memory
