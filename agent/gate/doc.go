// Package gate is the only way by which anything runs: plan, assess, decide, record,
// execute, record.
//
//	g, err := gate.New(gate.Config{Tools: registry, Policy: engine, Ledger: ledger, ...})
//	answer := g.Call(ctx, gate.Call{Tool: "run_shell", Arguments: args, ...}, sink)
//
// [Gate.Call] plans a tool call, has it decided, puts the intent on record, executes
// it and records how it ended. [Gate.Pass] does the same for an action that is not a
// tool's, such as that of "nod run". There is no other way to a grant that is on
// record.
//
// A command that goes on after its call (Result.Running) is followed: its conclusion
// is written when it ends, Config.Ended hears of it at once, and the model at its next
// step. An execution that ignores the end of its context is left alone after a few
// seconds and followed in the same way. Planning and deciding that ignore it are left
// alone, too; their values are dropped.
//
// # What holds
//
//   - A call that acts has its intent on disk before anything moves. Where that
//     cannot be, it does not run; what only reads does. A read that is no plain
//     observation, or that the operator was asked about, is noted.
//   - Secrets are filled in for the target alone ([Gate.Fill]), after the operator has
//     approved the action that names them.
//   - An error of the policy is a denial. A denial is on record.
//   - A panic of a tool is the failure of its call.
//
// # Reverts
//
// Where the operator approves something only with a revert (policy.Answer), the gate
// has that armed on the target first; if that fails, nothing runs. After the command's
// end, or while the link is lost, it tries a new login over a connection of its own,
// and takes the revert back once one works. Each step is an action that the operator's
// answer has allowed, with a grant, an intent and an end of its own, linked to the
// command's. Without nod, the revert comes.
package gate
