// Package local is the target "local": this machine, with the rights of the
// user who runs nod.
//
// It keeps the contract of package [github.com/nod-console/nod/backends] and
// passes its conformance suite. What it adds or narrows:
//
//   - Programs run in a session of their own (setsid), so they have no
//     controlling terminal: a program that insists on /dev/tty fails at once
//     instead of drawing over the console. Programs on a [Target.Terminal] have
//     that pseudo terminal as their controlling one.
//   - Cancelling ends the whole session: the process group and the jobs that a
//     job-control shell has put in groups of their own. It is polite first
//     (TERM, on a terminal HUP as if the window had been closed), then after
//     [backends.KillDelay] forced. A program that called setsid itself has
//     left on purpose and stays.
//   - A program that is not there satisfies errors.Is(err, fs.ErrNotExist); one
//     that may not be executed fs.ErrPermission.
//   - PATH is searched for absolute folders only, so that a program is never
//     taken from the working directory by accident.
//   - Standard input that fails with anything but io.EOF (or because its owner
//     closed it) ends the program: a program must not take half an input for
//     the whole.
//
// File errors are *fs.PathError. A file with more than one hard link is not
// written, because replacing it would separate its names; nor is a file whose
// owner could not be kept, or that the user may not write although its folder
// would allow it to be replaced.
//
// # Design
//
// os/exec is not used. It reaps a program as soon as it ends, and from then on
// its process id may belong to somebody else, so that no signal to the group
// is safe any more. Here the ended program stays a zombie (waitid with WNOWAIT)
// until its group has been dealt with; while it does, the kernel does not hand
// out its id again.
//
// A write goes to a new file in the same folder, opened relative to a
// descriptor of that folder, and is renamed over the old one, so that neither a
// reader nor a crash sees a part, and no link that changes meanwhile can lead
// the write elsewhere. The check against [backends.WriteOptions.Expect] is the
// last thing before the rename.
//
// The package is for Linux: it needs /proc, waitid and renameat2.
package local
