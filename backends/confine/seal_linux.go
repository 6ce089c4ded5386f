//go:build linux && (amd64 || arm64)

package confine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Seal takes everything from this process but computing, for good: afterwards it can
// read and write the three standard streams, use memory up to the bounds, start threads,
// wait and end. It cannot open a file, make a socket or a process, run a program, or
// signal another process; such calls fail with EPERM. All other descriptors are closed.
//
// It holds for all threads. After an error the process must not go on to what it wanted
// to be sealed for. See seccomp(2), getrlimit(2).
func Seal(b Bounds) error {
	// The runtime's poller, which the first timer starts, cannot be had later.
	time.AfterFunc(time.Hour, func() {}).Stop()
	if err := closeAll(); err != nil {
		return fmt.Errorf("confine: seal: %w", err)
	}
	if err := bound(b); err != nil {
		return fmt.Errorf("confine: seal: %w", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("confine: seal: no_new_privs: %w", err)
	}
	filter := sealFilter(uint32(os.Getpid())) //nolint:gosec // a process id is positive
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))) //nolint:gosec // the kernel reads it
	switch {
	case errno != 0:
		return fmt.Errorf("confine: seal: seccomp: %w", errno)
	case thread != 0:
		return fmt.Errorf("confine: seal: thread %d has another filter", thread)
	}
	return nil
}

// closeAll closes what was inherited. The runtime's own descriptors, with which it waits
// for pipes, stay.
func closeAll() error {
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		to, err := os.Readlink(dir + "/" + e.Name())
		if err != nil || to == "anon_inode:[eventpoll]" || to == "anon_inode:[eventfd]" {
			continue // the one that listed the folder is closed by now
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close descriptor %d: %w", fd, err)
		}
	}
	return nil
}

func bound(b Bounds) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0}
	if b.Memory > 0 {
		has, err := writableMemory()
		if err != nil {
			return err
		}
		limits[unix.RLIMIT_DATA] = has + uint64(b.Memory)
	}
	if b.CPU > 0 {
		limits[unix.RLIMIT_CPU] = uint64(b.CPU)
	}
	for resource, most := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d to %d: %w", resource, most, err)
		}
	}
	return nil
}

// writableMemory is what RLIMIT_DATA counts, in bytes: the sixth number of
// /proc/self/statm, which has the stack besides.
func writableMemory() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 6 {
		return 0, fmt.Errorf("/proc/self/statm is %q", text)
	}
	pages, err := strconv.ParseUint(fields[5], 10, 64)
	return pages * uint64(os.Getpagesize()), err //nolint:gosec // a page has a positive size
}

// The calls that Go's runtime and, under it, a C library need to compute, to wait and to
// use pipes.
var sealAllowed = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_FUTEX, unix.SYS_CLOSE,
	unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CTL,
	unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_MREMAP,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_RESTART_SYSCALL,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETRANDOM,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// Offsets in struct seccomp_data; both processors are little-endian.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

// sealFilter is the program for the kernel. What it does not allow fails with EPERM;
// clone3 fails with ENOSYS, so that a C library uses clone, whose flags can be read.
func sealFilter(pid uint32) []unix.SockFilter {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	refuse := ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	allow := ret(unix.SECCOMP_RET_ALLOW)
	f := []unix.SockFilter{
		load(dataArch), equal(arch, 1, 0), ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(dataNumber),
		equal(unix.SYS_CLONE3, 0, 1), ret(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
	}
	for _, number := range sealAllowed {
		f = append(f, equal(number, 0, 1), allow)
	}
	const thread = unix.CLONE_THREAD | unix.CLONE_VM
	return append(f,
		// A thread, no process.
		equal(unix.SYS_CLONE, 0, 5), load(dataArgs), and(thread), equal(thread, 0, 1), allow, refuse,
		// Memory that can not be run.
		equal(unix.SYS_MMAP, 1, 0), equal(unix.SYS_MPROTECT, 0, 5), load(dataArgs+2*8), and(unix.PROT_EXEC), equal(0, 0, 1), allow, refuse,
		// Signals to its own threads.
		equal(unix.SYS_TGKILL, 0, 3), load(dataArgs), equal(pid, 0, 1), allow,
		refuse,
	)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func and(mask uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask}
}

// equal skips yes instructions if the loaded word is k, otherwise no.
func equal(k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func ret(what uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
}
