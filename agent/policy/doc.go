// Package policy decides what may run: by rules that the operator wrote, by a
// posture, and by the operator himself.
//
// [Engine.Decide] takes a [Proposal] through these steps, in this order:
//
//  1. assess: nod's own verdict (package tools/risk), then the worse of it and
//     what the model claims of its call;
//  2. hard denies: files that hold secrets, and nod's own state;
//  3. the operator's rules, of which the strictest that matches counts;
//  4. the target's trust, for whatever no rule allows or denies;
//  5. the posture;
//  6. where the ruling is "ask": this conversation's grants and the timed
//     window;
//  7. where it is still "ask", or "type": the [Approver].
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
//   - Engine.ApproveAll skips asking. It lifts no denial, and decisions that
//     it made say so.
//
// # Rules match parsed commands
//
// A rule that allows matches narrowly: the whole text must be one plain command
// whose words are all known, with no redirection, assignment, substitution or
// chaining. A rule that asks or denies matches broadly: any command anywhere in
// the text, behind wrappers and in scripts handed to a shell. A text that does
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
