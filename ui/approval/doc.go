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
//   - Only the keys y, c and r approve. Enter, Space, a paste and the mouse never
//     do.
//   - Nothing that is typed counts before the operator can have seen the dialog
//     (package ui/typeahead). Approving always wants a pause in typing: a stream
//     of keys that began before the dialog came up approves nothing, however
//     long it is.
//   - A key that decides stands alone: with no other key within typeahead.Alone
//     before it and after. For that time the answer is held, which is drawn as it
//     fills, and any other key cancels it. Keys that come closer (a sentence, a
//     paste that the terminal did not mark, a key that is held down) are thrown
//     away, which the dialog says; scrolling excepted.
//   - A key that shared a read of the terminal with something else decides
//     nothing ([Dialog.Hear]).
//   - A change of size, the arrival of a look around ([Dialog.Preview]) and
//     [Dialog.Rearm] start this anew.
//   - Every line has been on the screen: jumping to the end is not enough.
//   - Where the request asks for it, the target's name has been typed.
//   - What has become void ([Dialog.Void]) is only denied, which tells why, or
//     edited, which makes another request of it.
//
// # Keys
//
// y approves, c approves for the conversation where that is offered, a shows the
// rule that would approve for good, and takes it when it has been seen, n and Esc
// deny, Enter denies while nothing else is open, d denies with a reason, e
// edits, x explains, r approves with a revert armed before and p looks around
// where these are offered; arrows, PgUp, PgDn, Home, End and the wheel scroll. In the
// fields, Enter takes what is written and Esc leaves them; Shift-Enter, Alt-Enter
// or ^J makes a new line in the editor.
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
