// Package console is nod's screen as a whole: where the rooms stand, who has
// the keyboard, and the one goroutine that moves everything.
//
//	c, err := console.New(console.Options{Submit: loop.Submit, ...})
//	engine := policy.New(..., c.Approver())
//	err = c.Run(ctx)
//
// [Console.Run] opens the terminal, draws the first frame before anything else
// happens, and returns when the operator quits or ctx ends. It leaves the
// terminal as it found it, also after a panic, which it prints once that is
// done and returns as an error.
//
// # From other goroutines
//
// [Console.AddPane], [Console.RemovePane], [Console.Notify], [Console.Ask] and
// the [Approver] may be called at any time, before, while and after the console
// runs, from any goroutine. They never wait for the screen, except Ask and
// Approve, which wait for the operator. What comes after the end is ignored, an
// approval is denied and a question has no answer then.
//
// # Order
//
// Everything that happens arrives in one mailbox and is taken out in the order
// of its arrival. Neighbouring pieces of text are joined; of a pane's changes
// only the latest counts. Nothing else is ever left out. There
// are at most sixty frames a second, and none while nothing changes.
//
// # Panes
//
// The main pane stands first, the others in the order in which they came, until
// the operator moves one. They stand in a grid as long as each has room for a few
// lines; else one is shown, under a row that names all and marks those in which
// something goes on. How the operator divides the screen holds in proportion at other
// sizes, for this number of panes and columns, and with [Options.Layouts] for the next
// console with the same targets. Nothing
// that happens in a pane moves the keyboard or the view, except that a dialog
// shows the pane that it is about. A proposal whose pane changes while the
// operator is asked cannot be approved any more: [Options.Standing] finds out.
//
// # Design
//
// The rooms are tview primitives, but there is no tview.Application: its
// QueueUpdateDraw waits for the event loop, so that it deadlocks when called
// from a key handler and blocks for ever after the end. Here one goroutine, the
// pump, takes keys from the terminal and mail from everybody else, and only it
// touches a room. Callbacks that may take time run in goroutines of their own
// and answer by mail. So a slow target never freezes a key, and a room needs no
// lock.
package console
