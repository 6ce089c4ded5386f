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
//   - The shell that was meant. [Pane.Generation] tells one shell in a pane from
//     the next, [Pane.Inside] the pane's own from one that ssh, sudo or the like
//     has opened in it; a command for one never reaches another (see
//     [ChangedError]).
//   - One run at a time in a pane. The next one waits, or gives a [*BusyError].
//     A command that somebody entered by hand is waited for no longer than a
//     second: the error says which program has the pane.
//   - Nothing stalls. Output is read at once, whatever becomes of it: slow
//     subscribers miss changes in between, a slow [Request.Sink] loses output
//     (which the result says), and neither slows the pane.
//   - Nothing is left behind. [Keeper.Close] ends the sessions that the keeper
//     made or took over. What nod did not make is never touched.
//
// # A pane that the operator already has
//
// With Options.Pane the shared pane is one of the operator's, in a session of
// his. There nod is a guest: it does not make, rename, resize or end anything,
// sets no option that stays, and follows the pane wherever he moves it. Nothing
// is typed at a program that only has a shell's name, or at a line that he is
// in the middle of. On [Keeper.Close] what the hook has changed in the shell is
// taken back, if the shell stands at an empty prompt; else Close says so
// ([ErrMarksStay]). What stays is what no shell can forget: two entries in the
// kill ring of its line editor, and fish's note of where fish_prompt was
// defined. Sessions made beside it are nod's own, and end with it.
//
// # Without control mode
//
// Where tmux does its work but not in control mode, a pane is degraded
// ([Pane.Degraded]): it can be looked at, ten times a second at most, and typed
// at. A run that was under way ends with its exact status, which the hook's
// account tells, and with incomplete output; new ones are refused, since a
// command whose beginning nobody sees could be another one than was meant.
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
// zsh and fish announce a command by themselves; in front of a command for an old bash
// stands a call of a function that does. dash, busybox's ash, ksh93 and mksh say at
// their prompts alone what they have done: that a command has begun, the end of the echo
// of its line tells (see shells.Echo), and where something came in between, silence and
// the kernel. zsh and fish need E: before they show a prompt, they mark a last line that
// has no end. What fish writes in
// front of a command's output, a title and colours, is cut off.
//
// The operator may enter a line in the same instant, and only the shell knows which came
// first. So nod's lines are entered with keys of the hook's, which no terminal sends, and
// the marks C and D say by which key the line was entered (see crossing.go).
//
// With each mark goes an account of what the shell has done (see account.go), in
// the terminal's path (OSC 7), which tmux remembers. With the keys of a command
// tmux is given its number. So a connection that is lost costs no outcome, also
// some commands later, and no command is given twice or not at all: what tmux
// has not typed is typed on the next connection.
//
// B and P are signed with other bits than the rest: zsh has them in PS1 as they
// are, where its children can see them if it is exported. Nothing else of what
// the shell starts, shows or keeps has the bits of the marks.
//
// A shell that has ended is replaced at once by a fresh one, which first shows
// again what the old one's pane held; one that ends soon after its start is
// given more and more time.
//
// A start-up file may take away what makes a bash write marks, or do so at each
// prompt. The hook finds out what it may set, and sets again what is missing at the
// next prompt: where PS0 is readonly, a function in front of each command says that
// it begins, as in an old bash; where PROMPT_COMMAND is, the prompt itself
// says that it has ended. Where neither can be had, nothing is given to the shell, and
// nothing where its prompt, or what it writes, does not come to the terminal (exec 2>FILE):
// the hook finds out, and says so instead of being set up. That is told at once, and the
// same again for a moment where nothing changes ([Pane.Unready]).
//
// That a line was not announced does not say that it was not run. bash counts the
// commands that it runs by itself (\#), and zsh says whether what announces them was
// still there: only where that shows that nothing was run, and the kernel that the
// shell rests at its prompt, is a command refused; else its outcome is unknown.
//
// The hook is typed when the kernel says that the shell reads keys. The picture of
// the pane stands still from there to the first mark (see unshown.go), in front of
// which the hook takes its line off the terminal.
//
// A shell inside the pane's own one has marks of its own, whoever has opened it
// and by whatever command. It is hooked, by typing, when a command is given for
// it: where the target's kernel has a shell in the foreground that runs no script
// and edits a line, or where a command that does nothing but open a shell has
// come to what looks like a shell's prompt, silent, with nothing behind it; and
// if what is there then answers a question as a shell does. Until then it is
// typed at by nobody but the operator. Shells that are reached through something
// else (ssh, sudo with a terminal of its own, containers) are known by their
// command and their prompt alone, and so are all on a target without /proc.
//
// What marks cannot tell is looked for in quiet moments (see foreground.go): a shell
// that has ended (tmux keeps its status, if it is the pane's first), or that was
// replaced by exec, which the kernel's addresses for the process tell; and, in
// dash and its like, that a line was entered by hand.
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
// it is the same for a pane without tmux (see [Keeper.WithoutTmux]): there nod
// holds the shell's terminal, and the emulator is that terminal. It answers what
// programs ask, makes of keys the bytes that tmux makes of them, and captures
// are in tmux's form. Such a pane ends with nod and with the link to the target.
// What tmux hands over in a buffer is typed there, piece by piece, and each piece
// is proved to have come before the next (see handover.go).
package pane
