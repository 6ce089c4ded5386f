// Package turn runs turns: an operator's prompt goes to a model, the model's calls go
// through the gate to the tools, the results go back, until the model answers without
// a call.
//
//	g, err := gate.New(gate.Config{Tools: registry, Policy: engine, Ledger: ledger, ...})
//	a, err := turn.New(turn.Config{Model: turn.Model{Client: client}, Gate: g, History: store, ...})
//	ending := a.Run(ctx, conversation, prompt, sink)
//
// [Agent.Run] is synchronous: it returns when the turn has ended, and the caller adds
// the goroutine. Package agent has the events and their order.
//
// # What holds
//
//   - No call runs unless the model's reply was complete and its arguments
//     parse.
//   - Whatever happens (denial, cancellation, a panic, a crash, a full disk),
//     each call has exactly one result in the history before the next request
//     is made.
//   - Results are stored in the order of the calls, each as soon as those before
//     it are. The calls of a reply run in their written order; neighbours that
//     only look run at the same time, eight at most, and never past a call that
//     acts.
//   - Secrets go to neither the model nor the store: placeholders stand in their
//     place (package redact), in the operator's words, in results, kept outputs and
//     notes.
//   - When the context ends, streaming stops within 100 ms, the text so far is
//     kept, calls that have not begun are answered without being run, running
//     commands are interrupted and pending approvals are denied. History and
//     record say "interrupted by the operator".
//
// # Sub-agents
//
// [Agent.Delegate] has a sub-agent do a task for a turn that runs, from within one of
// its calls; [MaxSubAgents] work at the same time. Each has a conversation of its own
// under the turn's, which begins with the task (history.Task) and has nothing of the
// turn's messages. It passes the same gate, under its name; it has the turn's secrets
// and knows what is tainted there, never has more tools, and cannot send others. Its
// calls that must be alone are alone among all sub-agents. Its requests are on the
// account of the turn (agent.Usage). Whatever becomes of it, the turn gets what it
// found, and its conversation stays.
//
// [Agent.Solo] runs an agent that no turn has sent: it has a conversation and an account
// of its own, and only the tools that it was given.
//
// # Context
//
// The [Meter] estimates a request and is corrected by what the server counts; it
// includes the reasoning that goes back, and what is kept free for an answer. The
// operator is warned at 80 %, once until it was below 70 %. At 90 % a summary replaces
// the older messages, so that at most 60 % are left: a row of its own in the history;
// nothing is deleted. Calls and their results stay together. The first prompt, the
// newest prompts and failures and what Config.Pinned says stand in it word for word;
// the rest are lines of the model's, or of nod's if the model gives none. A request
// that a server finds too long is made once more after that.
//
// A snapshot of the pane (Config.Snapshot) is part of one request, fenced, and never
// stored. What it shows counts as printed by a target.
//
// [Agent.Use] changes the model from the next request on. Which one answered is not
// part of the history; only what a server attached to a call goes back to it alone.
//
// # Bounds
//
// A turn makes at most Config.MaxIterations requests with tools and then one
// without, for a last answer; it runs at most [MaxCalls] calls and uses about
// Config.MaxTokens tokens. A call that has failed twice is not run a third time.
// After three replies with calls that cannot be read, the turn ends.
//
// # Design
//
// The history is the only state of a conversation: each turn begins by loading
// it. So a turn after a crash is a turn like any other, and what the model is
// sent can be read from the store alone (see briefing.Messages).
//
// What the model depends on stands here as small interfaces ([Streamer], [Store],
// [Memory], [Tracer]); tests put doubles in their place.
package turn
