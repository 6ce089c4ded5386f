// The seccomp filter: an allow list of system calls. Whatever is not named gets EPERM;
// what is newer than this table gets ENOSYS, so that programs fall back.

// walls are what holds a command: Landlock or read-only mounts hold the file system, or
// else the filter does; in a closed cage files are hidden; a supervisor that is asked
// tells what was refused. writes says that Landlock lets the command write to folders.
struct walls {
	int landlock, mounts, closed, asked, writes;
};

#define NEWEST 470 // the highest number that this table has looked at

// The program is written from both ends of an array to its middle. First comes what is asked
// about the arguments of a call, then, backwards, the search for the call's number: jumps
// only lead forwards. The kernel works out beforehand what becomes of each number
// (seccomp_cache_prepare), so a search that halves costs a tenth of a list.
enum { MIDDLE = 500 };
static struct sock_filter program[2 * MIDDLE];
static u32 size = MIDDLE, first = MIDDLE; // what is written is from first up to size

static void emit(u32 code, u32 k, u32 when_true, u32 when_false) {
	if (size == sizeof program / sizeof *program) fail("the filter is too long", -7);
	program[size++] = (struct sock_filter){code, when_true, when_false, k};
}
static void emit_before(u32 code, u32 k, u32 when_true, u32 when_false) {
	if (first == 0) fail("the filter is too long", -7);
	program[--first] = (struct sock_filter){code, when_true, when_false, k};
}
static void finish(u32 action) { emit(BPF_RET | BPF_K, action, 0, 0); }
static void load_argument(int i) { emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]), 0, 0); }
static void load_upper_argument(int i) { emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]) + 4, 0, 0); }

#define N(name) __NR_##name
#define WHOLE (~0u)
#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE(error) (SECCOMP_RET_ERRNO | (error))

// becomes has what becomes of each number: an action, or the place in the program that asks
// on. No action is as small as a place.
static u32 becomes[NEWEST + 1];
static const u32 UNDECIDED = 0;

// decide gives a number its action, unless it has one.
static void decide(int number, u32 action) {
	if (becomes[number] == UNDECIDED) becomes[number] = action;
}

// ask has what is emitted next decide about a number, unless that has an action.
static void ask(int number) { decide(number, size); }

// each ends a call: with inside if what is loaded is one of values, else with outside.
static void each(const u32 *values, int n, u32 inside, u32 outside) {
	for (int i = 0; i < n; i++) emit(BPF_JMP | BPF_JEQ | BPF_K, values[i], n - i, 0);
	finish(outside);
	finish(inside);
}

// among ends a call: with inside if (argument & mask) is one of values, else with outside.
static void among(int number, int argument, u32 mask, const u32 *values, int n, u32 inside, u32 outside) {
	ask(number);
	load_argument(argument);
	if (mask != WHOLE) emit(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	each(values, n, inside, outside);
}
#define LIST(...) (const u32[]){__VA_ARGS__}, sizeof((const u32[]){__VA_ARGS__}) / sizeof(u32)

// near is a place in reach of a jump that is written next, which leads to that place.
static u32 near(u32 place) {
	if (place - first <= 255) return place;
	emit_before(BPF_JMP | BPF_JA, place - first, 0, 0);
	return first;
}

// ending is a place that ends with an action.
static u32 ending(u32 action) {
	for (u32 i = first; i < size && i < first + 250; i++)
		if (program[i].code == (BPF_RET | BPF_K) && program[i].k == action) return i;
	emit_before(BPF_RET | BPF_K, action, 0, 0);
	return first;
}

// search writes the search for a number from low to high, and is its place.
static u32 search(int low, int high) {
	int changes = 0, middle = 0;
	for (int i = low; i < high; i++) changes += becomes[i] != becomes[i + 1];
	if (!changes) return becomes[low] < 2 * MIDDLE ? becomes[low] : ending(becomes[low]);
	for (int i = low, seen = 0; i < high && seen < (changes + 1) / 2; i++)
		if (becomes[i] != becomes[i + 1]) seen++, middle = i + 1;
	u32 above = search(middle, high), below = search(low, middle - 1);
	while (above - first > 255 || below - first > 255) above = near(above), below = near(below);
	emit_before(BPF_JMP | BPF_JGE | BPF_K, middle, above - first, below - first);
	return first;
}

// What can do no harm, or what another wall stands behind: Landlock or mounts decide about
// files, and where they are not there, changes_files are refused before these are asked.
static const short harmless[] = {
#ifdef __x86_64__
	N(open), N(stat), N(lstat), N(poll), N(access), N(pipe), N(select), N(dup2), N(pause), N(alarm), N(fork), N(vfork),
	N(getdents), N(readlink), N(getrlimit), N(getpgrp), N(arch_prctl), N(time), N(epoll_create), N(epoll_wait), N(eventfd),
	N(signalfd), N(inotify_init), N(creat), N(mkdir), N(rmdir), N(unlink), N(rename), N(link), N(symlink),
#endif
	N(read), N(write), N(close), N(fstat), N(newfstatat), N(lseek), N(mmap), N(mprotect), N(munmap), N(brk),
	N(rt_sigaction), N(rt_sigprocmask), N(rt_sigreturn), N(rt_sigpending), N(rt_sigtimedwait), N(rt_sigsuspend), N(sigaltstack),
	N(pread64), N(pwrite64), N(readv), N(writev), N(preadv), N(pwritev), N(preadv2), N(pwritev2), N(sendfile), N(splice), N(tee),
	N(vmsplice), N(copy_file_range), N(sched_yield), N(mremap), N(msync), N(mincore), N(madvise), N(dup), N(dup3), N(nanosleep),
	N(getitimer), N(setitimer), N(getpid), N(connect), N(accept), N(accept4), N(sendto), N(recvfrom), N(sendmsg), N(recvmsg),
	N(sendmmsg), N(recvmmsg), N(shutdown), N(bind), N(listen), N(getsockname), N(getpeername), N(setsockopt), N(getsockopt),
	N(execve), N(execveat), N(exit), N(exit_group), N(wait4), N(waitid), N(uname), N(fsync), N(fdatasync), N(ftruncate),
	N(getdents64), N(getcwd), N(chdir), N(fchdir), N(umask), N(gettimeofday), N(getrusage), N(sysinfo), N(times), N(getuid),
	N(getgid), N(geteuid), N(getegid), N(setuid), N(setgid), N(setpgid), N(getppid), N(setsid), N(setreuid), N(setregid),
	N(getgroups), N(setgroups), N(setresuid), N(getresuid), N(setresgid), N(getresgid), N(getpgid), N(setfsuid), N(setfsgid),
	N(getsid), N(capget), N(capset), N(personality), N(statfs), N(fstatfs), N(getpriority), N(sched_getparam),
	N(sched_getscheduler), N(sched_get_priority_max), N(sched_get_priority_min), N(sched_rr_get_interval), N(sched_getaffinity),
	N(sched_getattr), N(mlock), N(munlock), N(mlockall), N(munlockall), N(mlock2), N(gettid), N(readahead), N(getxattr),
	N(lgetxattr), N(fgetxattr), N(listxattr), N(llistxattr), N(flistxattr), N(futex), N(set_tid_address), N(restart_syscall),
	N(fadvise64), N(timer_create), N(timer_settime), N(timer_gettime), N(timer_getoverrun), N(timer_delete), N(clock_gettime),
	N(clock_getres), N(clock_nanosleep), N(epoll_create1), N(epoll_ctl), N(epoll_pwait), N(get_mempolicy), N(set_mempolicy),
	N(mbind), N(ioprio_get), N(inotify_init1), N(inotify_add_watch), N(inotify_rm_watch), N(openat), N(mkdirat), N(unlinkat),
	N(renameat), N(renameat2), N(linkat), N(symlinkat), N(readlinkat), N(faccessat), N(pselect6), N(ppoll), N(set_robust_list),
	N(get_robust_list), N(signalfd4), N(timerfd_create), N(timerfd_settime), N(timerfd_gettime), N(eventfd2), N(pipe2),
	N(fallocate), N(getcpu), N(seccomp), N(getrandom), N(memfd_create), N(membarrier), N(pkey_mprotect), N(pkey_alloc),
	N(pkey_free), N(statx), N(rseq), N(prctl), N(io_getevents), N(pidfd_open), N(close_range), N(faccessat2), N(epoll_pwait2),
	444, 445, 446 /* Landlock: a further restriction */, 447 /* memfd_secret */, 449 /* futex_waitv */,
	451 /* cachestat */, 454, 455, 456 /* futex */, 457, 458 /* statmount, listmount */, 464, 465 /* getxattrat, listxattrat */,
};

// What changes the file system, refused where no other wall sees to it.
static const short changes_files[] = {
#ifdef __x86_64__
	N(creat), N(mkdir), N(rmdir), N(unlink), N(rename), N(link), N(symlink),
#endif
	N(mkdirat), N(unlinkat), N(renameat), N(renameat2), N(linkat), N(symlinkat),
};

static int is_change(int number) {
	for (uword i = 0; i < sizeof changes_files / sizeof *changes_files; i++)
		if (changes_files[i] == number) return 1;
	return 0;
}

// Requests of ioctl that only read.
static const u32 reading[] = {
	0x5401, 0x802C542A, 0x5413, 0x540F, 0x5410, 0x5411, 0x5429, 0x80045430, 0x80045438, 0x80045439, // terminals: modes, size, group; TIOCSPGRP
	0x541B, 0x5421, 0x5450, 0x5451, 0x5452,                                                         // FIONREAD, FIONBIO, close-on-exec, FIOASYNC
	0x125E, 0x1260, 0x1268, 0x1278, 0x1279, 0x127A, 0x127B, 0x127E, 0x80081270, 0x80081272, 0x301,  // disks: read-only?, sizes, geometry
	0x80086601, 0x80087601, 0x801C581F, 0xC020660B, 1, 2, 0x4C03, 0x4C05, 0x800C0910, 0x80480911, 0x80140912, // file flags, FIEMAP, loop, md
	0xB701, 0xB702, 0xB703, 0xB704, 0x80247009, 0x4B33, 0x5603,                                     // namespaces, RTC_RD_TIME, console
	0x8906, 0x8907, 0x8910, 0x8912, 0x8913, 0x8915, 0x8917, 0x8919, 0x891B, 0x891D, 0x8921, 0x8927, 0x8933, 0x8938, 0x8942,
	0x8946, 0x8947, 0x8948, 0x894B, 0x8954, 0x8970, 0x8994, 0x8B01,                                 // interfaces
};
static const u32 terminal_modes[] = {0x5402, 0x5403, 0x5404, 0x402C542B, 0x402C542C, 0x402C542D}; // TCSETS and its kind

enum { NEW_NAMESPACES = 0x7E020080, SIGNAL_SIGIO_OWNER = 8, SIGNAL_OWNER_EX = 15, LEASE = 1024 };

// refusal is what becomes of a call that is refused: the supervisor refuses it and takes
// note, where there is one.
static u32 refusal(const struct walls *w, u32 error) { return w->asked ? SECCOMP_RET_USER_NOTIF : REFUSE(error); }

// elsewhere reports whether another wall than the filter holds the file system.
static int elsewhere(const struct walls *w) { return w->landlock || w->mounts; }

// opens decides about open and openat. The supervisor is asked about what opens for
// writing, and in a closed cage about everything. Without one, what another wall holds
// passes, but for O_TRUNC without a mode for writing: Landlock sees it since version 3.
static void opens(int number, int flags, const struct walls *w) {
	if (w->closed) decide(number, SECCOMP_RET_USER_NOTIF);
	else if (elsewhere(w) && !w->asked) among(number, flags, ACCESS_MODE | TRUNCATE, LIST(TRUNCATE), REFUSE(NO_PERMISSION), ALLOW);
	else among(number, flags, ACCESS_MODE | CREATE | TRUNCATE | UNNAMED, LIST(0), ALLOW, refusal(w, READ_ONLY));
}

// signals are kept among the cage's own processes by Landlock since its version 6.
// Without that, only the question whether a process is there is allowed: nothing in the
// cage can end anything else.
static void signals(const struct walls *w, int scoped) {
	const u32 refuse = refusal(w, NO_PERMISSION);
	const int calls[] = {N(kill), N(tkill), N(tgkill), N(rt_sigqueueinfo), N(rt_tgsigqueueinfo), 424 /* pidfd_send_signal */};
	if (scoped) {
		for (uword i = 0; i < sizeof calls / sizeof *calls; i++) decide(calls[i], ALLOW);
		among(N(fcntl), 1, WHOLE, LIST(LEASE), refuse, ALLOW);
		return;
	}
	among(N(kill), 1, WHOLE, LIST(0), ALLOW, refuse);
	among(N(tgkill), 2, WHOLE, LIST(0), ALLOW, refuse);
	among(N(fcntl), 1, WHOLE, LIST(LEASE, SIGNAL_SIGIO_OWNER, SIGNAL_OWNER_EX), refuse, ALLOW);
}

// requests decides about ioctl.
static void requests(int modes, u32 refuse) {
	u32 allowed[sizeof reading / sizeof *reading + sizeof terminal_modes / sizeof *terminal_modes];
	int n = 0;
	for (uword i = 0; i < sizeof reading / sizeof *reading; i++) allowed[n++] = reading[i];
	for (uword i = 0; modes && i < sizeof terminal_modes / sizeof *terminal_modes; i++) allowed[n++] = terminal_modes[i];
	among(N(ioctl), 1, WHOLE, allowed, n, ALLOW, refuse);
}

// begin_filter writes what stands before the search: it takes what has a number here.
static void begin_filter(void) {
	emit_before(BPF_RET | BPF_K, REFUSE(NO_SYSCALL), 0, 0);
	emit_before(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1);
#ifdef __x86_64__
	emit_before(BPF_RET | BPF_K, REFUSE(NO_PERMISSION), 0, 0);
	emit_before(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // x32
#endif
	emit_before(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	emit_before(BPF_RET | BPF_K, REFUSE(NO_PERMISSION), 0, 0); // programs of 32 bits
	emit_before(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	emit_before(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
}

// make_filter writes the program. scoped says that Landlock sees to signals.
static void make_filter(const char *grants, const struct walls *w, int scoped) {
	const u32 refuse = refusal(w, NO_PERMISSION);
	opens(N(openat), 2, w);
#ifdef __x86_64__
	opens(N(open), 1, w);
#endif
	decide(437, REFUSE(NO_SYSCALL)); // openat2, clone3 and io_uring: their arguments cannot be read here
	decide(435, REFUSE(NO_SYSCALL));
	decide(425, REFUSE(NO_SYSCALL));
	decide(N(truncate), refusal(w, READ_ONLY)); // Landlock sees it only since its version 3
	decide(N(name_to_handle_at), refuse);
	if (!elsewhere(w) || w->asked)
		for (uword i = 0; i < sizeof changes_files / sizeof *changes_files; i++) decide(changes_files[i], refusal(w, READ_ONLY));
	if (!elsewhere(w)) {
		decide(N(ftruncate), refusal(w, READ_ONLY));
		decide(N(fallocate), refusal(w, READ_ONLY));
		// A bound unix socket is a file; netlink has to bind to read.
		decide(contains(grants, 'U') ? N(bind) : N(socketpair), refuse);
	}
	ask(N(clone));
	load_argument(0);
	emit(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
	finish(refuse);
	finish(ALLOW);
	// Netlink reads; what it could change needs a capability that is gone.
	u32 families[4];
	int n = 0;
	families[n++] = 16;
	if (contains(grants, 'U')) families[n++] = 1;
	if (contains(grants, 'I')) families[n++] = 2, families[n++] = 10;
	among(N(socket), 0, WHOLE, families, n, ALLOW, refuse);
	// The end of a datagram pair could be sent on to any socket, so only streams.
	among(N(socketpair), 1, 15, LIST(1, 5), ALLOW, refuse);
	int modes = contains(grants, 'T') ? sizeof terminal_modes / sizeof *terminal_modes : 0;
	requests(contains(grants, 'T'), refuse);
	signals(w, scoped);
	among(N(flock), 1, 3, LIST(2), refuse, ALLOW); // an exclusive lock can stop a service
	// prlimit64: one's own limits, or only a question.
	ask(N(prlimit64));
	load_argument(0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0);
	load_argument(2);
	emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
	load_upper_argument(2);
	emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
	finish(ALLOW);
	finish(refuse);
	among(N(setpriority), 1, WHOLE, LIST(0), ALLOW, refuse);
	among(N(ioprio_set), 1, WHOLE, LIST(0), ALLOW, refuse);
	among(N(sched_setaffinity), 0, WHOLE, LIST(0), ALLOW, refuse);
	among(N(sched_setscheduler), 0, WHOLE, LIST(0), ALLOW, refuse);
	among(N(syslog), 0, WHOLE, LIST(2, 3, 9, 10), ALLOW, refuse); // reading, not clearing
	among(N(shmctl), 1, WHOLE, LIST(2, 3, 13, 14, 15, 0x102), ALLOW, refuse);
	among(N(semctl), 2, WHOLE, LIST(2, 3, 11, 12, 13, 14, 15, 18, 19, 0x102), ALLOW, refuse);
	among(N(msgctl), 1, WHOLE, LIST(2, 3, 11, 12, 13, 0x102), ALLOW, refuse);
	for (uword i = 0; i < sizeof harmless / sizeof *harmless; i++) decide(harmless[i], ALLOW);
	for (int i = 0; i <= NEWEST; i++) decide(i, refuse);
	search(0, NEWEST);
	begin_filter();
}

// put_up_filter installs the program; the result is a descriptor of its listener if
// flags ask for one.
static word put_up_filter(u32 flags) {
	struct sock_fprog whole = {size - first, program + first};
	return must("seccomp", CALL(seccomp, SECCOMP_SET_MODE_FILTER, flags, &whole, 0, 0));
}
