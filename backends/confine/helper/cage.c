// cage puts up walls around a command, so that it cannot write, connect or change
// anything, and runs it:
//
//	cage WALL GRANTS LIMITS [FOLDER... --] PROGRAM ARGUMENT...
//	ro [+GRANTS] PROGRAM ARGUMENT...
//	held [+GRANTS] PROGRAM ARGUMENT...
//
// WALL is what holds the file system: L for Landlock, S for the filter of system calls
// alone, M for read-only mounts. GRANTS are letters, "-" for none: U unix sockets, I TCP and UDP, A reading
// firewall tables (CAP_NET_ADMIN), T terminal modes, P looking into other processes
// (with S or M), W writing to the FOLDERs (with L), which only stand there with it, C closed: the files that hold secrets, by the list at the
// end of the helper's file, and other devices than the harmless ones cannot be opened. Called as ro it
// takes this kernel's best wall and modest limits, as held it is closed, too. LIMITS are letters with numbers, "-" for none: c seconds of processor
// time, m MiB of address space, n processes, f MiB of a file.
//
//	cage ?
//
// prints what this kernel can do, on one line of NAME=NUMBER.
//
//	cage stay
//
// does nothing until standard input has no other end any more. Nobody can write to the
// helper's file meanwhile (ETXTBSY, open(2)).
//
// It ends as the command ends. It fails closed: if a wall cannot stand, it says so on
// standard error, ends with 125, and nothing has run.
#include "sys.h"
#include "filter.h"
#include "landlock.h"
#include "secrets.h"
#include "refusals.h"
#include "supervise.h"
#include "mounts.h"

static void limit(u32 what, u64 most) {
	u64 wanted[2] = {most, most}, now[2];
	if (CALL(prlimit64, 0, what, 0, now, 0) == 0 && now[1] < most) wanted[0] = wanted[1] = now[1];
	CALL(prlimit64, 0, what, wanted, 0, 0);
}

static void put_up_limits(const char *limits) {
	enum { PROCESSOR_TIME = 0, FILE_SIZE = 1, CORE_FILE = 4, PROCESSES = 6, ADDRESS_SPACE = 9 };
	limit(CORE_FILE, 0);
	for (const char *p = limits; *p;) {
		char what = *p++;
		u64 n = 0;
		while (*p >= '0' && *p <= '9') n = n * 10 + (*p++ - '0');
		switch (what) {
		case 'c': limit(PROCESSOR_TIME, n); break;
		case 'f': limit(FILE_SIZE, n << 20); break;
		case 'm': limit(ADDRESS_SPACE, n << 20); break;
		case 'n': limit(PROCESSES, n); break;
		case '-': break;
		default: fail("an unknown limit", -INVALID);
		}
	}
}

// keep_capabilities gives up every capability but those of kept, for good.
static void keep_capabilities(u64 kept) {
	enum { DROP_FROM_BOUND = 24, AMBIENT = 47, CLEAR_ALL = 4 };
	struct { u32 version; int pid; } header = {0x20080522, 0};
	struct { u32 effective, permitted, inheritable; } sets[2] = {{0}};
	must("capget", CALL(capget, &header, sets, 0, 0, 0));
	for (int i = 0; i < 64; i++) // up to the last that this kernel knows
		if (!(kept >> i & 1) && CALL(prctl, DROP_FROM_BOUND, i, 0, 0, 0) == -INVALID) break;
	CALL(prctl, AMBIENT, CLEAR_ALL, 0, 0, 0);
	for (int i = 0; i < 2; i++) {
		sets[i].effective &= kept >> 32 * i;
		sets[i].permitted &= kept >> 32 * i;
		sets[i].inheritable = 0;
	}
	must("capset", CALL(capset, &header, sets, 0, 0, 0));
}

static u64 capabilities(int landlock, const char *grants) {
	enum { DAC_OVERRIDE = 1, DAC_READ_SEARCH = 2, NET_ADMIN = 12, NET_RAW = 13, SYS_PTRACE = 19, SYSLOG = 34 };
	u64 kept = 1ULL << DAC_READ_SEARCH | 1ULL << SYSLOG;
	// In containers root has no DAC_READ_SEARCH; behind Landlock DAC_OVERRIDE only reads.
	if (landlock) kept |= 1ULL << DAC_OVERRIDE | 1ULL << SYS_PTRACE;
	if (contains(grants, 'P')) kept |= 1ULL << SYS_PTRACE;
	if (contains(grants, 'A')) kept |= 1ULL << NET_ADMIN;
	if (contains(grants, 'I')) kept |= 1ULL << NET_RAW; // ping
	return kept;
}

// execute becomes the program, looked up in PATH.
static void execute(char **argv, char **env) {
	const char *search = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	for (char **e = env; *e; e++)
		if ((*e)[0] == 'P' && (*e)[1] == 'A' && (*e)[2] == 'T' && (*e)[3] == 'H' && (*e)[4] == '=') search = *e + 5;
	word why = -NO_ENTRY;
	if (contains(argv[0], '/')) {
		why = CALL(execve, argv[0], argv, env, 0, 0);
	} else {
		char path[4352];
		while (*search && length(argv[0]) < 255) {
			char *end = path;
			while (*search && *search != ':' && end < path + 4090) *end++ = *search++;
			while (*search && *search != ':') search++;
			if (*search) search++;
			append(append(end, "/"), argv[0]);
			word tried = CALL(execve, path, argv, env, 0, 0);
			if (tried != -NO_ENTRY) why = tried;
		}
	}
	complain("nod: cannot run ");
	complain(argv[0]);
	complain(why == -NO_ENTRY ? ": not found\n" : ": permission denied\n");
	CALL(exit_group, why == -NO_ENTRY ? 127 : 126, 0, 0, 0, 0);
}

static void probe(void) {
	u32 refusing = SECCOMP_RET_ERRNO, asking = SECCOMP_RET_USER_NOTIF;
	char text[160], *end = append_number(append(text, "landlock="), landlock_version());
	end = append_number(append(end, " seccomp="), CALL(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refusing, 0, 0) == 0);
	end = append_number(append(end, " asking="), CALL(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &asking, 0, 0) == 0);
	end = append_number(append(end, " processor="), ARCHITECTURE == AUDIT_ARCH_AARCH64 ? 64 : 86);
	if (!landlock_version() && CALL(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &asking, 0, 0) != 0)
		end = append_number(append(end, " mounts="), can_mount());
	append(append_number(append(end, " uid="), CALL(getuid, 0, 0, 0, 0, 0)), "\n");
	CALL(write, 1, text, length(text), 0, 0);
	CALL(exit_group, 0, 0, 0, 0, 0);
}

// stay stays until the other end of standard input has gone. What comes there is for somebody
// else.
static void stay(void) {
	struct { int fd; short events, happened; } input = {0, 0, 0};
	while (CALL(ppoll, &input, 1, 0, 0, 0) < 0) {}
	CALL(exit_group, 0, 0, 0, 0, 0);
}

// Closes all descriptors above standard error.
static void close_others(void) {
	if (CALL(close_range, 3, ~0u, 0, 0, 0) == 0) return;
	for (int fd = 3; fd < 65536; fd++) CALL(close, fd, 0, 0, 0, 0);
}

// order is what the helper was told to do.
struct order {
	const char *grants, *limits;
	u32 version; // of Landlock; 0: something else holds the file system
	int mounts;  // read-only mounts hold it
	char **command, **folders; // folders end at "--", or are 0
};

// in_short reads the arguments of ro and held.
static void in_short(struct order *o, char **argv, int closed) {
	static char grants[16];
	char *end = append(grants, closed ? "CT" : "T");
	o->command = argv + 1;
	if (argv[1] && argv[1][0] == '+') {
		if (length(argv[1]) > 8) fail("unknown grants", -INVALID);
		append(end, argv[1] + 1);
		o->command++;
	}
	o->grants = grants;
	o->limits = "c60m4096n512f64";
	u32 asking = SECCOMP_RET_USER_NOTIF;
	o->version = contains(grants, 'P') ? 0 : landlock_version();
	o->mounts = !o->version && CALL(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &asking, 0, 0) != 0;
	if (!*o->command) fail("usage: ro PROGRAM ARGUMENT...", -INVALID);
}

static void read_order(struct order *o, word argc, char **argv) {
	if (same(base_name(argv[0]), "ro")) return in_short(o, argv, 0);
	if (same(base_name(argv[0]), "held")) return in_short(o, argv, 1);
	if (argc == 2 && same(argv[1], "?")) probe();
	if (argc == 2 && same(argv[1], "stay")) stay();
	if (argc < 5) fail("usage: cage WALL GRANTS LIMITS PROGRAM ARGUMENT...", -INVALID);
	int landlock = same(argv[1], "L");
	o->mounts = same(argv[1], "M");
	if (!landlock && !o->mounts && !same(argv[1], "S")) fail("an unknown wall", -INVALID);
	o->version = landlock ? landlock_version() : 0;
	if (landlock && !o->version) fail("this kernel has no Landlock", -NO_SYSCALL);
	o->grants = argv[2];
	o->limits = argv[3];
	o->command = argv + 4;
	if (!contains(o->grants, 'W')) return;
	if (!landlock) fail("folders to write to, without Landlock", -INVALID);
	o->folders = o->command;
	while (*o->command && !same(*o->command, "--")) o->command++;
	if (!*o->command || !*++o->command) fail("usage: cage L W LIMITS FOLDER... -- PROGRAM ARGUMENT...", -INVALID);
}

// wipe takes the command out of what other programs see of the supervisor, which would
// else be found by whoever looks for the command's words.
static void wipe(word argc, char **argv) {
	for (word i = 1; i < argc; i++)
		for (char *c = argv[i]; *c; c++) *c = 0;
}

// job is what the process that becomes the command is told, and what it says.
struct job {
	const struct order *order;
	const struct walls *walls;
	char **environment;
	word supervisor;
	uword signals; // that were blocked before
	int listener;  // of the filter, BAD_FD where there is none
};

// become puts up the walls around this process and has it become the command. It shares its
// memory with the supervisor, which waits until that is done: what it says here is known
// there.
static void become(void *at) {
	struct job *j = at;
	const struct order *o = j->order;
	if (o->mounts) must("read-only mounts", put_up_mounts()); // in a user namespace it clears the next setting
	must("the supervisor's end", CALL(prctl, SET_PARENT_DEATH_SIGNAL, KILL, 0, 0, 0));
	if (CALL(getppid, 0, 0, 0, 0, 0) != j->supervisor) fail("the supervisor has ended", -3);
	put_up_limits(o->limits);
	must("no_new_privs", CALL(prctl, 38, 1, 0, 0, 0));
	keep_capabilities(capabilities(j->walls->landlock, o->grants));
	if (j->walls->landlock) put_up_landlock(o->grants, o->version, o->folders);
	make_filter(o->grants, j->walls, o->version >= 6);
	// Everything that the filter would refuse from here on is done.
	word listener = put_up_filter(j->walls->asked ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0);
	if (j->walls->asked) j->listener = listener;
	CALL(rt_sigprocmask, SET_MASK, &j->signals, 0, sizeof j->signals, 0);
	execute(o->command, j->environment);
}

__attribute__((used)) void begin(word *stack) {
	word argc = stack[0];
	char **argv = (char **)(stack + 1), **env = argv + argc + 1;
	struct order o = {0};
	read_order(&o, argc, argv);
	struct walls walls = {o.version > 0, o.mounts, contains(o.grants, 'C'), 0, o.folders != 0};
	u32 asking = SECCOMP_RET_USER_NOTIF;
	walls.asked = CALL(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &asking, 0, 0) == 0;
	if (walls.closed && !walls.asked) fail("this kernel cannot hide files", -NO_SYSCALL);
	if (walls.closed) read_secrets();

	close_others();
	must("subreaper", CALL(prctl, SET_CHILD_SUBREAPER, 1, 0, 0, 0));
	struct job j = {&o, &walls, env, CALL(getpid, 0, 0, 0, 0, 0), 0, BAD_FD};
	uword heard = passed_on | BIT(CHILD_ENDED);
	uword blocked = heard | BIT(13) | BIT(22); // SIGPIPE and SIGTTOU must not end or stop the supervisor
	must("signals", CALL(rt_sigprocmask, BLOCK, &blocked, &j.signals, sizeof blocked, 0));
	int signals = must("signals", CALL(signalfd4, -1, &heard, sizeof heard, CLOSE_ON_EXEC, 0));
	struct modes terminal;
	keep_modes(&terminal);
	static char command_stack[1 << 16] __attribute__((aligned(16)));
	word command = must("a process", run_beside(become, &j, command_stack + sizeof command_stack));
	wipe(argc, argv);
	supervise(command, signals, j.listener, &walls, &terminal);
}
