// Package tools is the contract between a model that wants something done and
// the code that does it.
//
// # A call's way
//
// A [Tool] is called in two steps. [Tool.Plan] turns the model's arguments into
// an [Action]: everything that would happen, exactly, and nothing happens yet.
// The action is assessed, decided upon, shown to the operator where a rule says
// so, and recorded. Only then [Tool.Execute] gets the action back together with
// a [Grant] for it. What a tool does in Execute, it does through the guarded
// targets of package tools/guard, which compare the grant with the action and
// take every byte that runs from the action itself.
//
// # Two kinds of failure
//
// A [Result] with IsError set is a normal outcome that the model is expected to
// handle: no such file, a command that exited with 1, an operator who said no.
//
// An error of type [*Error] is a fault of the infrastructure, which the
// operator must hear of: arguments that do not parse ([InvalidArgs]), a gate
// that is down or a wait that was cancelled ([PermissionDenied]), a broken
// dependency or a panic ([ExecutionFailed]). A tool returns a Result or an
// error, never both.
//
// Plan has no Result to return. A plan that cannot be made for a reason that
// the model should handle returns [Reject]'s error; the caller turns it back
// into the Result that it carries.
//
// # Parallel calls
//
// Calls of parallelizable tools may run at the same time; all others run one
// by one afterwards. A tool says true only if its effects commute with those
// of any sibling. Plan and Execute must be safe for concurrent use either way.
//
// # Design
//
// Plan and Execute are separate so that "what was approved is what runs" is a
// property of types and not of discipline: the digest of the action is in the
// grant, and tools never see an unguarded target. Grants can be minted only by
// the holder of a [Minter]; the program hands it to the policy engine and to
// nobody else.
package tools
