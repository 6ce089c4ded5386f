// Package plain is the console without a screen: lines that are only ever added,
// each with a word that says whose it is. It is for screen readers, for logs, and
// for terminals that cannot show more.
//
//	you: is nginx up?
//	run: run_shell on local, pane %0 (observe): systemctl is-active nginx
//	end: exit 0, 12 ms, 1 line
//	  | active
//	nod: Yes, it is active.
//
// A [Conversation] takes the same [console.Options] as the full console and does
// the same with them, as far as lines can: prompts, approvals, questions, the
// commands behind a slash. Terminals are not mirrored; what a command wrote is
// printed when it has ended.
//
// # Whose turn it is
//
// One party has the terminal's input at a time. While a turn runs, nothing is
// read: what is typed then is the next prompt. A question takes the input away
// from the prompt, throws away what was typed before it, and gives it back.
//
// Text of models and targets is printed with everything replaced that would act
// on the terminal.
//
// All methods are safe for concurrent use.
package plain
