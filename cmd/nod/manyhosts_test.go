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
// that takes is in the log; a holder's memory is its own share of it (PSS).
func TestManyHosts(t *testing.T) {
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
	var own, lwps int
	for _, info := range held {
		own += proportional(t, info.Pid)
		lwps += threads(t, info.Pid)
	}
	if len(held) != count {
		t.Errorf("%d are held", len(held))
	}
	t.Logf("%d holders: %.1f MiB each, %.1f threads each", len(held), float64(own)/float64(len(held))/1024, float64(lwps)/float64(len(held)))
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
