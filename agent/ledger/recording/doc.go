// Package recording keeps what panes have shown, as asciicast files that any
// player plays, beside the ledger of what ran in them.
//
// # Use
//
// A [Store] records: [Store.Record] gives a [Recorder], which a pane tells of
// everything it shows. [Load] reads a recording, [Play] shows it at any time of
// it, [ExportV3] hands it to others, [List] and [Remove] keep house.
//
// # Promises
//
//   - Exact. Where nothing was lost, a terminal that gets the output of a
//     recording shows what the pane showed. Bytes that are no UTF-8, which a
//     recording cannot hold, are U+FFFD in it.
//   - Output only. What is typed is in a recording as far as the terminal has
//     echoed it; with the echo off it is not there.
//   - Nothing stalls. A Recorder's methods never wait for the disk. What the
//     disk does not take in time is lost, which the recording says: a mark for
//     the gap, and then the picture.
//   - Bounded. A recorder holds at most 8 MiB that wait to be written, and as much
//     that is being written. Output that
//     goes on above 256 KiB/s, beyond a first 32 MiB, is sampled: gaps, and the
//     picture after each. A file that has grown to 64 MiB is continued in the
//     next; beyond 2 GiB or 5,000 files in all, the oldest recordings go, and it is
//     told which.
//   - [Store.Healthy] says why nothing that acts may run now: a recording cannot
//     be written, or is not written in time. It heals by itself.
//   - Safe for concurrent use, and several processes may record into one folder.
//
// # On disk
//
// The folder is 0700, the files are 0600, named by start, target, session and
// pane: 20260102T150405.123Z_ssh-web-1_main_shared_k3f9.cast, and .2.cast for what
// follows it. One that is being written is locked (flock).
//
// Output is written at most a tenth of a second after it came, and fsynced when
// a command has ended, at the latest two seconds after it was written, and at the
// end. So a crash of nod loses a tenth of a second, one of the machine two
// seconds. A write that fails halfway is cut off again; a line that a crash has
// cut is left out by who plays it and cut off by the next process that records.
//
// # The format
//
// asciicast v2 (docs.asciinema.org/manual/asciicast/v2): a header, then an event
// a line. "o" is output, "r" a new size, which the whole picture follows, "m" a
// mark, whose text begins with a word:
//
//	run: COMMAND        it begins
//	exited N: COMMAND   it has ended so; also "signalled S: ", "unknown: "
//	gap: WHY            something is missing here; the picture follows
//
// The header has what nod knows in "nod": target, session, pane, the part's
// number and when it begins.
//
// # Binding
//
// The beginning of a file never changes. A [Bound] has its length and digest at a time:
// [Store.Bind] gives one when everything that was shown is on disk, [Options].Ended one
// of each file that has ended. Who keeps them where they cannot be changed proves with
// [Check] that a file is what was recorded.
//
// # Redaction
//
// [Options].Redact makes a [Filter] for each recording: everything passes it
// before it is written, marks too. What it holds back is written when it can be
// judged, at the latest with the next mark, size or picture. Without one,
// everything is written as it was shown.
//
// # Design
//
// The pane calls with its lock held, so a Recorder only copies into a queue;
// one goroutine for each recording encodes and writes. After a gap, the pane is
// asked for its picture (retap), which the recording goes on from; a new file
// begins with one, so that each plays by itself.
package recording
