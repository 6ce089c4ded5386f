package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// Where nothing can be put on record, the console and the doctor say so before
// anything is tried.
func TestAFullDiskIsToldAtTheStart(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	w := newWorld(t)
	small := filepath.Join(w.home, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=4m,mode=0700"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	w.extra = []string{"NOD_STATE_DIR=" + filepath.Join(small, "state")}
	s := w.console(120, 40)
	s.see("only plain looks run now", "almost full", "ready$")
	s.typed("/quit")
	s.press("Enter")
	if status := s.ended(); status != "125" { // the recording has no end, and that is said
		t.Errorf("exit status %s", status)
	}
	out, _, status := w.do("doctor")
	if status != process.StatusFailed || !strings.Contains(out, "make room") {
		t.Errorf("doctor: %d\n%s", status, out)
	}
}

// That the disk runs low is said once, not with each run, and again when it was better
// in between.
func TestALowDiskIsToldOnce(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	w := newWorld(t)
	disk := filepath.Join(w.home, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	size := func(flags uintptr, data string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", flags, data+",mode=0700"); err != nil {
			t.Skipf("a disk cannot be mounted: %v", err)
		}
	}
	size(0, "size=50m")
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	w.extra = []string{"NOD_STATE_DIR=" + filepath.Join(disk, "state")}
	said := func(want bool) {
		t.Helper()
		if _, errs, status := w.do("run", "--", "true"); status != 0 || strings.Contains(errs, "MiB are left") != want {
			t.Errorf("status %d, want it said: %t: %s", status, want, errs)
		}
	}
	said(true)
	size(syscall.MS_REMOUNT, "size=45m") // it is another number now
	said(false)
	size(syscall.MS_REMOUNT, "size=90m")
	said(false)
	size(syscall.MS_REMOUNT, "size=45m")
	said(true)
}

// A disk that is read-only when the console starts: looking goes on, nothing that
// acts runs, and both the record and the conversation are where they belong once it
// can be written, without a restart.
func TestAReadOnlyStateIsToldAndHeals(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("mounting a disk needs root")
	}
	w := newWorld(t)
	disk, run := filepath.Join(w.home, "disk"), filepath.Join(w.home, "run")
	for _, dir := range []string{disk, run} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const size = "size=100m,mode=0700"
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_RDONLY, size); err != nil {
		t.Skipf("a disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	w.extra = []string{"NOD_STATE_DIR=" + filepath.Join(disk, "state"), "XDG_RUNTIME_DIR=" + run}
	out, errs, status := w.do("run", "--", "uname", "-s")
	if status != 0 || !strings.Contains(out, "Linux") || !strings.Contains(errs, "on record at the next start") {
		t.Errorf("a look: %d, %q, %q", status, out, errs)
	}
	notes := filepath.Join(w.home, "notes.txt")
	if _, errs, status := w.do("run", "--dangerously-approve-all", "--", "touch", notes); status != process.StatusFailed || !strings.Contains(errs, "not run, because it cannot be put on record") {
		t.Errorf("a change: %d, %q", status, errs)
	}
	if _, errs, status := w.do("memory", "list"); status != process.StatusFailed || !strings.Contains(errs, "there is no history yet") || !strings.Contains(errs, "cannot be written") {
		t.Errorf("memory of nothing: %d, %q", status, errs)
	}
	s := w.console(140, 40)
	s.see("read-only file system", "only plain looks run now", "ready$")
	s.typed("how is the disk?")
	s.press("Enter")
	s.see("I am nod's guide: rules")
	s.typed("create a file " + notes + " with hello")
	s.press("Enter")
	s.see("Nothing was changed.")
	if _, err := os.Stat(notes); err == nil {
		t.Fatal("it was written without a record")
	}
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, size); err != nil {
		t.Fatal(err)
	}
	s.until("see the alarm end", func(text string) bool {
		lines := strings.Split(text, "\n")
		return !strings.Contains(lines[len(lines)-1], "only plain looks")
	})
	s.typed("create a file " + notes + " with hello")
	s.press("Enter")
	approveHere(s, "+hello")
	s.see("is kept from now on")
	leave(s)
	if text, err := os.ReadFile(notes); err != nil || string(text) != "hello\n" {
		t.Errorf("%q, %v", text, err)
	}
	if list := w.must("history", "list"); !strings.Contains(list, "how is the disk?") {
		t.Error(list)
	}
	if show := w.must("audit", "show"); !strings.Contains(show, "df -kPT") || !strings.Contains(show, "uname") || !strings.Contains(show, notes) {
		t.Error(show)
	}
	w.must("audit", "verify")
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, size); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"memory", "list"}, {"memory", "episodes"}, {"history", "search", "disk"}, {"audit", "show"}} {
		w.must(args...) // reading works
	}
	if left, err := os.ReadDir(run); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
