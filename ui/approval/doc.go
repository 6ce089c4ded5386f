// Package approval is the dialog that asks the operator whether something may
// run.
//
// A [Dialog] is a tview primitive for one policy.Request. It shows what would
// run first and in full, every byte of it recognisable (package
// agent/policy/show), what nod and the model say of it, and takes one answer.
//
//	d := approval.New(styles, request, time.Now, func(a policy.Answer) { queue.Answer(a) })
//
// # No accident approves
//
//   - Only the keys y and c approve. Enter, Space, a paste and the mouse never
//     do, and neither does a key that is held down.
//   - Nothing that is typed counts until the dialog has been on the screen for
//     [Guard] and then for [Quiet] without input. After [Limit], input that is
//     not typed no longer delays anything, and everything but approving works.
//     Approving always wants the pause: a stream of keys that began before the
//     dialog came up approves nothing, however long it is.
//   - A change of size and [Dialog.Rearm] start this anew.
//   - The last line has been on the screen.
//   - Where the request asks for it, the target's name has been typed.
//
// # Keys
//
// y approves, c approves for the conversation where that is offered, n and Esc
// deny, Enter denies while nothing else is open, d denies with a reason, e
// edits, x explains; arrows, PgUp, PgDn, Home, End and the wheel scroll. In the
// fields, Enter takes what is written and Esc leaves them; Alt-Enter or ^J
// makes a new line in the editor.
//
// # Concurrency
//
// A Dialog belongs to one goroutine, the one that draws. done is called from
// its handlers, once.
//
// # Design
//
// Everything is drawn cell by cell. Text that a model or a target wrote is never
// handed to anything that reads tags.
package approval
