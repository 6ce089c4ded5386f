package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is what the processes of a program have used so far.
type usage struct {
	cpu      time.Duration
	switches float64 // how often a thread waited and was woken
}

// processes are those of this home: the program and all that it started, also those
// that have put themselves into the background.
func processes(home string) []string {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	return slices.DeleteFunc(all, func(dir string) bool {
		env, err := os.ReadFile(dir + "/environ")
		return err != nil || !bytes.Contains(env, []byte("HOME="+home+"\x00"))
	})
}

// used adds up the processes of a home.
func used(home string) usage {
	var u usage
	for _, dir := range processes(home) {
		tasks, _ := filepath.Glob(dir + "/task/*") // the pattern is well formed
		for _, task := range tasks {
			u.switches += number(task+"/status", "voluntary_ctxt_switches:")
		}
		u.cpu += own(dir) + children(dir)
	}
	return u
}

// own is the CPU time of a process, with the threads that have ended.
func own(dir string) time.Duration {
	pid, _ := strconv.Atoi(filepath.Base(dir)) // the kernel writes digits
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil { // its clock, as of clock_getcpuclockid(3)
		return 0 // it has ended
	}
	return time.Duration(t.Nano())
}

// children is the CPU time of those that a process has waited for, in steps of 10 ms.
func children(dir string) time.Duration {
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0 // it has ended
	}
	const cutime = 13 // behind the name, which may have spaces: proc_pid_stat(5)
	ticks := 0
	for _, f := range strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[cutime : cutime+2] {
		n, _ := strconv.Atoi(f) // the kernel writes digits
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// resident is the program's own memory, and the share of all processes of its home, in MiB.
func resident(pid int, home string) (own, all float64) {
	for _, dir := range processes(home) {
		all += number(dir+"/smaps_rollup", "Pss:") / 1024
	}
	return number("/proc/"+strconv.Itoa(pid)+"/status", "VmRSS:") / 1024, all
}

// number is the one behind a name in a file of /proc, 0 when its process has ended.
func number(path, name string) float64 {
	data, _ := os.ReadFile(path) // it may have ended
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64) // the kernel writes digits
			return n
		}
	}
	return 0
}
