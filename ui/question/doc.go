// Package question is the dialog for what only the operator can say: whether a
// host key is right, a passphrase, a code, one of several ways to go.
//
// A [Dialog] is a tview primitive for one [Question]. Its zero [Answer] is "not
// answered": Esc, and for a confirmation n and Enter, give that. So nothing that
// is closed or cancelled can be taken for a yes.
//
// What was typed before the dialog could be seen is not taken (package
// ui/typeahead): neither for a yes nor into a secret. A key that answers stands alone,
// as in an approval. A secret is shown as one
// dot for each character, wherever it came from, and is never drawn, logged or
// kept.
//
// The text of a question may come from a host. It is drawn cell by cell, with
// control characters made visible, never read as markup.
//
// A Dialog belongs to the goroutine that draws it. done is called from its
// handlers, once.
package question
