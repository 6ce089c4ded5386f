package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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
		var threads time.Duration
		tasks, _ := filepath.Glob(dir + "/task/*") // the pattern is well formed
		for _, task := range tasks {
			threads += time.Duration(number(task+"/schedstat", ""))
			u.switches += number(task+"/status", "voluntary_ctxt_switches:")
		}
		own, children := ticks(dir)
		u.cpu += max(threads, own) + children // finer, or with the threads that have ended
	}
	return u
}

// ticks is the CPU time of a process and of the children that it has waited for, in
// steps of 10 ms.
func ticks(dir string) (own, children time.Duration) {
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, 0 // it has ended
	}
	const utime = 11 // behind the name, which may have spaces: proc_pid_stat(5)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	sum := func(fields []string) (t time.Duration) {
		for _, f := range fields {
			n, _ := strconv.Atoi(f) // the kernel writes digits
			t += time.Duration(n) * 10 * time.Millisecond
		}
		return t
	}
	return sum(fields[utime : utime+2]), sum(fields[utime+2 : utime+4])
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
