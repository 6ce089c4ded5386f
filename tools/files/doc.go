// Package files holds the tools read_file, write_file, edit_file, grep and glob.
//
// All name a file by what its path leads to: links are resolved when the call
// is planned, so that rules, the operator and the record speak of the file that
// is touched, and the guard refuses if the path leads elsewhere later.
//
// A file that exists is overwritten only if the model has read it and it has
// not changed since: [Seen] remembers what was read, by content; the action
// carries that as its expectation; and the target checks it once more in the
// moment of writing.
//
// An edit is planned as the write of the whole new content, so that the
// operator, the record and the way back know one kind of change.
//
// grep and glob search where the files are ([backends.Searcher]) and leave out
// what holds secrets. [Bounds] keep all of them in a workspace, where there is
// one, and out of the system's folders.
//
// # Design
//
// A workspace is a check of the resolved path. That is enough, since a resolved
// path is opened name by name from the root and a link in it is refused: what
// os.Root gives, and that no link within the workspace is followed either.
//
// The range of lines that read_file returns is in the action's Command as
// canonical JSON, since Execute has nothing but the action.
//
// The diff for the operator is computed from the very bytes that the action
// expects and writes. Its effort is bounded: what differs in more lines than a
// person would compare is shown as removed and added whole.
package files
