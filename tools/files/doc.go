// Package files holds the tools read_file and write_file.
//
// Both name a file by what its path leads to: links are resolved when the call
// is planned, so that rules, the operator and the record speak of the file that
// is touched, and the guard refuses if the path leads elsewhere later.
//
// A file that exists is overwritten only if the model has read it and it has
// not changed since: [Seen] remembers what was read, by content; the action
// carries that as its expectation; and the target checks it once more in the
// moment of writing.
//
// # Design
//
// The range of lines that read_file returns is in the action's Command as
// canonical JSON, since Execute has nothing but the action.
//
// The diff for the operator is computed from the very bytes that the action
// expects and writes. Its effort is bounded: what differs in more lines than a
// person would compare is shown as removed and added whole.
package files
