// System calls, strings and messages, without a C library.
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/ioctl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>

typedef long word;
typedef unsigned long uword;
typedef unsigned int u32;
typedef unsigned long long u64;

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
static word syscall6(word n, word a, word b, word c, word d, word e, word f) {
	register word r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	word result;
	__asm__ volatile("syscall" : "=a"(result)
	                 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
static word syscall6(word n, word a, word b, word c, word d, word e, word f) {
	register word x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
	              x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
__asm__(".globl _start\n_start:\n mov x0, sp\n and sp, x0, #-16\n bl begin\n");
#else
#error "no helper for this processor"
#endif

enum { BESIDE = 0x4511 }; // CLONE_VFORK, CLONE_FILES, CLONE_VM, SIGCHLD

// run_beside has a new process run f, which does not return. It has a stack of its own, this
// process's memory and descriptors, and this process waits until it has executed a program or
// ended. A copy of the memory would cost more. The result is its number.
static word run_beside(void (*f)(void *), void *argument, char *stack_end) {
	void **top = (void **)stack_end - 2;
	top[0] = f, top[1] = argument;
#if defined(__x86_64__)
	word result;
	__asm__ volatile("syscall\n test %%rax, %%rax\n jnz 1f\n pop %%rax\n pop %%rdi\n call *%%rax\n1:"
	                 : "=a"(result)
	                 : "a"(__NR_clone), "D"(BESIDE), "S"(top), "d"(0)
	                 : "rcx", "r8", "r10", "r11", "memory");
	return result;
#else
	register word x8 __asm__("x8") = __NR_clone, x0 __asm__("x0") = BESIDE, x1 __asm__("x1") = (word)top;
	__asm__ volatile("svc 0\n cbnz x0, 1f\n ldp x1, x0, [sp], #16\n blr x1\n1:" : "+r"(x0), "+r"(x1) : "r"(x8) : "x2", "x3", "x4", "memory");
	return x0;
#endif
}

#define CALL(name, a, b, c, d, e) syscall6(__NR_##name, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e), 0)

enum {
	CHILD_ENDED = 17, // SIGCHLD
	BAD_FD = -1,
	FROM_CWD = -100,
	NO_PERMISSION = 1,
	NO_ENTRY = 2,
	NO_ACCESS = 13,
	INTERRUPTED = 4,
	NO_CHILD = 10,
	INVALID = 22,
	READ_ONLY = 30,
	NO_SYSCALL = 38,
	NAME_TOO_LONG = 36,
	WRITE_ONLY = 01,
	ACCESS_MODE = 03,
	CREATE = 0100,
	TRUNCATE = 01000,
	NO_TERMINAL = 0400,
	NO_WAITING = 04000,
	NO_ACCESS_TIME = 01000000,
	PER_PROCESSOR = 0740000, // O_DIRECTORY, O_NOFOLLOW, O_DIRECT and O_LARGEFILE, which processors number differently
	CLOSE_ON_EXEC = 02000000,
	PATH_ONLY = 010000000,
	UNNAMED = 020000000, // the bit of O_TMPFILE that no other flag has
};

// Flags of open that processors number differently.
#if defined(__x86_64__)
enum { DIRECTORY = 0200000, NO_FOLLOW = 0400000 };
#else
enum { DIRECTORY = 040000, NO_FOLLOW = 0100000 };
#endif

// struct statx, as far as it is used.
struct status {
	u32 mask, block;
	u64 attributes;
	u32 links, uid, gid;
	unsigned short mode, spare;
	u64 inode, size, blocks, attributes_mask, times[8];
	u32 device_major, device_minor, in_major, in_minor;
	u64 rest[14];
};

// The compiler makes calls of these two by itself.
__attribute__((used)) void *memset(void *at, int value, uword count) {
	for (uword i = 0; i < count; i++) ((char *)at)[i] = value;
	return at;
}
__attribute__((used)) void *memcpy(void *to, const void *from, uword count) {
	for (uword i = 0; i < count; i++) ((char *)to)[i] = ((const char *)from)[i];
	return to;
}

static uword length(const char *s) {
	uword n = 0;
	while (s[n]) n++;
	return n;
}

static int same(const char *a, const char *b) {
	while (*a && *a == *b) a++, b++;
	return *a == *b;
}

static int contains(const char *s, char c) {
	for (; *s; s++)
		if (*s == c) return 1;
	return 0;
}

// base_name is what follows the last slash.
static const char *base_name(const char *path) {
	const char *name = path;
	for (; *path; path++)
		if (*path == '/') name = path + 1;
	return name;
}

// begins reports whether s begins with a text.
static int begins(const char *s, const char *with) {
	while (*with && *s == *with) s++, with++;
	return !*with;
}

// append writes s at the end of a text and returns the new end.
static char *append(char *end, const char *s) {
	while (*s) *end++ = *s++;
	*end = 0;
	return end;
}

static char *append_number(char *end, word n) {
	char digits[24];
	int at = sizeof digits;
	if (n < 0) *end++ = '-', n = -n;
	do digits[--at] = '0' + n % 10;
	while (n /= 10);
	while (at < (int)sizeof digits) *end++ = digits[at++];
	*end = 0;
	return end;
}

static void complain(const char *s) { CALL(write, 2, s, length(s), 0, 0); }

// fail ends the helper before anything ran.
static void fail(const char *what, word error) {
	char text[200], *end = append(text, "nod: not held, and so not run: ");
	end = append(append(end, what), " (errno ");
	append(append_number(end, -error), ")\n");
	complain(text);
	CALL(exit_group, 125, 0, 0, 0, 0);
}

// must fails with what unless a system call succeeded.
static word must(const char *what, word result) {
	if (result < 0) fail(what, result);
	return result;
}
