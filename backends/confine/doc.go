// Package confine runs commands where they cannot change anything: a cage of kernel
// walls around one command, on any target.
//
// [Install] sends a small helper (18 KB, source in helper/) to a target and asks it what
// the kernel there can do. [Cage.Wrap] turns a program and its arguments into those of
// the helper, which puts up the walls, runs the program and ends as it ended.
// [Cage.Remove] takes the helper away.
//
// # What a held command cannot do
//
// It cannot change the file system, connect or listen (TCP, UDP, unix sockets), signal
// or trace other processes, change terminals, devices or kernel settings, gain
// privileges, or leave processes behind. Writing to /dev/null, /dev/zero, /dev/full and
// the terminal that it has works. What it reads is not restricted beyond the rights of
// its user.
//
// The cage fails closed: if a wall cannot stand, the helper says so on standard error,
// ends with 125, and nothing has run.
//
// # Walls
//
// [Landlock] (Linux 5.13 with landlock in the list of security modules) holds the file
// system itself. [SystemCalls] (Linux 5.9) refuses each call that changes it; opening
// for writing goes to a supervisor outside, which opens the few harmless devices itself.
// [ReadOnlyMounts], for root on older kernels, is a mount namespace in which nothing can be
// written, and no device opened but the harmless ones and the command's own terminal: a look
// at a disk itself fails there. All have an allow list of system calls (seccomp),
// no_new_privs, cut capabilities and closed descriptors. See landlock(7), seccomp(2),
// seccomp_unotify(2), capabilities(7), mount_namespaces(7).
//
// Where there is a supervisor, it also takes note of what was refused: [Refusals].
//
// Within sudo, root runs a copy of the helper that it has made and checked itself
// ([Cage.AsRoot]): the helper's file belongs to the user, who could change it.
//
// # Design
//
// The helper is freestanding C, because a Go program of the same kind is 1.4 MB: too
// much for a slow link. It is built for two processors; the built files are in the
// repository, and a test builds them again and compares.
//
// Where a shell stays at the other end ([Staying]), it installs the helper, which costs
// no session, checks it once and holds its file open, and a process runs it, so that the
// kernel lets nobody write to it (ETXTBSY, open(2)). Commands run that very file by the
// shell's descriptor in /proc. Elsewhere its digest is checked before each use, which
// costs two processes.
package confine

//go:generate helper/build.sh
