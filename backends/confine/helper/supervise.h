// The supervisor: it stands outside of the cage, hands the few harmless devices to a cage
// that only the filter holds, takes note of what is refused, passes signals on, and ends
// what the command left behind.

enum {
	KILL = 9,
	SET_PARENT_DEATH_SIGNAL = 1,
	SET_CHILD_SUBREAPER = 36,
	BLOCK = 0,
	SET_MASK = 2,
	READABLE = 1,
	ENOUGH_ROUNDS = 10000,
};

// A set of signals as the kernel has it; signal n is bit n-1.
#define BIT(signal) (1UL << ((signal) - 1))
static const uword passed_on = BIT(1) | BIT(2) | BIT(3) | BIT(10) | BIT(12) | BIT(15);

// safe_device is the device of that name, if writing to it can do no harm.
static const char *safe_device(const char *path) {
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", 0};
	for (int i = 0; devices[i]; i++)
		if (same(devices[i], path)) return devices[i];
	return 0;
}

// remote_bytes reads from the memory of a thread of the cage; the result is how much, or
// negative. A container engine may keep the system call for this to containers with
// CAP_SYS_PTRACE; reading the file of the memory asks the same of the kernel.
static word remote_bytes(int thread, uword from, char *to, uword most) {
	struct { void *at; uword length; } here = {to, most}, there = {(void *)from, most};
	word got = syscall6(N(process_vm_readv), thread, (word)&here, 1, (word)&there, 1, 0);
	if (got != -NO_PERMISSION && got != -NO_SYSCALL) return got;
	char path[40];
	append(append_number(append(path, "/proc/"), thread), "/mem");
	word fd = CALL(openat, FROM_CWD, path, CLOSE_ON_EXEC, 0, 0);
	if (fd < 0) return fd;
	got = CALL(pread64, fd, to, most, from, 0);
	CALL(close, fd, 0, 0, 0, 0);
	return got;
}

// remote_text reads a text from the memory of a thread of the cage; the result is its
// length, or negative.
static word remote_text(int thread, uword from, char *to, uword most) {
	uword n = 0;
	while (n < most) {
		uword page = 4096 - (from + n) % 4096, want = page < most - n ? page : most - n;
		word got = remote_bytes(thread, from + n, to + n, want);
		if (got <= 0) return got < 0 ? got : -NO_ACCESS;
		for (word i = 0; i < got; i++)
			if (!to[n + i]) return n + i;
		n += got;
	}
	return -NAME_TOO_LONG;
}

// open_device opens the device of that name for a thread, if writing to it can do no
// harm. The supervisor opens it itself: what the command's memory says afterwards does
// not matter.
static word open_device(const char *path, word flags) {
	const char *device = safe_device(path);
	if (!device) return -READ_ONLY;
	return CALL(openat, FROM_CWD, device, (flags & ACCESS_MODE) | NO_TERMINAL | CLOSE_ON_EXEC, 0, 0);
}

// open_stream opens what a thread has already, by its name in /dev or /proc, if it is a
// pipe without a name or a terminal that the supervisor has, too.
static word open_stream(int thread, const char *path, word flags) {
	char at[4300], link[64];
	append(at, path);
	if (!own_process(at, thread)) return -READ_ONLY;
	word n = CALL(readlinkat, FROM_CWD, at, link, sizeof link - 1, 0);
	if (n < 0) return n;
	link[n] = 0;
	if (begins(link, "pipe:[")) {
		word fd = CALL(openat, FROM_CWD, at, (flags & ACCESS_MODE) | NO_WAITING | CLOSE_ON_EXEC, 0, 0);
		if (fd >= 0 && !(flags & NO_WAITING)) CALL(fcntl, fd, 4 /* F_SETFL */, 0, 0, 0);
		return fd;
	}
	struct status it = {0}, own = {0};
	if (CALL(statx, FROM_CWD, at, 0, STATX_TYPE_AND_MODE, &it) < 0 || (it.mode & 0170000) != 0020000) return -READ_ONLY;
	for (int fd = 0; fd < 3; fd++)
		if (CALL(statx, fd, "", 0x1000 /* AT_EMPTY_PATH */, STATX_TYPE_AND_MODE, &own) == 0 && (own.mode & 0170000) == 0020000 &&
		    own.device_major == it.device_major && own.device_minor == it.device_minor)
			return CALL(fcntl, fd, 1030 /* F_DUPFD_CLOEXEC */, 3, 0, 0);
	return -READ_ONLY;
}

// may_be_written reports whether another wall may let the file of that name be written,
// as far as its name says.
static int may_be_written(const char *path) {
	static const char *const starts[] = {"/dev/pts/", "/dev/std", "/dev/fd/", "/proc/self/fd/", 0};
	for (int i = 0; starts[i]; i++)
		if (begins(path, starts[i])) return 1;
	return safe_device(path) || same(path, "/dev/random") || same(path, "/dev/urandom");
}

enum { ANOTHER_WALL = -4095 }; // no error of the kernel's, and no descriptor

// answer_open decides about an open: a descriptor, an error, or ANOTHER_WALL for what that
// one decides about.
static word answer_open(const struct seccomp_notif *asked, const struct walls *w, word flags) {
	static char path[4200];
	int at = asked->data.nr == N(openat);
	word n = remote_text(asked->pid, asked->data.args[at], path, 4096), fd;
	int writing = (flags & (ACCESS_MODE | CREATE | TRUNCATE | UNNAMED)) != 0;
	// What the command's memory says afterwards does not matter: Landlock refuses to open
	// anything outside of the folders for writing. With O_CREAT alone it would be opened
	// for reading, and with mode 3 for neither, so that stays with the supervisor.
	word mode = flags & ACCESS_MODE;
	if ((mode == 1 || mode == 2) && w->writes && n >= 0 && !may_be_written(path)) return ANOTHER_WALL;
	if (writing && elsewhere(w) && !w->closed) {
		if (n < 0 || !may_be_written(path)) note_file("write", n < 0 ? "?" : path);
		return (flags & (ACCESS_MODE | TRUNCATE)) == TRUNCATE ? -NO_PERMISSION : ANOTHER_WALL;
	}
	if (n < 0) return n;
	if (writing) {
		fd = open_device(path, flags);
		if (fd == -READ_ONLY) fd = open_stream(asked->pid, path, flags);
		if (fd == -READ_ONLY) note_file("write", path);
	} else if (w->closed) {
		hidden = 0;
		fd = open_judged(asked->pid, at ? (int)asked->data.args[0] : FROM_CWD, path, flags);
		if (hidden) note_file("read", path);
	} else {
		fd = -READ_ONLY;
	}
	return fd;
}

// answer answers one call that the filter asks about.
static void answer(int listener, const struct walls *w) {
	struct seccomp_notif asked = {0};
	if (CALL(ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, &asked, 0, 0) < 0) return;
	struct seccomp_notif_resp given = {asked.id, 0, -NO_PERMISSION, 0};
	int number = asked.data.nr, at = number == N(openat), open = at;
#ifdef __x86_64__
	open |= number == N(open);
#endif
	if (open) {
		word flags = (int)asked.data.args[at + 1], fd = answer_open(&asked, w, flags);
		given.error = fd;
		if (fd == ANOTHER_WALL) given.error = 0, given.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		if (fd >= 0) {
			struct seccomp_notif_addfd add = {asked.id, 0, (u32)fd, 0, (u32)(flags & CLOSE_ON_EXEC)};
			word there = CALL(ioctl, listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add, 0, 0);
			given.error = there < 0 ? there : 0;
			given.val = there < 0 ? 0 : there;
			CALL(close, fd, 0, 0, 0, 0);
		}
	} else {
		if (!(is_change(number) && w->writes)) note_call(&asked);
		if (is_change(number) && elsewhere(w)) given.error = 0, given.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		else if (is_change(number) || number == N(truncate) || number == N(ftruncate) || number == N(fallocate)) given.error = -READ_ONLY;
	}
	CALL(ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &given, 0, 0);
}

// The modes of the terminal on standard input, to be put back when the command ends.
struct modes {
	int known;
	char value[64];
};

enum { GET_MODES = 0x5401, SET_MODES = 0x5402 };

static void keep_modes(struct modes *m) {
	m->known = CALL(ioctl, 0, GET_MODES, m->value, 0, 0) == 0;
}

static void restore_modes(const struct modes *m) {
	struct modes now = {0};
	keep_modes(&now);
	if (!m->known || !now.known) return;
	for (int i = 0; i < 36; i++) // struct termios of the kernel
		if (m->value[i] != now.value[i]) {
			CALL(ioctl, 0, SET_MODES, m->value, 0, 0);
			return;
		}
}

// end_children kills every child that this process has. As the subreaper it inherits
// what lost its parent, so that in the end nothing of the cage is left.
static void end_children(void) {
	if (CALL(wait4, -1, 0, 1 /* WNOHANG */, 0, 0) == -NO_CHILD) return;
	char path[64], list[4096];
	append(append_number(append(path, "/proc/self/task/"), CALL(getpid, 0, 0, 0, 0, 0)), "/children");
	for (int round = 0; round < ENOUGH_ROUNDS; round++) {
		word fd = CALL(openat, FROM_CWD, path, CLOSE_ON_EXEC, 0, 0), n = 0;
		if (fd >= 0) {
			n = CALL(read, fd, list, sizeof list - 1, 0, 0);
			CALL(close, fd, 0, 0, 0, 0);
		}
		// What stands at the end may be half a number: it comes again in the next round.
		for (word i = 0, pid = 0; i < n; i++) {
			if (list[i] >= '0' && list[i] <= '9') pid = pid * 10 + (list[i] - '0');
			else if (pid) CALL(kill, pid, KILL, 0, 0, 0), pid = 0;
		}
		// Without that file there is nothing to do but to wait for what has ended.
		word got = CALL(wait4, -1, 0, n > 0 ? 0 : 1 /* WNOHANG */, 0, 0);
		if (got == -NO_CHILD || (n <= 0 && got == 0)) return;
	}
}

// end_as ends the supervisor as the command ended.
static void end_as(u32 status) {
	int signal = status & 0x7f;
	if (signal) {
		uword all = 0;
		struct { void *handler; uword flags, restorer, mask; } action = {0};
		CALL(rt_sigaction, signal, &action, 0, sizeof all, 0);
		CALL(rt_sigprocmask, SET_MASK, &all, 0, sizeof all, 0);
		CALL(kill, CALL(getpid, 0, 0, 0, 0, 0), signal, 0, 0, 0);
		CALL(exit_group, 128 + signal, 0, 0, 0, 0);
	}
	CALL(exit_group, status >> 8 & 0xff, 0, 0, 0, 0);
}

// pass_on hands a signal to the command, unless the kernel sent it: a terminal's
// Ctrl-C reaches the whole group anyway.
static void pass_on(int signals, word command) {
	struct { u32 number; int error, code; char rest[116]; } info;
	if (CALL(read, signals, &info, sizeof info, 0, 0) != sizeof info) return;
	if (info.number != CHILD_ENDED && info.code <= 0) CALL(kill, command, info.number, 0, 0, 0);
}

// supervise stays until the command has ended. listener is the filter's, or BAD_FD.
static void supervise(word command, int signals, int listener, const struct walls *w, const struct modes *terminal) {
	for (;;) {
		u32 status;
		word ended = CALL(wait4, -1, &status, 1 /* WNOHANG */, 0, 0);
		if (ended == command) {
			end_children();
			restore_modes(terminal);
			tell_refusals(status != 0);
			end_as(status);
		}
		if (ended > 0) continue;
		struct { int fd; short events, happened; } waiting[2] = {{signals, READABLE, 0}, {listener, READABLE, 0}};
		if (CALL(ppoll, waiting, listener == BAD_FD ? 1 : 2, 0, 0, 0) < 0) continue;
		if (waiting[0].happened & READABLE) pass_on(signals, command);
		if (listener == BAD_FD) continue;
		if (waiting[1].happened & READABLE) answer(listener, w);
		else if (waiting[1].happened) listener = BAD_FD; // the last of the cage has gone
	}
}
