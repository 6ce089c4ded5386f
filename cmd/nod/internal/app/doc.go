// Package app is one invocation of nod without its commands and without its screen.
//
// A [Core] is opened from the configuration by [Open]: the state folder, the ledger, the
// secrets, the rules, the tools and the gate through which everything runs. Its Targets
// open, reconnect and close what commands run on (package targets). [Core.OpenAgent] joins
// it with a model ([OpenModel]) and the conversations ([OpenHistory]).
//
// # Design
//
// The package prints nothing and asks nobody: who wants to be told or asked gives
// callbacks in [Options]. So a test opens a Core with an approver of its own, a scripted
// model over HTTP and this machine as the target, and needs neither a terminal nor the
// program. The console is in package controller; "nod run" and "nod ask" use a Core
// directly.
package app
