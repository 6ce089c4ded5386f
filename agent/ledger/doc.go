// Package ledger is the record of what was allowed to run and how it ended: an
// append-only file of JSON lines in which each line is sealed and chained to
// the one before it.
//
// # Use
//
// Before anything that acts moves, [Ledger.Intend] writes an intent; when it is
// over, [Ledger.Conclude] writes its conclusion. What is no run, a proposal
// that was denied or a change of posture, is a [Note]. [Verify] proves a ledger,
// [Read] walks it, [ExportJSON] and [ExportMarkdown] hand it to somebody else.
//
// # Promises
//
//   - When Intend returns nil, the record and the head that covers it are on
//     disk. When it returns an error, nothing may run.
//   - An intent whose process is gone gets the conclusion "unknown" at the next
//     Open. It is never guessed.
//   - A conclusion or note that cannot be written is kept in memory and written as
//     soon as the disk takes it, at the latest by the next Open ([Options].Spool).
//   - Several processes may hold the same ledger. Each append takes an advisory
//     lock, reads what the others added, verifies it, and only then appends.
//   - [Ledger.Healthy] says why nothing that acts may run now. It heals without
//     a restart; the gap is then on record as a note.
//   - Every method is safe for concurrent use. A record is at most [MaxRecord]
//     bytes long.
//
// # Files
//
// All are in one folder (0700, owned by this user, not a link); each is 0600.
//
//	ledger.jsonl  {"seq":1,"prev":"…","body":{…},"mac":"…"}, one line a record
//	head          how many records there are and the last one's seal, sealed itself
//	key           the secret of the seals
//	epochs        signatures of what there was at some times, a line each
//	epoch-key     the key of the next signature
//	lock          who may append
//	live-ID       locked for as long as the process with that ID is alive
//
// # What is detected and what is not
//
// A seal is an HMAC-SHA256 over the whole line up to its "mac", hence over the
// number, the seal of the line before, and the content. Lines are compared byte
// by byte with what the ledger would have written.
//
// Without the key, nobody can edit, insert, delete, swap or repeat a record,
// cut records off the end, cut and append new ones, or remove the head, the key
// or the log, without Verify saying so and naming the first bad record.
//
// Somebody who has all files can write, cut off or append only what no epoch has
// signed yet: at most 64 records, or those of a minute. See "Epochs".
//
// Not detected by the folder alone: an older state of all of its files, one that was
// written anew from the first record on, and its removal (whoever keeps other files
// beside it can notice that: [Name] tells one ledger from another). What is kept
// elsewhere refutes the first two: the last head, in [Options].Heads, which Open and
// Verify compare by themselves; and each head, in [Options].Witness ([Syslog],
// [Journald]), which [Compare] holds the ledger against.
//
// # Epochs
//
// An epoch is a line that signs (Ed25519) how many records there are, the last one's
// seal, and the key of the next epoch. It ends after 64 records, a minute after the
// first of them, and when a Ledger is closed. Its key signs once; then the next one is
// written over it, in place. The head names the first key, so that epochs cannot be
// left out. A crash between signing and overwriting leaves both keys, of which the next
// epoch overwrites the old one. A ledger of before begins with an epoch that signs what
// is there.
//
// A key that was overwritten is gone as far as the file system and the disk write in
// place; one that copies on write, or a snapshot, may keep it.
//
// # Crashes
//
// A record is written and fsynced first, then the head is replaced by a rename
// and the folder fsynced. Only then is the record acknowledged. A crash
// therefore leaves one of three states, and each of them loses nothing that was
// acknowledged:
//
//   - bytes past the head that are no whole record: they are cut off;
//   - one whole record past the head: it is adopted;
//   - a record and its head: nothing to do.
//
// A log that ends before its head is never the work of a crash, and neither is
// a log with two records past it. Verify reports the first two states as a
// [Fault] that is Recoverable; the next append, or Open, recovers and puts that
// on record. Replaying a head that is older by exactly one record looks like
// the second state and hides nothing: every record is still there.
//
// # Design
//
// The head lags and never leads. A head written ahead of its record would make
// "the last record was cut off" look like a crash. A lagging head can only make
// a whole log look one record longer than acknowledged.
//
// After a failed fsync the kernel may have dropped the data and forgotten about
// it, so a record past the head is written again before it is adopted.
//
// Whether a process is alive is asked from a lock that it holds, not from its
// process id, because ids are reused and differ between containers that share a
// folder.
package ledger
