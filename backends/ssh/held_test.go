package ssh_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/ssh"
)

// heldRun runs a line held, in a closed cage.
func heldRun(t *testing.T, w *world, c *ssh.Conn, k *confine.Keeper, line string) (string, error) {
	t.Helper()
	cage, err := k.Cage(w.context())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	argv := cage.Wrap([]string{"sh", "-c", line}, confine.Hold{Wall: cage.For(confine.Closed), Grants: confine.Closed, Limits: confine.Modest})
	p, err := c.Exec(w.context(), backends.Command{Argv: argv, Stdout: &out, Stderr: &out})
	if err != nil {
		return "", err
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return out.String(), nil
}

// The helper is installed by the shell that stays at the other end, and run as that shell
// holds it open: a held command costs no session but its own, and what lies in the folder
// afterwards does not matter. It goes with the shell, and comes with the next.
func TestAHeldCommandCostsOneSession(t *testing.T) {
	w := newWorld(t, "LogLevel VERBOSE")
	c := w.dial(w.options())
	k := confine.NewKeeper(c, "*.key\n")
	sessions := func() int { return strings.Count(w.sshd.Log(), "Starting session: command") }
	key := w.write("the.key", "hidden")
	line := "cat " + w.write("seen", "seen ") + "; cat " + key
	before := sessions()
	cage, err := k.Cage(w.context())
	if err != nil {
		t.Fatal(err)
	}
	if now := sessions(); now != before {
		t.Errorf("the installation has taken %d sessions", now-before)
	}
	const want = "seen cat: "
	if out, err := heldRun(t, w, c, k, line); err != nil || !strings.HasPrefix(out, want) || strings.Contains(out, "hidden\n") {
		t.Errorf("%q, %v", out, err)
	}
	if !backendtest.Soon(patience, func() bool { return sessions() == before+1 }) {
		t.Errorf("a held command has taken %d sessions", sessions()-before)
	}

	helper := filepath.Join(filepath.Dir(strings.Fields(cage.Prefix(""))[0]), "cage")
	if err := os.WriteFile(helper, []byte("#!/bin/sh\necho fake\n"), 0o500); !errors.Is(err, syscall.ETXTBSY) && os.Geteuid() == 0 {
		t.Errorf("the helper's file can be written: %v", err)
	}
	if err := os.Rename(helper, helper+".old"); err != nil {
		t.Fatal(err)
	}
	backendtest.WriteProgram(t, helper, "#!/bin/sh\necho fake\n")
	if out, err := heldRun(t, w, c, k, line); err != nil || !strings.HasPrefix(out, want) {
		t.Errorf("after its name was given to another: %q, %v", out, err)
	}

	opened := cage.Wrap([]string{"true"}, confine.Hold{Wall: cage.Wall()})[0]
	shell, err := strconv.Atoi(strings.Split(opened+"//", "/")[2])
	if err != nil {
		t.Fatalf("it is run as %q: %v", opened, err)
	}
	if err := syscall.Kill(shell, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !backendtest.Soon(patience, func() bool { next, err := k.Cage(w.context()); return err == nil && next != cage }) {
		t.Error("no other shell holds the helper")
	}
	if out, err := heldRun(t, w, c, k, line); err != nil || !strings.HasPrefix(out, want) {
		t.Errorf("with another shell: %q, %v", out, err)
	}
	if err := k.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(c.Close(), os.RemoveAll(filepath.Dir(helper))); err != nil {
		t.Error(err)
	}
	if !backendtest.Soon(patience, func() bool { return len(running(t, filepath.Base(filepath.Dir(helper)))) == 0 }) {
		t.Errorf("%q still run the helper", running(t, filepath.Base(filepath.Dir(helper))))
	}
}

// running are the processes whose program lies in a folder of that name.
func running(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	var in []string
	for _, exe := range all {
		if to, err := os.Readlink(exe); err == nil && strings.Contains(to, folder) {
			in = append(in, exe)
		}
	}
	return in
}

// Where the server allows one session, the shell makes way for the first command, of which
// nothing runs; from then on the helper is checked before each use.
func TestAHeldCommandOnAServerWithOneSession(t *testing.T) {
	w := newWorld(t, "MaxSessions 1")
	c := w.dial(w.options())
	k := confine.NewKeeper(c, "*.key\n")
	if out, err := heldRun(t, w, c, k, "echo ran"); !errors.Is(err, fs.ErrNotExist) && out != "ran\n" {
		t.Errorf("%q, %v", out, err)
	}
	k.Doubt()
	for range 2 {
		if out, err := heldRun(t, w, c, k, "echo ran"); err != nil || out != "ran\n" {
			t.Errorf("%q, %v", out, err)
		}
	}
	if err := k.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
