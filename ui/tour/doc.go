// Package tour leads a new operator through the main job in two minutes: he asks, sees
// a command run, approves a harmless one, takes it back, types into the terminal and
// finds every other command. He does it himself, with the real thing; the tour only
// watches and says what comes next.
//
//	t := tour.New(tour.Options{Folder: tour.Folder()})
//	say(t.Text())
//	t.Event(e)                       // what turns tell
//	t.Saw(tour.Listed)               // what keys do
//	if text, ok := t.Next(); ok {…}  // a step was done, or needs another word
//
// A Tour belongs to one goroutine. It changes nothing and remembers nothing: left in the
// middle it is over, and it can be begun again at any time.
//
// # Design
//
// No step depends on who answers: the one that asks works with the built-in guide as with
// any model, and what is approved is a command of the operator's own, so that nothing
// happens that he has not written himself.
package tour
