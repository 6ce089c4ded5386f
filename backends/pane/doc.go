// Package pane keeps the terminal panes in which the operator watches what nod
// does, and runs tracked commands in them.
//
// A [Keeper] has the sessions and panes of one target. [Keeper.Shared] is the
// pane that everybody uses; [Pane.Run] gives the shell in it a command, exactly
// as if the operator had typed it, and the [Run] tells when it ended, with
// which status, and what it wrote.
//
// # What it promises
//
//   - Exact runs. When a run began and ended, its exit status and its bytes come
//     from marks that the shell itself writes, never from a prompt, from the
//     text of the output or from a delay. Output that imitates the marks is
//     output: each pane's marks carry 96 random bits.
//   - Proved outcomes. An outcome is what the shell reported, or what the end of
//     the shell itself told. Where neither can be had, it is Unknown. Nothing is
//     ever typed twice.
//   - Exact commands. The shell gets the bytes of the command: no history
//     expansion, no completion, no line that is cut because it is long. Its
//     aliases and functions hold, since it is the operator's shell. What
//     somebody has typed at the prompt is not added to: see [PendingError].
//   - One run at a time in a pane. The next one waits, or gives a [*BusyError].
//   - Nothing stalls. Output is read at once, whatever becomes of it: slow
//     subscribers miss changes in between, a slow [Request.Sink] loses output
//     (which the result says), and neither slows the pane.
//   - Nothing is left behind. [Keeper.Close] ends the sessions that the keeper
//     made or took over. What nod did not make is never touched.
//
// The operator may attach to a pane ([Pane.Attach]) and type at any time.
//
// # Errors
//
// The errors of [Pane.Run] say that nothing was run. What happens after a
// command has been typed is in its [Result], in words in Result.Notices.
//
// # Concurrency
//
// Everything is safe for concurrent use. One goroutine of the connection to
// tmux parses, scans for marks and draws, under a mutex of the pane that nobody
// holds while waiting.
//
// # Design
//
// The shell is made to write marks (OSC 133, as terminals know them) by a hook
// that is handed to it through a tmux buffer and evaluated: no file, no start-up
// file, nothing in the history. Marks are ready (R), prompt end (B), another
// line wanted (P), command begins (C), output ends (E) and command ended (D). bash,
// zsh and fish announce a command by themselves; in front of a command for other
// shells stands a call of a function that does. zsh and fish need E: before they
// show a prompt, they mark a last line that has no end. What fish writes in
// front of a command's output, a title and colours, is cut off. At the same time the hook leaves the state in the terminal's path
// (OSC 7), which tmux remembers, for a connection that was lost meanwhile.
//
// What marks cannot tell is looked for in quiet moments: a shell that has ended
// (tmux keeps its status), or that was replaced by exec, which the kernel's
// addresses for the process tell.
//
// zsh and fish get their commands pasted, since their line editors have plans
// for single keys. fish keeps a line that it does not understand, and says
// nothing: so the hook has a key of its own for it, which enters a line that is
// valid and drops another one with fish's word on it. The status of a stopped
// job, which fish does not set, is found by the hook.
//
// The line with which the hook is handed over begins with a blank, and stays in
// the history of a zsh only if that is not told to ignore such lines.
//
// A long command, or one with bytes that a line editor would act on, is not
// typed but fetched by the shell with eval.
//
// A pane stands on a wire, of which the tmux pane is one kind. Everything above
// it is the same for a pane without tmux.
package pane
