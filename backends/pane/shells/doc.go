// Package shells is what nod knows of the shells in which it tracks commands:
// their families, the hooks that make them write marks (see package marks), how
// a command is typed for each of them, and which command lines open one.
//
// The hooks are files in the language of their shell, below hooks/. Words in
// capitals in them are filled in: see [Hook].
//
// # Design
//
// The package is pure: it makes texts and reads texts, and holds no terminal.
package shells
