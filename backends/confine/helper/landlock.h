// Landlock: every file may be read and executed, none may be written but in the folders
// that the order names.

static u32 landlock_version(void) {
	word version = syscall6(444, 0, 0, LANDLOCK_CREATE_RULESET_VERSION, 0, 0, 0);
	return version < 0 ? 0 : version;
}

enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_FOLDER = 1 << 3,
	FIRST_RIGHTS = (1 << 13) - 1, // those of version 1
	REFER = 1 << 13,              // version 2: to link and rename across folders
	SHORTEN = 1 << 14,            // version 3: truncate
	DEVICES = 1 << 15,            // version 5: ioctl on devices; not handled, the filter decides
	BIND_TCP = 1,                 // version 4
	CONNECT_TCP = 2,
	ABSTRACT_SOCKETS = 1, // version 6
	SIGNALS = 2,
};

static void permit(word rules, const char *path, u64 rights) {
	word fd = CALL(openat, FROM_CWD, path, PATH_ONLY | CLOSE_ON_EXEC, 0, 0);
	if (fd < 0) return;
	struct __attribute__((packed)) { u64 rights; int fd; } rule = {rights, fd};
	must("a Landlock rule", syscall6(445, rules, LANDLOCK_RULE_PATH_BENEATH, (word)&rule, 0, 0, 0));
	CALL(close, fd, 0, 0, 0, 0);
}

static int is_device(const char *path) {
	struct { u32 mask, block; u64 rest[40]; } stat = {0}; // struct statx: stx_mode stands in the word at byte 28
	if (CALL(statx, FROM_CWD, path, 0, 2 /* STATX_MODE */ | 1, &stat) < 0) return 0;
	unsigned short mode = *(unsigned short *)((char *)&stat + 28);
	return (mode & 0170000) == 0020000;
}

static void put_up_landlock(const char *grants, u32 version, char **folders) {
	struct { u64 files, net, scope; } handled = {FIRST_RIGHTS, 0, 0};
	if (version >= 2) handled.files |= REFER;
	if (version >= 3) handled.files |= SHORTEN;
	if (version >= 4) handled.net = contains(grants, 'I') ? BIND_TCP : BIND_TCP | CONNECT_TCP;
	if (version >= 6) handled.scope = contains(grants, 'U') ? SIGNALS : SIGNALS | ABSTRACT_SOCKETS;
	word rules = must("a Landlock ruleset", syscall6(444, (word)&handled, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0, 0, 0, 0));
	permit(rules, "/", EXECUTE | READ_FILE | READ_FOLDER);
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", 0};
	u64 writing = (WRITE_FILE | READ_FILE | SHORTEN) & handled.files;
	for (int i = 0; devices[i]; i++) permit(rules, devices[i], writing);
	// All but devices: MAKE_CHAR and MAKE_BLOCK.
	for (; folders && !same(*folders, "--"); folders++) permit(rules, *folders, handled.files & ~(u64)(1 << 6 | 1 << 11));
	// The terminal that the command has already, for those that open /dev/stderr.
	char own[] = "/proc/self/fd/0";
	for (; own[14] < '3'; own[14]++)
		if (is_device(own)) permit(rules, own, writing);
	must("Landlock", syscall6(446, rules, 0, 0, 0, 0, 0));
	CALL(close, rules, 0, 0, 0, 0);
}
