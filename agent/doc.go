// Package agent runs turns: an operator's prompt goes to a model, the model's
// calls go through the gate to the tools, the results go back, until the model
// answers without a call.
//
//	gate, err := agent.NewGate(agent.GateConfig{Tools: registry, Policy: engine, Ledger: ledger, ...})
//	loop, err := agent.New(agent.Config{Model: client, Gate: gate, History: store, ...})
//	ending := loop.Run(ctx, conversation, prompt, sink)
//
// # One turn
//
// [Agent.Run] is synchronous: it returns when the turn has ended, and the
// caller adds the goroutine. Everything that happens meanwhile is told to one
// sink, in one order, from one goroutine at a time:
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
// # The gate
//
// [Gate.Call] plans a tool call, has it decided, puts the intent on record,
// executes it and records how it ended. [Gate.Pass] does the same for an action
// that is not a tool's, such as that of "nod run". There is no other way to a
// grant that is on record.
//
// A command that goes on after its call (Result.Running) is followed: its
// conclusion is written when it ends, GateConfig.Ended hears of it at once, and
// the model at its next step. An execution that ignores the end of its context
// is left alone after a few seconds and followed in the same way. Planning and
// deciding that ignore it are left alone, too; nothing comes of them any more.
//
// # Reverts
//
// Where the operator approves something only with a revert (policy.Answer), the
// gate has that armed on the target first; if that fails, nothing runs. After the
// command's end, or while the link is lost, it tries a new login over a connection
// of its own, and takes the revert back once one works. Each step is an action
// that the operator's answer has allowed, with a grant, an intent and an end of its
// own, linked to the command's. Without nod, the revert comes.
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
//   - A call that acts has its intent on disk before anything moves. Where that
//     cannot be, it does not run; what only reads does. A read that is no plain
//     observation, or that the operator was asked about, is noted.
//   - Secrets go to neither the model nor the store: placeholders stand in their
//     place (package redact), in the operator's words, in results, kept outputs and
//     notes. One in a call is turned back for the target alone ([Gate.Fill]), after
//     the operator himself has approved the action that names it.
//   - An error of the policy is a denial. A denial is on record.
//   - When the context ends, streaming stops within 100 ms, the text so far is
//     kept, calls that have not begun are answered without being run, running
//     commands are interrupted and pending approvals are denied. History and
//     record say "interrupted by the operator".
//
// # Sub-agents
//
// [Agent.Delegate] has a sub-agent do a task for a turn that runs, from within one of
// its calls; [MaxSubAgents] work at the same time. Each has a conversation of its own
// under the turn's, which begins with the task (history.Task) and has nothing of what
// was said before: so no call of the turn is without its result in it. It passes the
// same gate, under its name; it has the turn's secrets and knows what is tainted there,
// never has more tools, and cannot send others. Its calls that must be alone are alone
// among all sub-agents. Its requests are on the account of the turn (Usage.Agent).
// Whatever becomes of it, the turn gets what it found, and its conversation stays.
//
// # Context
//
// The [Meter] estimates a request and is put right by what the server counts; it has
// the reasoning that goes back, and what is kept free for an answer. The operator is
// warned at 80 %, once until it was below 70 %. At 90 % the older messages get a
// summary in their place, so that at most 60 % are left: a row of its own in the
// history, behind which nothing is deleted. Calls and their results stay together. The
// first prompt, the newest prompts and failures and what Config.Pinned says stand in it
// word for word; the rest are lines of the model's, or of nod's if the model gives
// none. A server that finds a conversation too long is asked once more after that.
//
// A picture of the pane (Config.Picture) is part of one request, fenced by a word that
// nobody can know, and never stored. What it shows counts as printed by a target.
//
// [Agent.Use] changes the model from the next request on. Which one answered is not
// part of the history; only what a server attached to a call goes back to it alone.
//
// # Bounds
//
// A turn makes at most Config.MaxIterations requests with tools and then one
// without, for a last word; it runs at most [MaxCalls] calls and uses about
// Config.MaxTokens tokens. A call that has failed twice is not run a third time.
// After three replies with calls that cannot be read, the turn ends.
//
// # Design
//
// Events are plain values and the sink is a function, so that the console, the
// "nod ask" command and the tests listen in the same way, and the package
// knows no screen.
//
// The history is the only state of a conversation: each turn begins by loading
// it. So a turn after a crash is a turn like any other, and what the model is
// sent can be read from the store alone (see conversation in messages.go).
//
// What the model depends on stands here as small interfaces ([Streamer],
// [Store], [Recorder], [Decider]), each with the one real thing that has it.
package agent
