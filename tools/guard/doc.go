// Package guard is the only way by which tools reach targets and panes.
//
// A [Guard] holds the real ones and lets nobody have them. What acts on a
// target, or reads something for the model, takes a [tools.Action] and the
// [tools.Grant] for it:
//
//   - the grant must be for exactly this action, and one that acts is good for
//     one time (ErrNotGranted otherwise);
//   - everything that runs, is typed, read or written is taken from the
//     action's own fields, so that a byte which changed after the approval
//     means that nothing runs;
//   - an action with a field that its kind does not carry out is refused, since
//     an operator may have been shown what would not happen;
//   - the surroundings that the action was planned in must still be there: the
//     user, the pane's shell, what stands on its prompt line, the command that
//     keys are for or that a kill would end, the file that a path leads to. If
//     not, the error is a [ChangedError] and nothing happened.
//
// After an error nothing has happened, unless it is an [UnsureError].
//
// Without a grant there is only what planning needs: which targets and panes
// there are, how a pane stands, and what a file holds that a write would replace
// (for the diff that the operator sees; it is not for the model).
//
// A [Run] can be interrupted without a grant, at any time: stopping is never
// forbidden.
//
// All methods are safe for concurrent use.
//
// # Design
//
// The checks could live in each tool. They live here because a tool that
// forgets one should not be able to exist.
//
// The pane is an interface of this package, small and in its own terms, so
// that the guard does not change when panes do. [Keep] makes it of the real
// ones.
package guard
