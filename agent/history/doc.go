// Package history keeps conversations: what the operator and the model said,
// the calls and their results, and the full text of results that were cut.
//
// [Open] opens the store in a folder of its own. A conversation is begun with
// [Store.Create] or taken up again with [Store.Resume], written with
// [Store.Append], and finished with [Store.End].
//
// # Promises
//
//   - When Append returns nil, the messages are on disk: a kill -9 or a power
//     cut after that loses none of them, and none is there in part.
//   - A conversation that was not ended because its process died is what
//     [Store.Latest] offers. One that a living process holds is never offered,
//     and cannot be resumed or written by another: [ErrInUse].
//   - A call without a result, because the process died while it ran, gets its
//     one result when the conversation is resumed. It says that the outcome is
//     unknown; nothing is guessed and nothing runs again.
//   - Several processes may use the store at the same time.
//   - A write that the disk refuses changes nothing, and the next one succeeds
//     as soon as the disk takes it. With [Options].Spare, the conversations that the
//     store holds go on in another folder instead, until [Store.Move] leads back.
//   - Writers of all processes come in turn: none fails because others write.
//   - Every method is safe for concurrent use.
//   - What was said, called and answered is found by its words ([Store.Search]),
//     but for the model's reasoning.
//   - What is deleted is gone: from the full-text index, from the pages of the file,
//     from copies of older versions, and from what was learned.
//   - A database of an older version is copied and brought up to date in one
//     transaction; one of a newer version is left alone.
//
// # Errors
//
// Whatever is wrong with the folder, the disk or the database is an [*Error]
// with a [Problem], a sentence and what to do. [ErrNotFound] and [ErrInUse]
// concern one conversation. A context that ends gives its own error.
//
// # Bounds
//
// A message is at most [MaxMessage] bytes long, a kept output [MaxOutput]; a
// longer output is cut and says so. Of a message, the first 256 KiB can be found.
//
// # Design
//
// SQLite with a write-ahead log and synchronous=FULL: each commit is synced.
// Transactions begin as writers (immediate), because two readers that both
// become writers would deadlock, and SQLite resolves that by failing one.
//
// Who holds a conversation is told by a lock on a file, as a process id can be
// another's by now. The messages of a result are stored in the order of the
// calls, so that a dead process's last reply misses only results at its end.
package history
