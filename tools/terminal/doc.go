// Package terminal holds the tools by which a model works in panes: run_shell,
// send-keys and capture-pane; jobs and kill_job, for what goes on; and
// tmux-create-session, tmux-kill-session, tmux-create-pane and tmux-kill-pane,
// which make and end panes.
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
// it is proved to have exited with 0. A result holds the head and the tail of each
// output; the whole is kept by the call's [tools.Outputs], and a notice says how to
// read the middle.
//
// A command in a pane whose call has returned before its end is a job, with a handle in
// [Jobs], until a call has told its end. Each piece of its output is told once. A call
// can end at a pattern, a silence or a time ([tools.Until]), which changes nothing of
// what runs. send-keys tells what has changed on the screen.
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
