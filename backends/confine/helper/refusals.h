// What the cage refused, so that nobody takes a shortened answer for the whole one. The
// supervisor says it on standard error when the command has ended: what was refused about
// files always, anything else if the command failed.

// calls names what system calls would do; path is which argument has the name, -1 none.
static const struct { short number; signed char path; const char *what; } calls[] = {
#ifdef __x86_64__
	{N(open), 0, "write"}, {N(creat), 0, "write"}, {N(mkdir), 0, "make the folder"}, {N(rmdir), 0, "remove"}, {N(unlink), 0, "remove"},
	{N(rename), 0, "rename"}, {N(link), 1, "make the link"}, {N(symlink), 1, "make the link"}, {N(mknod), 0, "make the device"},
	{N(chmod), 0, "change the mode of"}, {N(chown), 0, "change the owner of"}, {N(lchown), 0, "change the owner of"},
	{N(utime), 0, "change the times of"}, {N(utimes), 0, "change the times of"}, {N(futimesat), 1, "change the times of"},
#endif
	{N(openat), 1, "write"}, {N(mkdirat), 1, "make the folder"}, {N(unlinkat), 1, "remove"}, {N(renameat), 1, "rename"},
	{N(renameat2), 1, "rename"}, {N(linkat), 3, "make the link"}, {N(symlinkat), 2, "make the link"}, {N(mknodat), 1, "make the device"},
	{N(truncate), 0, "cut off"}, {N(ftruncate), -1, "cut off an open file"}, {N(fallocate), -1, "write an open file"},
	{N(fchmodat), 1, "change the mode of"}, {N(fchmod), -1, "change the mode of an open file"}, {452, 1, "change the mode of"},
	{N(fchownat), 1, "change the owner of"}, {N(fchown), -1, "change the owner of an open file"},
	{N(utimensat), 1, "change the times of"}, {N(setxattr), 0, "change an attribute of"}, {N(lsetxattr), 0, "change an attribute of"},
	{N(fsetxattr), -1, "change an attribute of an open file"}, {N(removexattr), 0, "change an attribute of"},
	{N(lremovexattr), 0, "change an attribute of"}, {N(fremovexattr), -1, "change an attribute of an open file"},
};
static const struct { short number; const char *what; } other_calls[] = {
	{N(kill), "signal a process"}, {N(tkill), "signal a process"}, {N(tgkill), "signal a process"}, {424, "signal a process"},
	{N(ptrace), "trace a process"}, {N(bind), "bind a socket"}, {N(socketpair), "use a unix socket"}, {N(flock), "lock a file"},
	{N(ioctl), "set up a device"}, {N(clone), "make a namespace"}, {N(unshare), "make a namespace"}, {N(setns), "enter a namespace"},
	{N(mount), "mount"}, {N(umount2), "unmount"}, {N(bpf), "load a program into the kernel"}, {N(perf_event_open), "measure the system"},
	{N(prlimit64), "change limits of a process"}, {N(setpriority), "change the priority of a process"}, {N(sched_setaffinity), "bind a process to a processor"},
};

static struct refusals {
	char file[500], other[80];
	u32 files, others;
	int named; // other is more than a unix socket, which any look-up of a name wants
} refused;

static word remote_text(int thread, uword from, char *to, uword most);

// note_file takes note of a refusal about a file.
static void note_file(const char *what, const char *path) {
	if (refused.files++) return;
	char *end = append(append(refused.file, what), " ");
	for (; *path && end < refused.file + sizeof refused.file - 8; path++)
		*end++ = (unsigned char)*path < ' ' || *path == 127 ? '?' : *path;
	append(end, *path ? "..." : "");
}

static const char unix_socket[] = "use a unix socket";

static void note_other(const char *what, word number) {
	if (refused.others++ && (refused.named || same(what, unix_socket))) return;
	refused.named = !same(what, unix_socket);
	char *end = append(refused.other, what);
	if (number >= 0) append_number(end, number);
}

// note_call takes note of a refused call.
static void note_call(const struct seccomp_notif *asked) {
	static char path[4200];
	const struct seccomp_data *call = &asked->data;
	for (uword i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (calls[i].number != call->nr) continue;
		if (calls[i].path < 0) note_file(calls[i].what, "");
		else note_file(calls[i].what, remote_text(asked->pid, call->args[calls[i].path], path, 4096) < 0 ? "?" : path);
		return;
	}
	if (call->nr == N(socket)) return note_other(call->args[0] == 1 ? unix_socket : call->args[0] == 2 || call->args[0] == 10 ? "use the network" : "use a socket", -1);
	for (uword i = 0; i < sizeof other_calls / sizeof *other_calls; i++)
		if (other_calls[i].number == call->nr) return note_other(other_calls[i].what, -1);
	note_other("system call ", call->nr);
}

// tell_refusals says what was refused.
static void tell_refusals(int failed) {
	static char text[800];
	if (!refused.files && !(failed && refused.others)) return;
	char *end = append(text, "nod: the cage refused: ");
	if (refused.files) end = append(end, refused.file);
	if (refused.files > 1) end = append(append_number(append(end, " (and "), refused.files - 1), " more about files)");
	if (failed && refused.others) end = append(append(end, refused.files ? ", " : ""), refused.other);
	append(end, "\n");
	complain(text);
}
