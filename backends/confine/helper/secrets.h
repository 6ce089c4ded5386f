// A closed cage: the supervisor opens each file itself and judges the opened file, not
// its name. Files that hold secrets, block devices, devices other than the harmless ones
// and pipes with a name stay closed.

enum { OPENAT2 = 437, NO_MAGIC_LINKS = 2, STATX_TYPE_AND_MODE = 3 };

// The patterns, a line each: small letters, "*" within a name, "**" across folders, "!"
// takes out again. One without a slash is for a file's own name.
static char secrets[8192];

// read_secrets reads the patterns from the end of the helper's own file, however that was
// found: behind them stands their length, in eight digits.
static void read_secrets(void) {
	enum { DIGITS = 8, FROM_END = 2 };
	char digits[DIGITS];
	word fd = must("the list of secrets", CALL(openat, FROM_CWD, "/proc/self/exe", CLOSE_ON_EXEC, 0, 0)), n = 0;
	word end = must("the list of secrets", CALL(lseek, fd, 0, FROM_END, 0, 0)) - DIGITS;
	if (end < 0 || CALL(pread64, fd, digits, DIGITS, end, 0) != DIGITS) fail("the list of secrets", -NO_ENTRY);
	for (int i = 0; i < DIGITS; i++) {
		if (digits[i] < '0' || digits[i] > '9') fail("the list of secrets", -NO_ENTRY);
		n = n * 10 + (digits[i] - '0');
	}
	if (n == 0 || n >= (word)sizeof secrets || n > end) fail("the length of the list of secrets", -INVALID);
	if (CALL(pread64, fd, secrets, n, end - n, 0) != n) fail("the list of secrets", -NO_ENTRY);
	CALL(close, fd, 0, 0, 0, 0);
}

// match compares a name with a pattern that ends at a line's end.
static int match(const char *pattern, const char *name) {
	for (; *pattern && *pattern != '\n'; pattern++, name++) {
		if (*pattern == '*') {
			int across = pattern[1] == '*';
			for (pattern += 1 + across;; name++) {
				if (match(pattern, name)) return 1;
				if (!*name || (*name == '/' && !across)) return 0;
			}
		}
		if (*pattern != *name) return 0;
	}
	return !*name;
}

// is_secret reports whether a path, which it turns into small letters, is of a file that
// holds secrets.
static int is_secret(char *path) {
	int is = 0;
	for (char *c = path; *c; c++)
		if (*c >= 'A' && *c <= 'Z') *c += 'a' - 'A';
	const char *name = base_name(path);
	for (const char *line = secrets; *line;) {
		int except = *line == '!';
		line += except;
		const char *end = line;
		int whole = 0;
		for (; *end && *end != '\n'; end++) whole |= *end == '/';
		if (end > line && is == except && match(line, whole ? path : name)) is = !except;
		line = *end ? end + 1 : end;
	}
	return is;
}

// own_process turns /proc/self and the links in /dev that lead there into the thread's;
// the result says whether the path is one of its descriptors.
static int own_process(char *path, int thread) {
	static const char *const starts[] = {"/proc/self/", "/proc/thread-self/", "/dev/fd/", 0};
	static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr", 0};
	char rest[4200], *end;
	int i, descriptor = -1;
	for (i = 0; streams[i]; i++)
		if (same(path, streams[i])) descriptor = i;
	for (i = 0; starts[i] && descriptor < 0; i++) {
		uword n = length(starts[i]), k = 0;
		while (k < n && path[k] == starts[i][k]) k++;
		if (k < n) continue;
		append(rest, path + n);
		end = append(append_number(append(path, "/proc/"), thread), "/");
		append(append(end, i == 2 ? "fd/" : ""), rest);
		for (k = end - path; path[k] == "fd/"[k - (end - path)] && k < (uword)(end - path) + 3; k++) {}
		return k == (uword)(end - path) + 3 && path[k] >= '0' && path[k] <= '9' && !contains(path + k, '/');
	}
	if (descriptor < 0) return 0;
	append_number(append(append_number(append(path, "/proc/"), thread), "/fd/"), descriptor);
	return 1;
}

// harmless_device reports whether reading a device does nothing: the common ones, and
// the terminals that the command has.
static int harmless_device(u32 major, u32 minor) {
	if (major == 1) return minor == 3 || minor == 5 || minor == 7 || minor == 8 || minor == 9;
	if (major == 5 && minor == 0) return 1;
	for (int fd = 0; fd < 3; fd++) {
		struct status own = {0};
		if (CALL(statx, fd, "", 0x1000 /* AT_EMPTY_PATH */, STATX_TYPE_AND_MODE, &own) == 0 &&
		    (own.mode & 0170000) == 0020000 && own.device_major == major && own.device_minor == minor)
			return 1;
	}
	return 0;
}

// is_foreign reports whether an opened path is what another process keeps to itself, or
// drains the kernel's log.
static int is_foreign(const char *path, int thread) {
	static const char *const closed[] = {"environ", "mem", "kcore", "kmsg", 0};
	const char *name = base_name(path);
	char own[40];
	append(append_number(append(own, "/proc/"), thread), "/");
	uword k = 0;
	while (own[k] && own[k] == path[k]) k++;
	if (!own[k]) return 0;
	for (k = 0; k < 6; k++)
		if (path[k] != "/proc/"[k]) return 0;
	for (int i = 0; closed[i]; i++)
		if (same(name, closed[i])) return 1;
	return 0;
}

static int hidden; // the last file that was judged stays closed

// judge decides about an opened file: 0, or why it stays closed.
static word judge(word fd, int thread, int own) {
	char link[40], path[4200];
	append_number(append(link, "/proc/self/fd/"), fd);
	word n = CALL(readlinkat, FROM_CWD, link, path, 4096, 0);
	if (n < 0) return n;
	path[n] = 0;
	struct status is = {0};
	word why = CALL(statx, fd, "", 0x1000, STATX_TYPE_AND_MODE, &is);
	if (why < 0) return why;
	switch (is.mode & 0170000) {
	case 0060000: return -NO_ACCESS;
	case 0010000: return own ? 0 : -NO_ACCESS;
	case 0020000: return harmless_device(is.device_major, is.device_minor) ? 0 : -NO_ACCESS;
	case 0040000: return 0;
	}
	return is_foreign(path, thread) || is_secret(path) ? -NO_ACCESS : 0;
}

// open_judged opens a file for reading as a thread of the cage would, and judges it. The
// result is a descriptor, or the error that the thread gets.
static word open_judged(int thread, int folder, char *path, word flags) {
	int own = own_process(path, thread);
	word base = FROM_CWD;
	if (*path != '/') {
		char at[60], *end = append(append_number(append(at, "/proc/"), thread), folder == FROM_CWD ? "/cwd" : "/fd/");
		if (folder != FROM_CWD) append_number(end, folder);
		base = CALL(openat, FROM_CWD, at, PATH_ONLY | CLOSE_ON_EXEC, 0, 0);
		if (base < 0) return base == -NO_ENTRY ? -9 : base; // EBADF
	}
	word only = flags & PATH_ONLY;
	struct { u64 flags, mode, resolve; } how = {
		(flags & (only ? PATH_ONLY | DIRECTORY | NO_FOLLOW : PER_PROCESSOR | NO_ACCESS_TIME)) | CLOSE_ON_EXEC |
			(only ? 0 : NO_WAITING | NO_TERMINAL), 0, own ? 0 : NO_MAGIC_LINKS};
	word fd = syscall6(OPENAT2, base, (word)path, (word)&how, sizeof how, 0, 0);
	if (base >= 0) CALL(close, base, 0, 0, 0, 0);
	if (fd < 0) return fd;
	word why = only ? 0 : judge(fd, thread, own);
	if (why < 0) {
		hidden = 1;
		CALL(close, fd, 0, 0, 0, 0);
		return why;
	}
	if (!only && !(flags & NO_WAITING)) CALL(fcntl, fd, 4 /* F_SETFL */, flags & (PER_PROCESSOR | NO_ACCESS_TIME), 0, 0);
	return fd;
}
