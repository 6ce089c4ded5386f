// Package typed answers what keys would do that a program reads, not a shell at its
// prompt: a line for psql, sqlite3, redis-cli or an interpreter, a key for less or vim.
// It is a pure function, like package risk, whose verdicts it gives.
//
// # What it promises
//
//   - Which program reads the keys is evidence ([Recognize]): the processes in the
//     foreground as the target's kernel tells, or where it does not, the command that was
//     tracked; and the program's own prompt in front of the cursor, or for a program that
//     takes the screen its bottom line. Where the two do not fit, or a program was started
//     with an option that is not known, no program is known.
//   - A program is known by the name of its file, wherever that lies. One whose file its user
//     can replace (a version manager's interpreter, a build of one's own) is read like the one
//     whose name it has, but nothing that is typed into it is Auto: what it does with that,
//     whoever wrote it has decided. See access(2) and proc(5): the target's shell tells.
//   - A verdict is Auto only where each line, or each key, is known to look only. What
//     stands on the line already counts, and so do the lines of a statement that has begun.
//   - What is for an interpreter, or for a program that is not known, and is more than an
//     answer to a question is opaque.
//   - Keys that recall or complete a line make it one that nobody knows; sending it off is
//     opaque.
//
// # What it does not know
//
// What programs were told before: variables of an interpreter, views and functions of a
// database, macros and key bindings of an editor, a client's own configuration. All of
// these were set by somebody who could act already. History files of line editors do not
// count as a change.
//
// # Design
//
// A language is a row in a table (languages.go): the programs that speak it, the options
// that leave it what it is, its prompts and a function that judges a line. Programs that
// take the screen have tables of keys instead (pager.go, editor.go).
package typed
