package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Many hosts at once are connected, and used a second time without a login. What
// that takes is in the log. One daemon holds them all, and with NOD_E2E=1, which is
// without the race detector, its own share of the memory (PSS) stays within a megabyte
// and a half a host.
func TestManyHosts(t *testing.T) {
	t.Parallel()
	count := 8
	if thorough() {
		count = 50
	}
	w, r := newRemote(t)
	var config strings.Builder
	args := []string{"run", "--dangerously-approve-all"}
	for i := range count {
		name := fmt.Sprintf("box%02d", i)
		config.WriteString(strings.Replace(r.section(), "Host box\n", "Host "+name+"\n", 1))
		args = append(args, "-t", name)
	}
	r.write("config", config.String())
	args = append(args, "--", "echo on")
	for _, when := range []string{"the first time", "again"} {
		took := timed(func() {
			if out := w.must(args...); strings.Count(out, ": on\n") != count {
				t.Fatalf("%s", out)
			}
		})
		t.Logf("%d hosts %s: %s", count, when, took)
	}
	if n := r.logins(); n != count {
		t.Errorf("%d logins", n)
	}
	held := r.held()
	if len(held) != count {
		t.Fatalf("%d are held", len(held))
	}
	for _, info := range held {
		if info.Pid != held[0].Pid {
			t.Errorf("%s is held by process %d, others by %d", info.Host, info.Pid, held[0].Pid)
		}
	}
	own := proportional(t, held[0].Pid)
	t.Logf("%d hosts: %.1f MiB, %d threads", count, float64(own)/1024, threads(t, held[0].Pid))
	const base = 60 << 10                                    // KiB, of the program and its heap's head room
	if most := base + count*3<<9; thorough() && own > most { // not with the race detector, which has a memory of its own
		t.Errorf("%d KiB of memory, at most %d", own, most)
	}
}

func timed(do func()) time.Duration {
	begun := time.Now()
	do()
	return time.Since(begun).Round(10 * time.Millisecond)
}

// proportional is what a process takes of the memory, in KiB.
func proportional(t *testing.T, pid int) int {
	return number(t, fmt.Sprintf("/proc/%d/smaps_rollup", pid), `(?m)^Pss: +(\d+) kB`)
}

func threads(t *testing.T, pid int) int {
	return number(t, fmt.Sprintf("/proc/%d/status", pid), `(?m)^Threads:\s+(\d+)`)
}

func number(t *testing.T, path, pattern string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s: %s", path, text)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
