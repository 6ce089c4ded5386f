package confine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
)

// Within sudo, root runs what a user's cage holds: it reads as root, and changes nothing.
func TestWithinSudo(t *testing.T) {
	s := newScene(t, false)
	if os.Getuid() != 0 {
		// Nobody but root is sure to have sudo without a password.
		if got := s.plain(t, TrySudo+"echo ran"); got.out != "ran\n" && (got.outcome != backends.ExitedWith(Failed) || !strings.HasPrefix(got.complaints, Complaint)) {
			t.Errorf("%+v", got)
		}
		return
	}
	if wall := s.cage.For(Root); wall != s.cage.Wall() {
		t.Fatalf("behind %s", wall)
	}
	if got := s.plain(t, TrySudo+"echo ran"); got.outcome != backends.ExitedWith(Failed) || !strings.HasPrefix(got.complaints, Complaint) || got.out != "" {
		t.Errorf("without a right to sudo: %+v", got)
	}
	root := s
	root.target = local.New([]string{"PATH=" + os.Getenv("PATH"), "HOME=/root"})
	within := func(line string) result {
		return root.plain(t, TrySudo+"sudo -n "+s.cage.AsRoot(Hold{Wall: s.cage.Wall(), Limits: Modest})+line)
	}
	s.plain(t, "echo old > old")
	if err := os.WriteFile(filepath.Join(s.dir, "roots"), []byte("root's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := within("cat roots old"); got.out != "root's\nold\n" || !got.outcome.OK() {
		t.Errorf("%+v", got)
	}
	if got := within("cat"); got.out != "one\ntwo\n" {
		t.Errorf("standard input: %+v", got)
	}
	if got := within("sh -c 'exit 7'"); got.outcome != backends.ExitedWith(7) {
		t.Errorf("%+v", got)
	}
	for _, line := range []string{"rm old", "touch new", "chmod 777 old", "sh -c 'echo x > /proc/sys/vm/swappiness'"} {
		if got := within(line); got.outcome.OK() {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := root.plain(t, "cat old; ls"); got.out != "old\nold\nroots\n" {
		t.Errorf("it has changed: %+v", got)
	}
	// A helper that its owner has changed is not run.
	fake := "#!/bin/sh\necho fake\n"
	if err := os.Remove(s.cage.run[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.cage.run[0], []byte(fake), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	if got := within("cat old"); got.outcome != backends.ExitedWith(Failed) || got.out != "" || !strings.HasPrefix(got.complaints, Complaint) {
		t.Errorf("a changed helper: %+v", got)
	}
	for _, place := range []string{"/dev/shm", "/run", "/tmp", "/var/tmp"} {
		if left, err := filepath.Glob(place + "/.nod-root.*"); err != nil || len(left) > 0 {
			t.Errorf("%q are left, %v", left, err)
		}
	}
}

// Where sudo does not run the helper, nothing is held within it any more.
func TestRootIsForgone(t *testing.T) {
	target := local.New(os.Environ())
	k := NewKeeper(target, testSecrets)
	cage, err := k.Cage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	k.ForgoRoot()
	if cage.For(Root) != None || cage.For("") == None {
		t.Errorf("%q, %q", cage.For(Root), cage.For(""))
	}
	k.Doubt()
	if cage, err = k.Cage(t.Context()); err != nil || cage.For("U"+Root) != None {
		t.Errorf("another helper: %v", err)
	}
}
