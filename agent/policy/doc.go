// Package policy decides what may run: by rules that the operator wrote, by a
// posture, and by the operator himself.
//
// [Engine.Decide] takes a [Proposal] through these steps, in this order:
//
//  1. assess: nod's own verdict (package tools/risk); what only lacks to know the
//     hosts that it talks to is a plain observation if each is a target's, or was
//     named by the operator; then the worse of it and what the model claims of
//     its call; with a part that a target has printed
//     and the operator has not said (taint), it is no plain observation;
//  2. hard denies: files that hold secrets, and nod's own state;
//  3. the operator's rules, of which the strictest that matches counts;
//  4. the target's trust, for whatever no rule allows or denies;
//  5. the posture;
//  6. where the ruling is "ask": this conversation's grants and the timed
//     window;
//  7. where it is still "ask", or "type": the [Approver].
//
// What cannot be put on record passes only as a plain observation, and asks
// nobody (Proposal.Unrecorded).
//
// Two kinds of actions are decided by an answer that was given: those of a revert,
// by the one that wanted it (Proposal.Under), and looks around before an answer
// (Proposal.Preview), which pass only if they plainly observe and no rule denies
// them.
//
// What comes out allowed has a tools.Grant for exactly that action. Nothing
// else in nod mints grants.
//
// # What holds
//
//   - The zero Ruling asks, the zero Decision denies, the zero Answer denies. A
//     cancelled wait denies, and so does an approver that fails.
//   - An answer counts only if it carries the id of the request, typed the name
//     that had to be typed, and asks for a scope that was offered. The engine
//     checks that itself, whoever the approver is.
//   - An edited command is no approval: Decision.Edited brings it back, and the
//     caller plans, proposes and decides anew.
//   - What is approved for good becomes a rule of exact words for one target,
//     shown before it is taken, tested and on disk before the command runs. It is
//     not offered for what destroys, locks out, sends data away or is opaque.
//   - Engine.ApproveAll skips asking. It lifts no denial, and decisions that
//     it made say so.
//
// # Rules match parsed commands
//
// A rule that allows matches narrowly: the whole text must be one plain command
// whose words are all known, with no redirection, assignment, substitution or
// chaining, and meant for the target itself: not for a shell that another
// command has opened in a pane ("ssh db-1"), where everything asks. It goes no
// further than its own examples and the bare program, unless it says so: to no
// other host, and where a program runs what its folder's configuration names, in
// no folder but those that it names. A rule
// that asks or denies matches broadly: any command anywhere in the text, behind
// wrappers and in scripts handed to a shell. A text that does
// not parse matches no rule that allows and every rule that restricts programs
// that are named in it.
//
// # Concurrency
//
// All methods of an Engine and of a Queue are safe for concurrent use.
//
// # Design
//
// The [Approver] is an interface of this package, and a request carries all
// that a screen or a terminal shows, so that the engine knows neither. The
// request's sections are what the action's digest covers, rendered by package
// show: what was shown is what runs.
package policy
