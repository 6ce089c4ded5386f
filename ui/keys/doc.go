// Package keys is the one table of everything that the operator can tell the
// console to do: by a key, by a word after a slash, or both.
//
// The table feeds the handlers ([Find]), the slash commands ([Parse]), the help
// overlay ([Groups]), the hints of the bottom line ([Hints]) and the manual
// ([Manual]), so that none of them can say something else than the others.
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
