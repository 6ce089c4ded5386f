package tmux

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Owner is the mark of this process for sessions: which machine, which process
// and when it started, so that a process id given out again is not taken for
// the owner. The target's machine may be another one; only the owner's counts.
func Owner() string { return ownerMark(os.Getpid()) }

func ownerMark(pid int) string {
	return strings.Join([]string{machine(), strconv.Itoa(pid), startTime(pid)}, "/")
}

// OwnerGone reports whether the process with the given mark has surely ended.
// It is false for marks from another machine and for marks that make no sense.
func OwnerGone(mark string) bool {
	f := strings.Split(mark, "/")
	if len(f) != 3 {
		return false
	}
	pid, err := strconv.Atoi(f[1])
	if err != nil || pid <= 0 || f[0] != machine() {
		return false
	}
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return true
	}
	return startTime(pid) != f[2]
}

// machine is the host's name as a word that needs no quoting anywhere.
func machine() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// startTime identifies when a process started: the boot of the machine and the
// clock ticks since then (proc(5), stat field 22). Where there is no /proc it
// is "-", and only the process id tells.
func startTime(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "-"
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(boot) < 8 {
		return "-"
	}
	// The name of the program, in parentheses, may hold anything.
	_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	const ticks = 22 - 3 // the first field behind the name is the third
	f := strings.Fields(after)
	if len(f) <= ticks {
		return "-"
	}
	return string(boot[:8]) + "." + f[ticks]
}
