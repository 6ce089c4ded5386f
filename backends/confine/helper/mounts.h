// Read-only mounts, for kernels that have neither Landlock nor a supervisor of system
// calls: a mount namespace of the command's own in which nothing can be written, and no
// devices can be opened but the harmless ones and the terminal that the command has.

enum {
	NEW_MOUNTS = 0x20000, // CLONE_NEWNS
	NEW_USERS = 0x10000000,
	BIND = 4096,
	MAKE_READ_ONLY = 1 | 4 | 32 | BIND, // MS_RDONLY, MS_NODEV, MS_REMOUNT
	APART = 1 << 19 | 1 << 14,      // MS_SLAVE, MS_REC
	MOUNT_FIELDS = 6,               // of a line of mountinfo, as far as they are used
	MOST_MOUNTS = 2000,
};

static char mount_table[1 << 19];
static struct {
	char *id, *parent, *at;
	word flags; // 0: it is read-only and has no devices
} mounts[MOST_MOUNTS];
static int mount_count;

static void write_file(const char *path, const char *text) {
	word fd = CALL(openat, FROM_CWD, path, WRITE_ONLY | CLOSE_ON_EXEC, 0, 0);
	if (fd < 0) return;
	CALL(write, fd, text, length(text), 0, 0);
	CALL(close, fd, 0, 0, 0, 0);
}

// own_mounts enters a mount namespace, by way of a user namespace where this is not root.
static word own_mounts(void) {
	word uid = CALL(getuid, 0, 0, 0, 0, 0), gid = CALL(getgid, 0, 0, 0, 0, 0);
	if (CALL(unshare, NEW_MOUNTS, 0, 0, 0, 0) == 0) return 0;
	word failed = CALL(unshare, NEW_MOUNTS | NEW_USERS, 0, 0, 0, 0);
	if (failed) return failed;
	char map[64];
	write_file("/proc/self/setgroups", "deny");
	append(append_number(append(append_number(map, uid), " "), uid), " 1");
	write_file("/proc/self/uid_map", map);
	append(append_number(append(append_number(map, gid), " "), gid), " 1");
	write_file("/proc/self/gid_map", map);
	return 0;
}

// next_mount cuts the line at *at into its fields and moves on to the next line.
static int next_mount(char **at, char **fields) {
	int n = 0;
	char *c = *at;
	if (!*c) return 0;
	for (fields[n++] = c; *c && *c != '\n'; c++)
		if (*c == ' ' && n <= MOUNT_FIELDS) {
			*c = 0;
			if (n < MOUNT_FIELDS) fields[n] = c + 1;
			n++;
		}
	if (*c) *c++ = 0;
	*at = c;
	return n >= MOUNT_FIELDS;
}

// mount_flags reads the options of a mount, which a change has to name again. The result
// is 0 if it is read-only and has no devices.
static word mount_flags(char *options) {
	enum { DONE = 1 | 4 };
	static const struct { const char *name; word flag; } known[] = {
		{"nosuid", 2}, {"noexec", 8}, {"noatime", 1024}, {"nodiratime", 2048}, {"relatime", 1 << 21}, {0, 0}};
	word flags = MAKE_READ_ONLY, has = 0;
	for (char *word_at = options, *c = options;; c++) {
		if (*c && *c != ',') continue;
		int last = !*c;
		*c = 0;
		has |= same(word_at, "ro") ? 1 : same(word_at, "nodev") ? 4 : 0;
		for (int i = 0; known[i].name; i++)
			if (same(word_at, known[i].name)) flags |= known[i].flag;
		if (last) return has == DONE ? 0 : flags;
		word_at = c + 1;
	}
}

// unescape turns the \040 of a name in mountinfo back into what it stands for.
static void unescape(char *name) {
	char *to = name;
	for (; *name; name++) {
		if (*name != '\\') {
			*to++ = *name;
			continue;
		}
		*to++ = (name[1] - '0') * 64 + (name[2] - '0') * 8 + (name[3] - '0');
		name += 3;
	}
	*to = 0;
}

// read_mounts reads what is mounted.
static word read_mounts(void) {
	word fd = CALL(openat, FROM_CWD, "/proc/self/mountinfo", CLOSE_ON_EXEC, 0, 0), n = 0, got = fd;
	if (fd < 0) return fd;
	while ((got = CALL(read, fd, mount_table + n, sizeof mount_table - 1 - n, 0, 0)) > 0) n += got;
	CALL(close, fd, 0, 0, 0, 0);
	if (got < 0) return got;
	if (n == sizeof mount_table - 1) return -NAME_TOO_LONG;
	mount_table[n] = 0;
	char *fields[MOUNT_FIELDS];
	mount_count = 0;
	for (char *at = mount_table; *at; mount_count++) {
		if (!next_mount(&at, fields) || mount_count == MOST_MOUNTS) return -NAME_TOO_LONG;
		unescape(fields[4]);
		mounts[mount_count].id = fields[0];
		mounts[mount_count].parent = fields[1];
		mounts[mount_count].at = fields[4];
		mounts[mount_count].flags = mount_flags(fields[5]);
	}
	return 0;
}

// is_covered reports whether another mount lies on the whole of one.
static int is_covered(int i) {
	for (int k = 0; k < mount_count; k++)
		if (same(mounts[k].parent, mounts[i].id) && same(mounts[k].at, mounts[i].at)) return 1;
	return 0;
}

// is_out_of_reach reports whether this user, who gains no rights any more, cannot even get
// to where a mount is.
static int is_out_of_reach(const char *at) {
	word fd = CALL(openat, FROM_CWD, at, PATH_ONLY | CLOSE_ON_EXEC, 0, 0);
	if (fd >= 0) CALL(close, fd, 0, 0, 0, 0);
	return fd == -NO_ACCESS;
}

// The devices that stay, each a mount of its own.
static const char *const kept_devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", 0};
static char terminals[3][64];

static int is_kept(const char *at) {
	int kept = 0;
	for (int i = 0; kept_devices[i]; i++) kept |= same(kept_devices[i], at);
	for (int i = 0; i < 3; i++) kept |= terminals[i][0] && same(terminals[i], at);
	return kept && is_device(at);
}

// keep_devices makes a mount of each device that stays. One that cannot be stays out of reach.
static void keep_devices(void) {
	for (int i = 0; kept_devices[i]; i++)
		if (is_device(kept_devices[i])) CALL(mount, kept_devices[i], kept_devices[i], 0, BIND, 0);
	char own[] = "/proc/self/fd/0";
	for (int i = 0; i < 3; i++, own[14]++) {
		word n = is_device(own) ? CALL(readlinkat, FROM_CWD, own, terminals[i], sizeof terminals[i] - 1, 0) : 0;
		terminals[i][n > 0 ? n : 0] = 0;
		if (n > 0 && begins(terminals[i], "/dev/pts/")) CALL(mount, terminals[i], terminals[i], 0, BIND, 0);
		else terminals[i][0] = 0;
	}
}

// put_up_mounts makes every mount read-only, one by one: older kernels know no other way.
// Then it looks whether all are that can be reached by a name; the folder that the command
// is in is entered again by its name.
static word put_up_mounts(void) {
	static char folder[4200];
	word failed = own_mounts();
	if (failed || (failed = CALL(mount, 0, "/", 0, APART, 0))) return failed;
	keep_devices();
	if ((failed = read_mounts())) return failed;
	for (int i = 0; i < mount_count; i++)
		if (mounts[i].flags && !is_kept(mounts[i].at)) CALL(mount, 0, mounts[i].at, 0, mounts[i].flags, 0);
	if ((failed = read_mounts())) return failed;
	for (int i = 0; i < mount_count; i++)
		if (mounts[i].flags && !is_kept(mounts[i].at) && !is_covered(i) && !is_out_of_reach(mounts[i].at)) return -READ_ONLY;
	if ((failed = CALL(getcwd, folder, 4096, 0, 0, 0)) < 0) return failed;
	return CALL(chdir, folder, 0, 0, 0, 0);
}

// can_mount tries it in a process of its own.
static int can_mount(void) {
	word child = syscall6(__NR_clone, CHILD_ENDED, 0, 0, 0, 0, 0);
	if (child == 0) CALL(exit_group, put_up_mounts() != 0, 0, 0, 0, 0);
	u32 status = 1;
	return child > 0 && CALL(wait4, child, &status, 0, 0, 0) == child && status == 0;
}
