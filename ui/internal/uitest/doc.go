// Package uitest drives a screen as an operator does, so that tests of the
// console read like stories:
//
//	ui := uitest.New(t, 80, 24)
//	c, _ := console.New(console.Options{Screen: ui.Screen(), ...})
//	ui.Run(c.Run)
//	ui.Type("why is the disk full?").Press("Enter")
//	ui.See("18G")
//	ui.Golden("answer")
//
// Mouse and Drag are the operator's mouse; Copied is what came to his clipboard.
//
// Nothing waits for a time. Press, Type and Paste return when the console has
// handled what was pressed and has drawn; See and Gone look again after each
// frame, until a deadline that only a failing test reaches.
//
// Goldens are plain text, a line for each row, in testdata of the test's
// package; go test -update renews them.
package uitest
