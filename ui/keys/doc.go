// Package keys is the one table of everything that the operator can tell the
// console to do: by a key, by a word after a slash, or both.
//
// The table feeds the handlers ([Table.Find]), the slash commands ([Parse]), the
// help overlay ([Table.Groups]), the hints of the bottom line ([Table.Hints]), the
// page of all keys ([Table.Page]) and the manual ([Manual]), so that none of them
// can say something else than the others.
//
// The operator can give commands other keys ([Bind]). A [Table] is what comes of
// it; nil is the one that nod brings. What dialogs, lists, the terminal that is
// typed into and the line that is written in need cannot be taken from them.
//
// A command can be unavailable at the moment: [Command.Unavailable] says why,
// and the overlay shows the reason beside it.
//
// # Design
//
// Keys are compared by name ([Name]), because terminals report one and the same
// key in several ways: as a control character, as a letter with a modifier, or
// as a code of their own.
package keys
