// Package decision has the dialogs in which the operator decides: whether
// something may run ([Approval]), and what only they can say: whether a host key is
// right, a passphrase, one of several ways ([QuestionDialog]).
//
//	d := decision.NewApproval(styles, request, time.Now, func(a policy.Answer) { queue.Answer(a) })
//
// An approval shows what would run first and in full, every byte of it recognisable
// (package agent/policy/show), then what nod and the model say of it, and takes one
// answer. The zero [Answer] of a question is "not answered": Esc, and for a
// confirmation n and Enter, give that.
//
// # No accident decides
//
// Every dialog has a [Guard], tells it when it is painted and asks it before it
// takes any input.
//
//   - Nothing counts until the dialog has been on the screen for [Shown] and then
//     for [Quiet] without input. After [Limit], input that is not typed no longer
//     delays anything, and every answer but an approval can be given; an approval
//     always wants a pause before its key.
//   - A key that decides stands alone ([Guard.Decide]): it takes effect when nothing
//     else has been pressed for [Alone], which is drawn as it fills, and any other key
//     cancels it. Keys that come closer (a sentence, a paste that the terminal did not
//     mark, a key that is held down) are thrown away, which the dialog says; scrolling
//     excepted. After them there must be a [Rest].
//   - A key that shared a read of the terminal with something else never decides,
//     whatever the clock says ([Dialog].Hear).
//   - A change of size, the arrival of a preview ([Approval.Preview]) and Rearm start
//     this anew. Where a key of the dialog's own makes it higher or lower, that key
//     counts as any other: the next one needs its pause.
//   - Only the keys y, c, r and a approve. Enter, Space, a paste and the mouse never do.
//   - Every line of what would run has been on the screen: jumping to the end is not
//     enough.
//   - Where the request asks for it, the target's name has been typed.
//   - What has become void ([Approval.Void]) is only denied, which tells why, or
//     edited, which makes another request of it.
//
// # Keys
//
// y approves, c approves for the conversation where that is offered, a shows the
// rule that would approve for good, and takes it when it has been seen, n and Esc
// deny, Enter denies while nothing else is open, d denies with a reason, e
// edits, x explains, r approves with a revert armed before and p looks around
// where these are offered; f folds what is between findings and Tab goes to the next one;
// arrows, PgUp, PgDn, Home, End and the wheel scroll. A click on a key that the dialog
// names does what the key does, but for those that approve. In the
// fields, Enter takes what is written and Esc leaves them; Shift-Enter, Alt-Enter
// or ^J makes a new line in the editor.
//
// # Limits
//
// A key is known from what reaches this machine. Somebody who types one letter, waits
// for longer than Alone and types on has given an answer, and so has a key that is
// held down on a keyboard which begins to repeat it later than that.
//
// # Concurrency
//
// A dialog belongs to one goroutine, the one that draws. done is called from
// its handlers, once.
//
// # Design
//
// Everything is drawn cell by cell. Text that a model, a host or a target wrote is
// never handed to anything that reads tags. A secret is shown as one dot for each
// character and is never drawn, logged or kept.
package decision
