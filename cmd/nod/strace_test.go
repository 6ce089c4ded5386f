package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// traced runs nod under strace, which writes down what it does, or makes some of
// it fail.
func (w *world) traced(options []string, args ...string) (trace []string, errs string, status int) {
	w.t.Helper()
	needs(w.t, "strace")
	file := filepath.Join(w.t.TempDir(), "trace")
	var said strings.Builder
	cmd := exec.Command("strace", slices.Concat([]string{"-f", "--seccomp-bpf", "-yy", "-s", "5000", "-o", file}, options, []string{w.nod}, args)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TERM=dumb"}, w.env()...)
	cmd.Dir = w.home
	cmd.Stderr = &said
	_ = cmd.Run() // its status is looked at
	text, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatalf("strace: %v: %s", err, &said)
	}
	return strings.Split(string(text), "\n"), said.String(), cmd.ProcessState.ExitCode()
}

// step is something that shows in a trace.
type step struct{ name, pattern string }

// inOrder finds the steps in a trace, each behind the one before.
func inOrder(trace []string, steps []step) error {
	at := 0
	for _, s := range steps {
		pattern := regexp.MustCompile(s.pattern)
		found := slices.IndexFunc(trace[at:], pattern.MatchString)
		if found < 0 {
			return fmt.Errorf("%s: not behind line %d", s.name, at)
		}
		at += found + 1
	}
	return nil
}

// TestTheIntentIsOnDiskBeforeTheFirstByte of a command goes to its target, as the
// kernel sees it.
func TestTheIntentIsOnDiskBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	hex := func(text string) string {
		return strings.TrimSpace(strings.ReplaceAll(fmt.Sprintf("% x", text), "  ", " "))
	}
	for name, c := range map[string]struct {
		flags     []string
		delivered string // what delivers the command
	}{
		"exec": {nil, `execve\("[^"]*/(ba)?sh", \[.*"touch made"\]`},
		"pane": {[]string{"--pane"}, `write\(.*send-keys -t .* -H .*` + hex("touch made")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			args := slices.Concat([]string{"run", "--dangerously-approve-all"}, c.flags, []string{"--", "touch made"})
			trace, errs, status := w.traced([]string{"-e", "trace=fsync,pwrite64,write,execve,rename,renameat,renameat2"}, args...)
			if status != 0 {
				t.Fatalf("status %d: %s", status, errs)
			}
			// A call that takes a while ends in a line of its own.
			const ended = `(\) += 0| <unfinished \.\.\.>)$`
			if err := inOrder(trace, []step{
				{"the intent is written", `pwrite64\(\d+<[^>]*/ledger/ledger\.jsonl>, .*\\"type\\":\\"intent\\".*touch made`},
				{"and fsynced", `fsync\(\d+<[^>]*/ledger/ledger\.jsonl>` + ended},
				{"the head is written", `pwrite64\(\d+<[^>]*/ledger/head\.new>`},
				{"and fsynced", `fsync\(\d+<[^>]*/ledger/head\.new>` + ended},
				{"and put in place", `rename.*/ledger/head\.new`},
				{"for good", `fsync\(\d+<[^>]*/ledger>` + ended},
				{"the command is delivered", c.delivered},
				{"the end is written", `pwrite64\(\d+<[^>]*/ledger/ledger\.jsonl>, .*\\"type\\":\\"conclusion\\"`},
			}); err != nil {
				t.Error(err)
			}
			first := slices.IndexFunc(trace, regexp.MustCompile(c.delivered).MatchString)
			if before := trace[:max(first, 0)]; slices.IndexFunc(before, regexp.MustCompile(`\\"type\\":\\"intent\\"`).MatchString) < 0 {
				t.Error("a command is delivered before there is any intent")
			}
		})
	}
}

// TestWhatCannotBeWrittenDownIsNotRun: whichever operation on the record fails, no
// command is delivered; and that heals with the disk.
func TestWhatCannotBeWrittenDownIsNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ran := func(name string) {
		t.Helper()
		if _, errs, status := w.do("run", "--dangerously-approve-all", "--", "touch "+name); status != 0 {
			t.Errorf("touch %s: %s", name, errs)
		}
	}
	ran("before")
	var after []string
	for n, fault := range []struct{ call, file string }{
		{"pwrite64", "ledger/ledger.jsonl"}, {"fsync", "ledger/ledger.jsonl"},
		{"pwrite64", "ledger/head.new"}, {"fsync", "ledger/head.new"}, {"renameat", "ledger/head"},
		{"fsync", "ledger"},
	} {
		ways := [][]string{nil, {"--pane"}}
		if !thorough() {
			ways = ways[n%2 : n%2+1] // the record is written in the same way in both
		}
		for _, flags := range ways {
			t.Run(fmt.Sprint(fault.call, " of ", fault.file, flags), func(t *testing.T) {
				path := filepath.Join(w.home, ".local/state/nod", fault.file)
				args := slices.Concat([]string{"run", "--dangerously-approve-all"}, flags, []string{"--", "touch made"})
				_, errs, status := w.traced([]string{"-P", path, "-e", "trace=" + fault.call, "-e", "inject=" + fault.call + ":error=ENOSPC"}, args...)
				if _, err := os.Stat(filepath.Join(w.home, "made")); err == nil {
					t.Errorf("it ran, and is not on record: %s", errs)
				}
				if status != process.StatusFailed || !strings.Contains(errs, "not run, because it cannot be put on record") || !strings.Contains(errs, "no space left") {
					t.Errorf("status %d: %s", status, errs)
				}
				after = append(after, fmt.Sprint("touch after-", len(after)))
				ran(strings.TrimPrefix(after[len(after)-1], "touch "))
			})
		}
	}
	// Nothing is missing.
	w.must("audit", "verify")
	out := w.must("audit", "export")
	for _, command := range append(after, "touch before") {
		if n := strings.Count(out, `"`+command+`"`); n != 1 {
			t.Errorf("%q is %d times on record", command, n)
		}
	}
}

// TestATinyDisk: what is left of it is for the record. Nothing that acts runs, and
// that heals as soon as there is room.
func TestATinyDisk(t *testing.T) {
	t.Parallel()
	needs(t, "unshare")
	w := newWorld(t)
	w.write(".local/state/nod/.keep", "", 0o600)
	script := w.write("tiny.sh", `set -u
state=$HOME/.local/state/nod
mount -t tmpfs -o size=4m,mode=0700 none "$state" || exit 99
"$1" run --dangerously-approve-all -- touch one; echo "[small $?]"
"$1" run --pane --dangerously-approve-all -- touch two; echo "[small pane $?]"
mount -o remount,size=200m none "$state" || exit 99
"$1" run --dangerously-approve-all -- touch three; echo "[large $?]"
"$1" run --pane --dangerously-approve-all -- touch four; echo "[large pane $?]"
head -c 200000000 /dev/zero > "$state/filler"
"$1" run --dangerously-approve-all -- touch five; echo "[filled $?]"
"$1" run -- ls /; echo "[looks $?]"
"$1" audit show; echo "[shows $?]"
rm "$state/filler"
"$1" run --dangerously-approve-all -- touch six; echo "[again $?]"
"$1" audit verify; echo "[verify $?]"
`, 0o700)
	cmd := exec.Command("unshare", "-rm", "sh", script, w.nod)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TERM=dumb"}, w.env()...)
	cmd.Dir = w.home
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"[small 125]", "[small pane 125]", "[large 0]", "[large pane 0]", "[filled 125]", "[shows 0]", "[again 0]", "[verify 0]",
		"the disk is almost full"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s", want)
		}
	}
	for name, want := range map[string]bool{"one": false, "two": false, "three": true, "four": true, "five": false, "six": true} {
		if _, err := os.Stat(filepath.Join(w.home, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
	if strings.Contains(string(out), "panic") || t.Failed() {
		t.Errorf("%s", out)
	}
}
