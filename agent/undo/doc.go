// Package undo keeps what is needed to take back what nod has done: what a file
// held before nod wrote it, and the opposite of a command that has one.
//
// # What it promises
//
//   - [Journal.Keep] has the file's former content on disk before it returns, so
//     that a write that follows can be taken back whatever happens to nod.
//   - Everything lies in the journal's folder with mode 0600, contents by their
//     SHA-256. It is bounded in number, size and age; the oldest goes first, and
//     the newest stays whatever its size.
//   - What is read back is what was kept: a content that does not have its digest
//     is an error.
//   - Several processes may have the same folder. Each knows its own entries from
//     those of others.
//
// It takes nothing back itself: whoever does plans an action from an [Entry],
// which is assessed, asked and recorded like any other.
//
// # Design
//
// An entry is a file of its own, named by its time, written beside and renamed:
// there is no index that could be torn. Whether a write that was kept has
// happened at all needs no second record: the file on the target says so.
package undo
