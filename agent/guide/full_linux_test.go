package guide

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/taint"
	"github.com/nod-console/nod/tools/risk"
)

// fill writes a file of so many MiB.
func fill(t *testing.T, path string, mebibytes int) *os.File {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // others read it
		t.Fatal(err)
	}
	f, err := os.Create(path) //nolint:gosec // the test's own
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, mebibytes<<20)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestAFullDisk asks on this machine about a file system that is full: what takes the room
// is named, a deleted file that is open, too, and each command runs unasked: it only reads,
// and holds nothing that an output said.
func TestAFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a file system is mounted by root only")
	}
	dir, err := os.MkdirTemp("", "full disk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=40m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	fill(t, filepath.Join(dir, "a/b/c/d/e/f/deep.img"), 14)
	fill(t, filepath.Join(dir, "strange\x01\n`name"), 3)
	fill(t, filepath.Join(dir, "logs/app.log"), 9)
	old := fill(t, filepath.Join(dir, "logs/old.log"), 13)
	if err := os.Remove(old.Name()); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "rest"), 1)

	for question, want := range map[string][]string{
		"what is filling the disk?": {
			"The fullest file system is " + code(dir), "**100 %** of 40 MiB", "needs room soon", "Of the 40 MiB used",
			code(filepath.Join(dir, "a/b/c/d/e/f/deep.img")) + " (14 MiB)", code(filepath.Join(dir, "logs/app.log")) + " (9 MiB)",
			"Another **13 MiB** is in files that were deleted", code(filepath.Join(dir, "logs/old.log")) + " (13 MiB, pid",
		},
	} {
		var memory taint.Memory
		memory.Said(question)
		k := newTalk(t)
		answer := k.ask(question, allTools, func(c model.Call) string {
			line, _ := arguments(t, c)["command"].(string)
			if parts := memory.Of(line); len(parts) > 0 {
				t.Errorf("%q holds what was printed: %v", line, parts)
			}
			if v := risk.Command(line, risk.Bash); !v.Auto {
				t.Errorf("%q would be asked about: %v", line, v.Findings)
			}
			memory.Thought(line)
			result := k.shell(c)
			memory.Printed(result)
			return result
		})
		for _, w := range want {
			if !strings.Contains(answer, w) {
				t.Errorf("%q is not in the answer:\n%s", w, answer)
			}
		}
		if strings.Contains(answer, "close to full") || strings.Contains(answer, "\x01") {
			t.Error(answer)
		}
	}
}
