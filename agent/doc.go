// Package agent runs turns: an operator's prompt goes to a model, the model's
// calls go through the gate to the tools, the results go back, until the model
// answers without a call.
//
// # One turn
//
// [Agent.Run] is synchronous: it returns when the turn has ended, and the
// caller adds the goroutine. Everything that happens meanwhile is told to one
// sink, in one order, from one goroutine at a time:
//
//   - [Text] and [Reasoning] deltas as they stream; a listener may coalesce
//     neighbouring deltas of the same kind, never anything else;
//   - for each call, in the order in which the model made them: [CallProposed]
//     as soon as its arguments are complete, then [ApprovalAsked] and
//     [ApprovalAnswered] where a rule asks, [CallStarted], any number of
//     [CallProgress], and exactly one [CallFinished];
//   - [Usage] after each request; [Notice], [Fault], [Retrying] when there is
//     something to say;
//   - [Done] last, exactly once.
//
// The sink must not block for long: the turn waits for it.
//
// # What holds
//
//   - No call runs unless the model's reply was complete and its arguments
//     parse.
//   - Whatever happens (denial, cancellation, a panic, a crash), each call has
//     exactly one result in the history before the next request is made.
//   - Results are stored in the order of the calls. Parallelizable calls run at
//     the same time, the others one by one after them.
//   - A call that acts has its intent on disk before anything moves.
//   - When the context ends, streaming stops within 100 ms, the text so far is
//     kept, unfinished calls are dropped, running commands are interrupted and
//     pending approvals are denied.
//
// # Design
//
// Events are plain values and the sink is a function, so that the console, the
// "nod ask" command and the tests listen in the same way, and the package
// knows no screen.
package agent
