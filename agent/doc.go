// Package agent holds the events that a turn tells of: the contract between what works
// (agent/turn) and who listens, such as the console and "nod ask".
//
//	briefing  what the model is told: prompt, conversation, recalled facts, snapshot
//	turn      the loop: prompt -> model -> calls -> results, as events
//	gate      the only way by which anything runs
//	slip      repairs of calls that leave no doubt about what they mean
//
// # Order of events
//
// Everything that happens in a turn goes to one [Sink], in one order, from one
// goroutine at a time:
//
//   - [Text] and [Reasoning] deltas as they stream; a listener may coalesce
//     neighbouring deltas of the same kind, never anything else;
//   - once a reply is complete, [CallProposed] for each of its calls, in their
//     order; then, for each call, [ApprovalAsked] and [ApprovalAnswered] where a
//     rule asks (again for each command that the operator edits), [CallStarted]
//     if it runs, any number of [CallProgress], and exactly one [CallFinished];
//   - [RunEnded], then [Steered], between two requests, when the model is told of it;
//     then [Compaction] where a summary takes the place of older messages;
//   - [Usage] after each request; [Notice], [Fault], [Retrying] when there is
//     something to say;
//   - [Done] last, exactly once.
//
// The sink must not block for long: the turn waits for it.
//
// # Design
//
// Events are plain values and the sink is a function, so that the console, the
// "nod ask" command and the tests listen in the same way, and the package
// knows no screen.
package agent
