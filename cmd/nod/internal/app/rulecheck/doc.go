// Package rulecheck tries the rules that decide what may run: it asks them about commands,
// and runs nothing.
//
// [CheckFile] reads a rules file and runs its examples. A [Bench] is the policy as it is
// configured, for one target: [Bench.Explain] says what would be decided about a command,
// [Bench.Replay] asks about everything on record, and [Bench.Attack] tries to slip something
// past the rules. [Judge] says how a command would run without rules of the operator's.
package rulecheck
