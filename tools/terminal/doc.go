// Package terminal holds the tools by which a model works in panes: run_shell,
// send-keys and capture-pane, and tmux-create-session, tmux-kill-session,
// tmux-create-pane and tmux-kill-pane, which make and end them.
//
// Where run_shell runs a command:
//
//   - on a target with panes, as a tracked run in a pane (the shared one if the
//     call names none), where the operator watches it. It is not bounded in
//     time unless the call asks for that, and goes on in the pane when the wait
//     ends before it does;
//   - without panes, or with an input or a directory of its own, in a shell of
//     its own with standard output and error apart. It ends with the wait.
//
// A command that ran is a Result, whatever became of it; IsError is set unless
// it is proved to have exited with 0. A result holds the first characters of
// each output; the whole is kept by the call's [tools.Outputs], and a notice
// says how to read on.
//
// An interrupt (the end of the call's context) reaches the command at once:
// Ctrl-C in a pane, TERM and then KILL otherwise.
//
// # Design
//
// What an action needs and no field of it carries, such as the view of a
// capture, is in its Command as canonical JSON, since Execute has nothing but
// the action and a view is part of what was granted.
package terminal
