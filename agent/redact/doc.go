// Package redact takes secrets out of text: out of what goes to a model, into the
// store of conversations and into recordings.
//
//	detector, err := redact.NewDetector()
//	keeper := redact.NewKeeper(detector)
//	vault := keeper.Vault(conversation)
//	text = vault.Text(text)          // password=⟦secret:1⟧
//	text = vault.JSON(result)        // the same within the strings of a JSON text
//	w := redact.NewWriter(file, keeper.Stream()) // a recording; password=⟦secret⟧
//
// # Placeholders
//
// In the place of a secret stands "⟦secret:1⟧". The same secret has the same
// number wherever it stands in a conversation, so that a model can speak of it,
// and put it into a command. [Vault.Fill] turns it back, for the target alone and
// after an approval. A secret is known again by its value, without its
// surroundings, so what a command prints of it is taken out as well. One that is
// too short or too plain for that gets "⟦secret⟧" and cannot be filled in.
//
// Numbers are given once in a process. [Vault.Adopt] keeps those that an earlier
// process gave from getting another meaning: their secrets are not known any more.
//
// # Promises
//
//   - A [Stream] gives the same for every way of cutting a text into pieces, and
//     passes on at once what can be no part of a secret: an interactive recording
//     keeps its pace. [Vault.Text] gives that, or takes out more: what stands
//     before the place where it could be told.
//   - A Stream holds less than 256 KiB. A vault remembers 1,024 secrets of 64 KiB
//     at most; later ones get "⟦secret⟧".
//   - All else is left as it is, byte for byte. Text that was redacted once is not
//     changed by being redacted again.
//   - Every expression is linear in the length of its line.
//   - Detectors, keepers and vaults are safe for concurrent use, streams are not.
//     Nothing here starts a goroutine or writes a file.
//
// # What is not found
//
// Secrets that look like nothing and stand beside no word that gives them away; a
// password typed letter by letter with the cursor moving in between; a secret
// that was encoded, compressed or split over lines, except for keys in armour.
//
// # Design
//
// What secrets look like is data: kinds.toml, with examples of each kind that are
// its tests. A pattern is tried only on lines in which one of its words stands;
// one pass of an automaton over the text finds all words of all kinds, so that
// ordinary output costs a table look-up a byte.
//
// A line is the unit: it is known to be complete or it is not, however it
// arrived. Sequences that only colour a text do not keep a secret from being
// seen, those that move the cursor end a line. Lines of more than 64 KiB are cut
// between two words.
package redact
