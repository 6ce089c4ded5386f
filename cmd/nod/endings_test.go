package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNodEndsWhileAFileHangs proves the same of the program itself, where it waits for a
// named pipe that nobody writes.
func TestNodEndsWhileAFileHangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pipe := filepath.Join(w.home, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(w.nod, "policy", "test", pipe)
	cmd.Env, cmd.Dir = append(w.env(), "PATH="+os.Getenv("PATH")), w.home
	var says strings.Builder
	cmd.Stderr = &says
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	held := -1
	eventually(t, "nod reads the pipe", func() (there bool) {
		var err error
		held, err = unix.Open(pipe, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err == nil
	})
	defer unix.Close(held) //nolint:errcheck // nothing was written
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait() // the status says it
	if got := cmd.ProcessState.ExitCode(); got != 143 || !strings.Contains(says.String(), "told to stop") {
		t.Errorf("status %d, and it says %q", got, says.String())
	}
}
