// Package chooser is a list of which the operator chooses one entry: a command,
// a theme, a conversation.
//
// A [Chooser] knows its rows and nothing of what they stand for: what is chosen
// comes back by its name. What is typed filters and orders the rows: first those
// that hold each word of it, then those that have its letters in that order.
// Without a filter the rows keep their order.
//
// A row that cannot be chosen at the moment is shown with the reason.
//
// A Chooser belongs to one goroutine.
package chooser
